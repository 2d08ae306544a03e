"""What learners reach in declared games in some minutes of one core, with no recipe, as a table in Markdown.

python experiments/learn_declared.py
python experiments/learn_declared.py --games Golf,Fan --algorithms self-play --minutes 2 --out runs/declared

A short run tells how many games, or steps of PPO, fill the minutes of CPU time. A run that is in the folder is not
trained again. All agents play the same validation deals to win.
"""

import argparse
import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from solitaire_agents.catalogue import find_agent
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.env_spec import EnvSpec, make_env_spec
from solitaire_evaluation.play import play
from solitaire_evaluation.statistics import mean, share
from solitaire_training.checkpoint_file import CHECKPOINT
from solitaire_training.config import TrainConfig
from solitaire_training.run import train

GAMES: dict[str, dict[str, Any]] = {
    "FreeCell": {"cells": 2},
    **{name: {} for name in ("BakersGame", "Golf", "Canfield", "Spiderette", "Yukon", "BlackHole", "Fan")},
}
"""Title in the id -> options that are not the default."""
AMOUNT = {"self-play": "games", "ppo": "total_steps"}
SAMPLE = {"self-play": 4_000, "ppo": 65_536}


def fit(config: TrainConfig, folder: Path) -> float:
    """Trains; returns the seconds of CPU time."""
    started = time.process_time()
    train(config, folder, progress_bar=False, say=lambda line: None)
    return time.process_time() - started


def config_of(spec: EnvSpec, options: dict[str, Any], algorithm: str, amount: int) -> TrainConfig:
    """Returns the defaults with an amount of training, without evaluations on the way."""
    settings: dict[str, Any] = {"threads": 1, "eval_deals": 10, "eval_every": 10**9, AMOUNT[algorithm]: amount}
    return TrainConfig(env=spec.env, options=options, algorithm=algorithm, **settings)  # type: ignore[arg-type]


def row(name: str, spec: EnvSpec, seconds: float, deals: int) -> str:
    """Returns a row of the table."""
    agent = find_agent(name, spec.game, spec.options)
    numbers = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + deals, dtype=np.uint64)
    started, played = time.process_time(), play(agent, spec.game, spec.options, numbers)
    each = (time.process_time() - started) / deals
    won = share(played.column("won"))
    cells = f"{won.value:.1%} | {won.low:.1%} to {won.high:.1%} | {mean(played.column('score')).value:.1f}"
    return f"| {spec.env} | {Path(name).name} | {cells} | {seconds / 60:.1f} | {1_000 * each:.1f} |"


def main() -> None:
    """Trains what is not there, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default=",".join(GAMES))
    parser.add_argument("--algorithms", default="self-play,ppo")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--deals", type=int, default=1_000)
    parser.add_argument("--out", type=Path, default=Path("runs/declared"))
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    print("| environment | agent | won | 95 % interval | score | CPU minutes | ms a game |\n" + "| --- " * 7 + "|")
    for name in chosen.games.split(","):
        options = GAMES.get(name, {})
        spec = make_env_spec(f"solitaire/{name}-v0", options)
        for rule in ("uniform", "greedy"):
            print(row(rule, spec, 0.0, chosen.deals), flush=True)
        for algorithm in chosen.algorithms.split(","):
            folder = chosen.out / name / algorithm
            took = folder / "cpu-seconds.txt"
            if not (folder / CHECKPOINT).exists() or not took.exists():
                with TemporaryDirectory() as sample:  # the first run compiles
                    fit(config_of(spec, options, algorithm, 512), Path(sample) / "first")
                    seconds = fit(config_of(spec, options, algorithm, SAMPLE[algorithm]), Path(sample) / "second")
                amount = int(SAMPLE[algorithm] * chosen.minutes * 60 / seconds)
                took.parent.mkdir(parents=True, exist_ok=True)
                seconds = fit(config_of(spec, options, algorithm, amount), folder)
                took.write_text(str(seconds), encoding="ascii")
            print(row(os.fspath(folder), spec, float(took.read_text(encoding="ascii")), chosen.deals), flush=True)


if __name__ == "__main__":
    main()
