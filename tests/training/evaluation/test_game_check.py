"""The check of a game finds what compiled kernels do without a word. It runs in plain Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from solitaire_training.commands.check import PLAIN_PYTHON

GOLF = Path(__file__).parents[3] / "examples" / "golf"


def check(folder: Path, *arguments: str, **variables: str) -> tuple[int, str]:
    """Runs the command in a folder; returns its exit code and the last line that it printed."""
    command = [sys.executable, "-m", "solitaire_training", "check", "--deals", "3", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).strip().splitlines()[-1]


@pytest.mark.parametrize(
    "env",
    [
        "solitaire/Pyramid-v0",
        pytest.param("solitaire/TourInfernaleOnePass-v0", marks=pytest.mark.slow),
        pytest.param("solitaire/KlondikeDrawOne-v0", marks=pytest.mark.slow),
    ],
)
def test_our_games_keep_the_contract(env: str, tmp_path: Path) -> None:
    code, said = check(tmp_path, "--env", env, "--option", "max_moves=100")
    assert said.startswith(f"{env} keeps the contract in ")
    assert code == 0


def test_a_series_is_refused(tmp_path: Path) -> None:
    code, said = check(tmp_path, "--env", "solitaire/PyramidPar-v0")
    assert said == "solitaire-rl check: expected an environment of single deals, got the series solitaire/PyramidPar-v0"
    assert code == 2


@pytest.mark.parametrize(
    ("file", "right", "wrong", "message"),
    [
        ("game.py", "", "", "golf:golf/Golf-v0 keeps the contract in "),
        ("game.py", "    state.drawn = 0\n", "", "deal 0, move 0: expected deal to "),
        (
            "game.py",
            "AT.waste] = rank_at(",
            "AT.waste] = 0.5 * rank_at(",
            "move 0: expected observe to write a whole number of 1..13 to waste[0], got ",
        ),
        (
            "game.py",
            "    observation[AT.wrap] = rules.wrap\n",
            "    observation[AT.wrap] = state.deck[51]\n",
            "expected observe to write a whole number of 0..1 to wrap[0], got ",
        ),
        (
            "game.py",
            "    return found\n",
            "    return True\n",
            "expected legal to return whether there is a move, got True",
        ),
        ("game.py", "    outcome.won = cards_left(state) == 0\n", "", "expected conclude to write won, got nothing"),
        ("game.py", "    score_range=lambda options: (-STARTER, 0),\n", "", "score_range, 0 to 52; got -35"),
        (
            "game.py",
            "if rules.information == OPEN else UNSEEN",
            "if place == 0 else UNSEEN",
            "expected the observation not to depend on the order of the hidden cards, got a difference",
        ),
        (
            "game.py",
            "    state.deck[STARTER] = _card_of(",
            "    state.deck[STARTER] = max(0, 2 - ",
            "expected imagine to set up a state that looks like the game, got another value in ",
        ),
        ("game.py", "        state.heights[column] = height\n", "", "expected imagine to set up a state that looks"),
        (
            "game.py",
            "        state.deck[index] = _card_of(rank)\n",
            "        state.deck[index] = _card_of(UNSEEN)\n",
            "expected imagine to set up a state that goes on as the game, given its cards, got another value in waste",
        ),
        (
            "game.py",
            "    return NUM_CARDS if rank == UNSEEN else rank - 1\n",
            "    return 99 if rank == UNSEEN else rank - 1\n",
            "expected apply, legal and observe with unseen cards to raise nothing, got IndexError",
        ),
    ],
)
def test_a_mistake_is_named(file: str, right: str, wrong: str, message: str, tmp_path: Path) -> None:
    shutil.copytree(GOLF, tmp_path / "golf", ignore=shutil.ignore_patterns("__pycache__"))
    path = tmp_path / "golf" / file
    text = path.read_text(encoding="utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong) if right else text, encoding="utf-8")
    plain = {PLAIN_PYTHON: "1"}  # otherwise the command starts a second process
    code, said = check(tmp_path, "--env", "golf:golf/Golf-v0", **plain)
    assert message in said
    assert (code == 0) == (not right)
