"""A register makes a value when it is first asked for, and once."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep

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


def test_two_threads_that_ask_at_once_get_one_value() -> None:
    register = Register[list[int]]()
    both = Barrier(2, timeout=20)

    def make() -> list[int]:
        sleep(0.05)
        return []

    def ask() -> list[int]:
        both.wait()
        return register["one"]

    register.later("one", make)
    with ThreadPoolExecutor(2) as pool:
        first, second = (pool.submit(ask) for _ in range(2))
        assert first.result() is second.result()


def test_importing_the_environments_makes_no_declared_game() -> None:
    code = (
        "import solitaire_envs.piles.making as making; making.make_game = None\n"
        "import gymnasium, solitaire_envs, solitaire_agents.catalogue\n"
        "gymnasium.make('solitaire/Pyramid-v0'); assert 'solitaire/FreeCell-v0' in solitaire_envs.CATALOGUE"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
