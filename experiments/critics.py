"""Whether a critic that sees the stock helps: `examples/asymmetric.py` beside the same with a critic that does not.

    .venv/bin/python experiments/critics.py --out results/critics

MaskablePPO learns Pyramid for the score, with either critic, for as many minutes of one core and with the same seeds.
The agents play validation deals greedily. What is in the folder is not trained again, so a study that was stopped goes
on. The table is printed, with the mean difference that the critic makes, seed by seed.
"""

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from study import kept, told

from solitaire_envs.checks import read_whole
from solitaire_evaluation.deals import VALIDATION_DEALS

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from asymmetric import Asymmetric, evaluate, make_model


class Symmetric(Asymmetric):
    """Actor and critic both take `observation`."""

    critic = "observation"


POLICIES = {"asymmetric": Asymmetric, "symmetric": Symmetric}


class Clock(BaseCallback):
    """Ends the training after seconds of the processor."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._end = time.process_time() + seconds

    def _on_step(self) -> bool:
        return time.process_time() < self._end


def learn(name: str, seed: int, minutes: float, deals: int) -> dict[str, Any]:
    """Trains an agent; returns its mean score and the number of its moves."""
    model = make_model(POLICIES[name], seed=seed).learn(10**9, callback=Clock(60 * minutes), log_interval=None)
    scores = evaluate(model, range(VALIDATION_DEALS, VALIDATION_DEALS + deals))
    return {"score": float(np.mean(scores)), "moves": model.num_timesteps}


def main() -> None:
    """Trains what is missing and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--minutes", type=float, default=4, help="minutes of one core for each agent (default 4)")
    parser.add_argument("--seeds", type=read_whole, default=5, help="training seeds (default 5)")
    parser.add_argument("--deals", type=read_whole, default=2_000, help="validation deals (default 2,000)")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in POLICIES}
    for seed in range(chosen.seeds):
        for name in POLICIES:
            one = partial(learn, name, seed, chosen.minutes, chosen.deals)
            found[name].append(kept(chosen.out / f"{name}-{seed}.json", one))
    print("| critic | moves | score |\n|---|---|---|")
    scores = {name: np.array([one["score"] for one in runs]) for name, runs in found.items()}
    for name, runs in found.items():
        print(f"| {name} | {np.mean([one['moves'] for one in runs]):,.0f} | {told(scores[name], '.2f')} |")
    print(f"| difference | | {told(scores['asymmetric'] - scores['symmetric'], '.2f')} |")


if __name__ == "__main__":
    main()
