"""Throughput of training with the recipes, and where its time goes.

    .venv/bin/python benchmarks/training.py --threads 2

Of MaskablePPO, times whole iterations (a rollout and its update); the first, which warms up, is left out. Of self-play,
times whole updates, and counts the choices that are learned from; forced moves come on top. Both take turns. Wants a
quiet machine.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch

from solitaire_agents.catalogue import find_agent
from solitaire_training.learning.config import ValuesConfig, load_config, load_settings
from solitaire_training.learning.model import build_model
from solitaire_training.learning.recipes import find_recipe, recipe_names
from solitaire_training.learning.values import self_play_of, train_values

KINDS = ("train", "train-values")


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


def measure(recipe: str, iterations: int, threads: int, precision: str) -> str:
    config = load_config(find_recipe(recipe), {"threads": threads, "precision": precision})
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
        f"{recipe:28}{precision:10}{steps / total:10,.0f}"
        f"{steps / rollout.seconds:12,.0f}{steps / update.seconds:12,.0f}"
        f"{env.seconds / total:9.1%}{(rollout.seconds - env.seconds) / total:12.1%}{update.seconds / total:9.1%}"
    )


def measure_values(recipe: str, updates: int, threads: int) -> str:
    file = find_recipe(recipe, "train-values")
    each = load_settings(ValuesConfig, file, {}).games_per_update
    config = load_settings(ValuesConfig, file, {"games": updates * each, "threads": threads, "eval_deals": 1})
    learned, kind = 0, type(self_play_of(config))
    plays: Any = kind.play

    def counted(*arguments: Any) -> Any:
        nonlocal learned
        lessons = plays(*arguments)
        learned += len(lessons.targets)
        return lessons

    with tempfile.TemporaryDirectory() as folder, patch.object(kind, "play", counted):
        started = time.perf_counter()
        train_values(config, Path(folder), say=lambda line: None)
        total = time.perf_counter() - started
    return f"{recipe:38}{learned / total:10,.0f}  choices, {config.games / total:,.0f} games"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=4, help="iterations measured (default 4)")
    parser.add_argument("--updates", type=int, default=20, help="updates of self-play measured (default 20)")
    parser.add_argument("--turns", type=int, default=1, help="times that each is measured (default 1)")
    parser.add_argument("--threads", type=int, default=1, help="threads of the network's arithmetic (default 1)")
    parser.add_argument("--precision", nargs="+", default=["auto"], help="of the network's products (default auto)")
    parser.add_argument("--config", default="", help="what the recipes' names begin with (default: all)")
    arguments = parser.parse_args()
    chosen = [[name for name in recipe_names(kind) if name.startswith(arguments.config)] for kind in KINDS]
    for name in chosen[1]:
        measure_values(name, 1, arguments.threads)  # compiles
    print(f"{'':38}{'steps per second':^34}{'share of the time':^30}")
    print(
        f"{'configuration':28}{'precision':10}{'all':>10}"
        f"{'rollouts':>12}{'updates':>12}{'env':>9}{'policy':>12}{'update':>9}"
    )
    for _ in range(arguments.turns):
        for name in chosen[0]:
            for precision in arguments.precision:
                print(measure(name, arguments.iterations, arguments.threads, precision), flush=True)
        for name in chosen[1]:
            print(measure_values(name, arguments.updates, arguments.threads), flush=True)


if __name__ == "__main__":
    main()
