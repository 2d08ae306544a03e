"""What commands say to input that is nearly right: one line, at once, and what may have been meant."""

import subprocess
import sys
from pathlib import Path

import pytest

from solitaire_training.commands.arguments import listed
from solitaire_training.commands.main import main

HEAVY = ("matplotlib", "optuna", "sb3_contrib", "torch")
"""Modules that take seconds to import."""


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert not output.out
    assert output.err.count("\n") == 1
    return output.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("compare --agents careful --deals 100-50", "expected deals FIRST-LAST from a lower to a higher number, got"),
        ("compare --agents careful --deals -5", "expected deals to be 1 to 10,000,000 numbers, got -5"),
        ("compare --agents carful --deals 2", "got 'carful': did you mean careful?"),
        ("compare --agents careful --deals 2 --baseline carefull", "got 'carefull': did you mean careful?"),
        ("compare --agents careful --env solitaire/Pyramd-v0", "did you mean solitaire/Pyramid-v0?"),
        ("compare --agents careful --option pases=2", "got 'pases': did you mean passes?"),
        ("compare --agents best --option information=table", "information='memory' or 'open' for best; got 'table'"),
        ("compare --agents planner --option information=table", "'memory' or 'open' for planner; got 'table'"),
        (
            "compare --agents careful,planner --option max_moves=50",
            "expected max_moves of 102 or more, or None, for pl",
        ),
        ("solve --deal 7 --goal scores", "got 'scores': did you mean score?"),
        ("train --config pyramid-wins --out nowhere", "did you mean pyramid-win?"),
    ],
)
def test_one_line(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in said(capsys, *arguments.split())


def test_a_person_without_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "expected finished games of human:nobody, got none" in said(
        capsys, "replay", "human:nobody", "--data", str(tmp_path)
    )


def test_serve_names_an_unknown_agent_shortly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = said(capsys, "serve", "--no-open", "--data", str(tmp_path), "--agents", "carefull")
    assert "got 'carefull': did you mean careful?" in line
    assert len(line) < 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("report nowhere", "expected a folder that `compare --out` has written, got 'nowhere': none is there"),
        ("tune --search learning_rat --trials 2 --out nowhere", "got 'learning_rat': did you mean learning_rate?"),
    ],
)
def test_before_what_takes_seconds_is_imported(arguments: str, message: str) -> None:
    program = f"""
import sys
from solitaire_training.commands.main import main
code = main({arguments.split()!r})
print(code, [name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2 []"
    assert message in done.stderr


def test_a_name_may_have_a_comma() -> None:
    assert listed(r"careful,ppo=runs/a\,b,,best") == ["careful", "ppo=runs/a,b", "best"]
    assert listed("") == []
