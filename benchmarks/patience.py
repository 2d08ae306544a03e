"""Our rows of the Patience Benchmark: makes each by the commands that it names, and submits it.

    .venv/bin/python benchmarks/patience.py careful-pyramid planner-pyramid   # these rows; without names all of them

The folders of results go to results/patience, the rows into docs/scoreboard.jsonl. What is there already is not done
again. For figures of speed that mean something, let the machine rest.
"""

import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solitaire_evaluation.benchmark import HERE, NOTHING, STATEMENT, STATEMENT_FORMAT
from solitaire_evaluation.provenance import about_machine
from solitaire_training import choice_vec_env
from solitaire_training.commands.main import main as solitaire_rl

ROOT = Path(__file__).parents[1]
FOLDER, SCOREBOARD = "results/patience", "docs/scoreboard.jsonl"
WIN = "--env solitaire/Pyramid-v0 --option objective=win"
SCORE = "--env solitaire/Pyramid-v0"
TOUR = "--env solitaire/TourInfernaleOnePass-v0"
KLONDIKE = "--env solitaire/Klondike-v0"


@dataclass(frozen=True)
class Submission:
    """What one folder of results needs."""

    track: str
    agent: str
    games: str
    """Arguments of `compare`."""
    source: str = ""
    """The agents, where they are not those of the name `agent`."""
    searches: bool = False
    training: dict[str, Any] | None = None
    train: str = ""
    """The command that trains."""
    makes: str = ""
    """What that command makes."""
    modules: str = ""
    """What `submit` has to import."""


def shipped(start: str = NOTHING) -> dict[str, Any]:
    """Returns what is stated of the training of the package's own agents."""
    return {"seeds": [0], "steps": None, "start": start, "hardware": "one core; minutes in docs/results.md"}


VALUES = "runs/klondike-values"
"""The folder that `klondike` started from: values that self-play has learned."""
ONE_MILLION = {"seeds": [0], "steps": 1_000_000, "start": NOTHING, "hardware": f"one core of {about_machine()['cpu']}"}
"""What is stated of a training of a million moves."""
PPO, CLEANRL = "runs/patience/ppo-1m", "examples/cleanrl.safetensors"
OURS = {
    "train": f"solitaire-rl train --option objective=win --total-steps 440_000 --no-bounds --out {PPO}",
    "makes": f"{PPO}/agent.json",
    "training": ONE_MILLION,
    "source": f"ppo={PPO}@no-bounds",
}
CLEANRL_PPO = {
    "train": f"python examples/cleanrl_ppo.py --seed 0 --total-timesteps 1_000_000 --save {CLEANRL}",
    "makes": CLEANRL,
    "training": ONE_MILLION,
    "source": "cleanrl-ppo=cleanrl_agent:Model",
    "modules": "cleanrl_agent",
}
SB3 = "examples/model.zip"
MASKABLE_PPO = {
    "train": f"python examples/maskable_ppo.py --steps 999_424 --save {SB3}",  # 488 whole rollouts
    "makes": SB3,
    "training": {**ONE_MILLION, "steps": 999_424},
    "source": "maskable-ppo=sb3_agent:Model",
    "modules": "sb3_agent",
}
SUBMISSIONS = {
    "uniform-pyramid": Submission("a", "uniform", WIN),
    "careful-pyramid": Submission("a", "careful", WIN),
    "best-pyramid": Submission("a", "best@no-bounds", WIN, training=shipped()),
    "careful-score": Submission("a", "careful", SCORE),
    "best-score": Submission("a", "best@no-bounds", SCORE, training=shipped()),
    "thrifty-tour": Submission("a", "thrifty", TOUR),
    "best-tour": Submission("a", "best", TOUR, training=shipped()),
    "careful-klondike": Submission("a", "careful", KLONDIKE),
    "best-klondike": Submission("a", "best@no-bounds", KLONDIKE, training=shipped(VALUES)),
    "bounds-pyramid": Submission("b-0.01", "best", WIN, searches=True, training=shipped()),
    "patient-pyramid": Submission("b-0.01", "patient", WIN, searches=True),
    "planner-pyramid": Submission("b-0.01", "planner", WIN, searches=True),
    "planner-tour": Submission("b-0.01", "planner", TOUR, searches=True, training=shipped()),
    "ppo-pyramid": Submission("c-1M", "ppo", WIN, **OURS),
    "ppo-score": Submission("c-1M", "ppo", SCORE, **OURS),
    "cleanrl-score": Submission("c-1M", "cleanrl-ppo", SCORE, **CLEANRL_PPO),
    "cleanrl-pyramid": Submission("c-1M", "cleanrl-ppo", WIN, **CLEANRL_PPO),
    "maskable-score": Submission("c-1M", "maskable-ppo", SCORE, **MASKABLE_PPO),
    "maskable-pyramid": Submission("c-1M", "maskable-ppo", WIN, **MASKABLE_PPO),
}


def run(command: str) -> None:
    """Runs a command in the root of the project.

    Raises:
        SystemExit: It fails.
    """
    print(f"$ {command}", flush=True)
    program, *arguments = shlex.split(command)
    if program == "solitaire-rl":
        code = solitaire_rl(arguments)
    else:
        code = subprocess.run([sys.executable, *arguments], cwd=ROOT, check=False).returncode
    if code:
        sys.exit(code)


def train(command: str, most: int | None) -> None:
    """Trains, and counts the moves that PPO of this package plays: `train` itself counts decisions.

    Raises:
        SystemExit: The command fails, or plays more than `most` moves.
    """
    moves, play_lines = [0], choice_vec_env.play_lines

    def counting(engine: Any, lines: Any, lengths: Any) -> Any:
        moves[0] += int(lengths.sum())  # a game may end before the end of its line
        return play_lines(engine, lines, lengths)

    choice_vec_env.play_lines = counting
    run(command)
    choice_vec_env.play_lines = play_lines
    print(f"training played at most {moves[0]:,} moves")
    if most is not None and moves[0] > most:
        sys.exit(f"expected at most {most:,} moves, got {moves[0]:,}")


def submit(name: str) -> None:
    """Makes the results of a submission, where they are missing, and its rows."""
    one, folder = SUBMISSIONS[name], f"{FOLDER}/{name}"
    play = f"solitaire-rl compare {one.games} --agents {one.source or one.agent} --deals 1000 --jobs 1 --out {folder}"
    if one.train and not (ROOT / one.makes).exists():
        train(one.train, (one.training or {}).get("steps"))
    if not (ROOT / folder / "result.json").exists():
        run(play)
    statement = {
        "format": STATEMENT_FORMAT,
        "track": one.track,
        "agent": one.agent,
        "authors": "solitaire-rl",
        "code": HERE,
        "searches": one.searches,
        "reads": "observation",
        "commands": [command for command in (one.train, play) if command],
        "training": one.training,
    }
    (ROOT / folder / STATEMENT).write_text(json.dumps(statement, indent=2) + "\n")
    modules = f" --import {one.modules}" if one.modules else ""
    run(f"solitaire-rl submit {folder} --scoreboard {SCOREBOARD}{modules}")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "examples"))
    for chosen in sys.argv[1:] or SUBMISSIONS:
        submit(chosen)
