"""Won against minutes of one core: PPO from nothing, self-play, self-play and then PPO, MaskablePPO with `MlpPolicy`.

    .venv/bin/python experiments/won_by_minutes.py --out results/minutes

Each learns to win Pyramid on one core. Ours learn from a number of games and decisions that takes about ten minutes;
self-play and what follows it have the settings of `pyramid-win`. MaskablePPO is set up as in `examples/maskable_ppo.py`
and learns for `--minutes`. All play the same validation deals on the way, ours with the bounds, under which their PPO
learns too; this time does not count. What is in the folder is not trained again, so a study that was stopped goes on,
and two processes may train different seeds. The table is printed.
"""

import argparse
import os
import sys
import time
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pandas as pd
import torch
from stable_baselines3.common.callbacks import BaseCallback
from study import kept, told

from solitaire_envs import pyramid
from solitaire_envs.checks import read_whole
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.learning_curve import load_curve
from solitaire_evaluation.play import play
from solitaire_training.config import load_config
from solitaire_training.recipes import find_recipe
from solitaire_training.run import train

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from maskable_ppo import make_model
from sb3_agent import Model

ENV_ID, OPTIONS = "solitaire/Pyramid-v0", pyramid.PyramidOptions(objective="win")
FROM_NOTHING = {"env": ENV_ID, "options": {"objective": "win"}, "algorithm": "ppo", "total_steps": 7_000_000}
OURS: dict[str, dict[str, Any]] = {
    "PPO": FROM_NOTHING | {"eval_every": 700_000},
    "self-play": {"algorithm": "self-play", "games": 400_000, "eval_every": 1_500_000},
    "self-play, then PPO": {"games": 250_000, "total_steps": 2_000_000, "eval_every": 1_000_000},
}
"""Settings of our learners. The last two are changes to the recipe `pyramid-win`."""
PEER = "MaskablePPO, MlpPolicy"
EVALUATIONS = 10
"""How often MaskablePPO is evaluated."""
Curve = list[tuple[float, float]]
"""Seconds of learning, and the share of the validation deals that is won then."""


def share_won(agent: Any, deals: int) -> float:
    """Returns the share of the first validation deals that an agent wins."""
    numbers = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + deals, dtype=np.uint64)
    return float(play(agent, pyramid.GAME, OPTIONS, numbers).column("won").mean())


class Evaluations(BaseCallback):
    """Evaluates a model of MaskablePPO at equal distances of its time, and ends the training after so many seconds."""

    def __init__(self, seconds: float, deals: int) -> None:
        super().__init__()
        self.curve: Curve = []
        self._seconds, self._deals = seconds, deals
        self._begun, self._playing = time.monotonic(), 0.0

    def _on_step(self) -> bool:
        before = time.monotonic()
        learned = before - self._begun - self._playing
        if learned >= self._seconds * (len(self.curve) + 1) / EVALUATIONS:
            self.curve.append((learned, share_won(Model(OPTIONS, self.model), self._deals)))
            self._playing += time.monotonic() - before
        return learned < self._seconds


def learn_peer(seed: int, minutes: float, deals: int) -> dict[str, Any]:
    """Trains MaskablePPO for so many minutes; returns its curve."""
    model = make_model(ENV_ID, seed=seed, objective="win")
    model.verbose = 0
    evaluations = Evaluations(60 * minutes, deals)
    model.learn(10**9, callback=evaluations)
    return {"curve": evaluations.curve, "won": evaluations.curve[-1][1]}


def learn(name: str, seed: int, folder: Path, deals: int) -> dict[str, Any]:
    """Trains one of our learners; returns its curve, and what it wins at the end."""
    changes = {**OURS[name], "seed": seed, "eval_deals": deals, "threads": 1}
    config = load_config(None if name == "PPO" else find_recipe("pyramid-win"), changes)
    train(config, folder, resume=(folder / "checkpoint.safetensors").exists(), progress_bar=False, say=lambda _: None)
    points = load_curve(folder).query("metric == 'won'")
    curve = [*zip(points["seconds"], points["value"], strict=True)]
    return {"curve": curve, "won": curve[-1][1]}


def run(out: Path, seeds: list[int], minutes: float, deals: int) -> pd.DataFrame:
    """Trains what is missing; returns a row for each learner and seed, with its curve."""
    rows = []
    for seed in seeds:
        for name in (*OURS, PEER):
            folder = out / f"{name.replace(', ', '-').replace(' ', '-')}-{seed}"
            find = partial(learn_peer, seed, minutes) if name == PEER else partial(learn, name, seed, folder)
            found = kept(folder / "results.json", partial(find, deals=deals))
            rows.append({"learner": name, "seed": seed, **found})
    return pd.DataFrame(rows)


def table(results: pd.DataFrame) -> str:
    """Returns the end of the curves as a table in Markdown: means over the seeds, from five on with 95 % intervals."""
    lines = ["| learner | minutes | won |", "|---|---|---|"]
    for name, group in results.groupby("learner", sort=False):
        minutes = mean([curve[-1][0] / 60 for curve in group["curve"]])
        lines.append(f"| {name} | {minutes:.1f} | {told(group['won'], '.1%')} |")
    return "\n".join(lines)


def main() -> None:
    """Runs the study and prints its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of the agents")
    parser.add_argument("--seeds", type=read_whole, nargs="+", default=[0, 1, 2], help="training seeds (default 0 1 2)")
    parser.add_argument("--minutes", type=float, default=10, help="minutes of MaskablePPO (default 10)")
    parser.add_argument("--deals", type=read_whole, default=4_000, help="validation deals (default 4,000)")
    chosen = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[min(chosen.seeds) % len(cores)]})
    torch.set_num_threads(1)
    results = run(chosen.out, chosen.seeds, chosen.minutes, chosen.deals)
    print(table(results))


if __name__ == "__main__":
    main()
