"""Throughput of training with the default recipe, and where its time goes.

    .venv/bin/python benchmarks/training.py --threads 2

Times whole iterations (a rollout and its update) of MaskablePPO; the first, which warms up, is left out. Wants a quiet
machine.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from solitaire_agents.catalogue import find_agent
from solitaire_training.learning.config import load_config
from solitaire_training.learning.model import build_model
from solitaire_training.learning.recipes import FOLDER


class Stopwatch:
    """Adds up the time that calls take."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def over(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **keywords: Any) -> Any:
            started = time.perf_counter()
            try:
                return call(*arguments, **keywords)
            finally:
                self.seconds += time.perf_counter() - started

        return timed


def measure(config_file: Path, iterations: int, threads: int, precision: str) -> str:
    config = load_config(config_file, {"threads": threads, "precision": precision})
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(False)
    teacher = find_agent(config.teacher, config.game(), config.game_options()) if config.teacher else None
    model: Any = build_model(config, teacher if teacher and teacher.worth else None)
    env, rollout, update = Stopwatch(), Stopwatch(), Stopwatch()
    model.env.step = env.over(model.env.step)
    model.env.env_method = env.over(model.env.env_method)
    model.collect_rollouts = rollout.over(model.collect_rollouts)
    model.train = update.over(model.train)
    size = config.num_envs * config.n_steps
    model.learn(size)
    env.seconds = rollout.seconds = update.seconds = 0.0
    model.learn(iterations * size, reset_num_timesteps=False)
    total = rollout.seconds + update.seconds
    steps = iterations * size
    return (
        f"{config_file.stem:28}{precision:10}{steps / total:10,.0f}"
        f"{steps / rollout.seconds:12,.0f}{steps / update.seconds:12,.0f}"
        f"{env.seconds / total:9.1%}{(rollout.seconds - env.seconds) / total:12.1%}{update.seconds / total:9.1%}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=4, help="iterations measured (default 4)")
    parser.add_argument("--threads", type=int, default=1, help="threads of the network's arithmetic (default 1)")
    parser.add_argument("--precision", nargs="+", default=["auto"], help="of the network's products (default auto)")
    parser.add_argument("--config", default="*", help="which of the recipes (default: all)")
    arguments = parser.parse_args()
    print(f"{'':38}{'steps per second':^34}{'share of the time':^30}")
    print(
        f"{'configuration':28}{'precision':10}{'all':>10}"
        f"{'rollouts':>12}{'updates':>12}{'env':>9}{'policy':>12}{'update':>9}"
    )
    for file in sorted(FOLDER.glob(f"{arguments.config}.yaml")):
        for precision in arguments.precision:
            print(measure(file, arguments.iterations, arguments.threads, precision))


if __name__ == "__main__":
    main()
