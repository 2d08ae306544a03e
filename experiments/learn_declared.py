"""What learners reach in declared games in some minutes of one core, with no recipe: rows of `docs/played.csv`.

python experiments/learn_declared.py
python experiments/learn_declared.py --games FreeCell --option cells=2
python experiments/learn_declared.py --games Golf,Fan --algorithms self-play --minutes 2 --out runs/declared

A pilot that is resumed with twice as much each time tells how many games, or steps of PPO, fill the minutes of CPU
time. A run that is in the folder is not trained again. All agents play the same test deals, the stronger of the two
with a search, too.
"""

import argparse
import os
import time
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from ladder import AMOUNT, played_row, write_row

from solitaire_envs.piles.games import DECLARED
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_training.checkpoint_file import CHECKPOINT
from solitaire_training.commands.arguments import chosen_env_spec
from solitaire_training.config import TrainConfig
from solitaire_training.run import train

FIRST = {"self-play": 2_000, "ppo": 24_576}
"""The first piece of a pilot: one update."""
PILOT = 0.05
"""The last piece of a pilot takes at least this share of the minutes, so that its games are like those of the run."""


def fit(config: TrainConfig, folder: Path, *, resume: bool = False) -> float:
    """Trains; returns the seconds of CPU time."""
    started = time.process_time()
    train(config, folder, resume=resume, progress_bar=False, say=lambda line: None)
    return time.process_time() - started


def amount_for(spec: EnvSpec, algorithm: str, seconds: float) -> int:
    """Returns how much training fills the seconds of CPU time, by a pilot."""
    amount = FIRST[algorithm]
    with TemporaryDirectory() as pilot:
        took = fit(config_of(spec, algorithm, amount), Path(pilot))  # compiles
        while took < PILOT * seconds or amount == FIRST[algorithm]:
            amount *= 2
            took = fit(config_of(spec, algorithm, amount), Path(pilot), resume=True)
    return int(amount / 2 * seconds / took)


def config_of(spec: EnvSpec, algorithm: str, amount: int) -> TrainConfig:
    """Returns the defaults with an amount of training, without evaluations on the way."""
    settings: dict[str, Any] = {"threads": 1, "eval_deals": 10, "eval_every": 10**9, AMOUNT[algorithm]: amount}
    return TrainConfig(env=spec.env, options=asdict(spec.options), algorithm=algorithm, **settings)  # type: ignore[arg-type]


def main() -> None:
    """Trains what is not there, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    titles = ",".join(declared.title_words for declared in DECLARED)
    parser.add_argument("--games", default=titles, help="titles in ids, with commas between (default: all)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the games")
    parser.add_argument("--algorithms", default="self-play,ppo")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--deals", type=int, default=1_000)
    parser.add_argument("--search-deals", type=int, default=2_000, help="deals of the search; 0: none")
    parser.add_argument("--simulations", type=int, default=200, help="most simulations of the search for a decision")
    parser.add_argument("--out", type=Path, default=Path("runs/declared"))
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    for name in chosen.games.split(","):
        spec, option = chosen_env_spec(f"solitaire/{name}-v0", chosen.option), " ".join(chosen.option)
        for rule in ("uniform", "greedy"):
            write_row(played_row(spec, option, rule, chosen.deals))
        rows = {}
        for algorithm in chosen.algorithms.split(","):
            folder = chosen.out / name / option.replace("=", "-") / algorithm  # = would give the agent another name
            took = folder / "cpu-seconds.txt"
            if not (folder / CHECKPOINT).exists() or not took.exists():
                amount = amount_for(spec, algorithm, 60 * chosen.minutes)
                seconds = fit(config_of(spec, algorithm, amount), folder)
                took.write_text(str(seconds), encoding="ascii")
            minutes = float(took.read_text(encoding="ascii")) / 60
            row = played_row(spec, option, os.fspath(folder), chosen.deals)
            rows[folder] = row._replace(minutes=f"{minutes:.1f}")  # of CPU time
            write_row(rows[folder])
        if chosen.search_deals:
            stronger = max(rows, key=lambda folder: float(rows[folder].won))
            write_row(played_row(spec, option, f"{stronger}@search{chosen.simulations}", chosen.search_deals))


if __name__ == "__main__":
    main()
