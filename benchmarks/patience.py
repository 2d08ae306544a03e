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

from solitaire_evaluation.benchmark import HERE, NOTHING, STATEMENT, STATEMENT_FORMAT, TEXT, TRACKS
from solitaire_evaluation.provenance import about_machine
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

    @property
    def module(self) -> str:
        """What `submit` has to import, if anything."""
        module, colon, _ = self.source.rpartition("=")[2].partition(":")
        return module if colon else ""


def from_nothing(steps: int) -> dict[str, Any]:
    """Returns what is stated of a training from nothing, in at most so many moves."""
    return {"seeds": [0], "steps": steps, "start": NOTHING, "hardware": f"one core of {about_machine()['cpu']}"}


def shipped(start: str = NOTHING) -> dict[str, Any]:
    """Returns what is stated of the training of the package's own agents."""
    return {"seeds": [0], "steps": None, "start": start, "hardware": "one core; minutes in docs/results.md"}


VALUES = "runs/klondike-values"
"""The folder that `klondike` started from: values that self-play has learned."""
STEPS = {"1M": 1_000_000, "10M": 10_000_000, "100M": 100_000_000}
"""The budgets of track c, in moves."""
CLEANRL, DQN, SB3 = "examples/cleanrl.safetensors", "examples/dqn.zip", "examples/model.zip"


def ours(agent: str, size: str, settings: str) -> dict[str, Any]:
    """Returns what an agent of ours needs that learns from nothing, in at most ``size`` moves."""
    folder = f"runs/patience/{agent}-{size}"
    return {
        "agent": agent,
        "train": f"solitaire-rl train {settings} --out {folder}",
        "makes": f"{folder}/agent.json",
        "training": from_nothing(STEPS[size]),
        "source": f"{agent}={folder}" + ("@no-bounds" if "--no-bounds" in settings else ""),
    }


def example(agent: str, script: str, saved: str, player: str, steps: int = STEPS["1M"]) -> dict[str, Any]:
    """Returns what an agent needs that a script of `examples` trains from nothing."""
    return {
        "agent": agent,
        "train": f"python examples/{script} {saved}",
        "makes": saved,
        "training": from_nothing(steps),
        "source": f"{agent}={player}:Model",
    }


CLEANRL_PPO = example(
    "cleanrl-ppo", "cleanrl_ppo.py --seed 0 --total-timesteps 1_000_000 --save", CLEANRL, "cleanrl_agent"
)
MASKABLE_PPO = example(  # 488 whole rollouts
    "maskable-ppo", "maskable_ppo.py --steps 999_424 --save", SB3, "sb3_agent", 999_424
)
MASKED_DQN = example("dqn", "masked_dqn.py --steps 1_000_000 --save", DQN, "masked_dqn")
PPO_1M, PPO_10M = (
    ours("ppo", size, f"{WIN} --total-steps {decisions} --no-bounds")
    for size, decisions in (("1M", "440_000"), ("10M", "4_600_000"))
)
SELF_PLAY_10M, SELF_PLAY_100M = (
    ours("self-play", size, f"--config tour-infernale-one-pass --games {games}")
    for size, games in (("10M", "35_000"), ("100M", "300_000"))
)
FIRST_DISCARD, RANDOM = "first-discard=text_agent:FirstDiscard", "random=text_agent:RandomMove"
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
    "mcts-score": Submission("b-0.1", "mcts", SCORE, "mcts=search:Searcher", searches=True),
    "ppo-pyramid": Submission("c-1M", games=WIN, **PPO_1M),
    "ppo-score": Submission("c-1M", games=SCORE, **PPO_1M),
    "cleanrl-score": Submission("c-1M", games=SCORE, **CLEANRL_PPO),
    "cleanrl-pyramid": Submission("c-1M", games=WIN, **CLEANRL_PPO),
    "maskable-score": Submission("c-1M", games=SCORE, **MASKABLE_PPO),
    "maskable-pyramid": Submission("c-1M", games=WIN, **MASKABLE_PPO),
    "dqn-score": Submission("c-1M", games=SCORE, **MASKED_DQN),
    "dqn-pyramid": Submission("c-1M", games=WIN, **MASKED_DQN),
    "ppo-10m-pyramid": Submission("c-10M", games=WIN, **PPO_10M),
    "ppo-10m-score": Submission("c-10M", games=SCORE, **PPO_10M),
    "self-play-10m-tour": Submission("c-10M", games=TOUR, **SELF_PLAY_10M),
    "self-play-100m-tour": Submission("c-100M", games=TOUR, **SELF_PLAY_100M),
    "text-pyramid": Submission("d", "first-discard", WIN, FIRST_DISCARD),
    "text-score": Submission("d", "first-discard", SCORE, FIRST_DISCARD),
    "text-random-score": Submission("d", "random", SCORE, RANDOM),
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


def submit(name: str) -> None:
    """Makes the results of a submission, where they are missing, and its rows."""
    one, folder = SUBMISSIONS[name], f"{FOLDER}/{name}"
    deals, agents = TRACKS[one.track].deals, one.source or one.agent
    play = f"solitaire-rl compare {one.games} --agents {agents} --deals {deals} --jobs 1 --out {folder}"
    finished = (ROOT / folder / "result.json").exists()
    if one.train and not finished and not (ROOT / one.makes).exists():
        run(one.train)
    elif one.train.startswith("solitaire-rl") and not finished:
        run(f"{one.train} --resume")  # it may have been interrupted
    if not finished:
        run(play)
    statement = {
        "format": STATEMENT_FORMAT,
        "track": one.track,
        "agent": one.agent,
        "authors": "solitaire-rl",
        "code": HERE,
        "searches": one.searches,
        "reads": TEXT if TRACKS[one.track].text else "observation",
        "budget": None,
        "commands": [command for command in (one.train, play) if command],
        "training": one.training,
    }
    (ROOT / folder / STATEMENT).write_text(json.dumps(statement, indent=2) + "\n")
    modules = f" --import {one.module}" if one.module else ""
    run(f"solitaire-rl submit {folder} --scoreboard {SCOREBOARD}{modules}")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "examples"))
    for chosen in sys.argv[1:] or SUBMISSIONS:
        submit(chosen)
