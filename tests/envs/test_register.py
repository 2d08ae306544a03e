"""A register makes a value when it is first asked for, and once."""

import subprocess
import sys

import pytest

from solitaire_envs.register import Register


def test_a_value_is_made_when_it_is_first_asked_for() -> None:
    made = list[str]()
    register = Register[str]()
    register["now"] = "one"
    register.later("later", lambda: made.append("two") or made[-1])
    assert list(register) == ["now", "later"]
    assert "later" in register
    assert len(register) == 2
    assert not made
    assert register["later"] is register.get("later") is made[0]
    assert made == ["two"]
    register["later"] = "three"
    assert list(register.items()) == [("now", "one"), ("later", "three")]
    del register["later"]
    assert "later" not in register
    with pytest.raises(KeyError):
        register["later"]


def test_importing_the_environments_makes_no_declared_game() -> None:
    code = (
        "import solitaire_envs.piles.making as making; making.make_game = None\n"
        "import gymnasium, solitaire_envs, solitaire_agents.catalogue\n"
        "gymnasium.make('solitaire/Pyramid-v0'); assert 'solitaire/FreeCell-v0' in solitaire_envs.CATALOGUE"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
