"""Speed of this checkout against another one's, side by side: play by `best`, the solver, training.

    git worktree add /tmp/old REVISION
    .venv/bin/python benchmarks/revisions.py /tmp/old
    .venv/bin/python benchmarks/revisions.py /tmp/old --only solve

Each checkout has a process of its own, which loads its packages from there. They take turns, one thread each, and their
CPU time counts. A step of PPO is what that checkout counts as one: an environment step, or only a decision. Up to
revision 6ac363f PPO had a network and recipe of its own, and up to revision 9f01c1a there was no self-play, so that
'learn' times PPO there.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

HERE = Path(__file__).parents[1]
PACKAGES = ("envs", "agents", "training", "seeds", "web")


def play_best(deals: int) -> Callable[[], float]:
    from solitaire_agents.catalogue import find_agent
    from solitaire_envs import pyramid
    from solitaire_evaluation.play import play

    options = pyramid.PyramidOptions(objective="win")
    agent = find_agent("best", pyramid.GAME, options)

    def timed() -> float:
        started = time.process_time()
        play(agent, pyramid.GAME, options, range(deals))
        return deals / (time.process_time() - started)

    return timed


def solve_tour(deals: int) -> Callable[[], float]:
    import numpy as np

    from solitaire_agents.tour_infernale.solver import api
    from solitaire_envs.cards import decks_of_deals

    decks, memory = decks_of_deals(np.arange(deals, dtype=np.uint64)), api.new_memory()
    limits = {"max_nodes": 25_000_000, "memory": memory}

    def solve_all() -> Any:
        if hasattr(api, "solve_many"):  # up to revision 1a70398
            return api.solve_many(decks, **limits)
        from solitaire_agents import kit

        if not hasattr(kit, "dealt"):  # up to revision 83d9ee6
            from solitaire_agents.tour_infernale.position import Position  # type: ignore[attr-defined]

            return kit.tabulate(api.solve(Position.dealt(deck), **limits) for deck in decks)
        from solitaire_agents.tour_infernale.solving import RULES
        from solitaire_envs.tour_infernale import GAME

        states = kit.dealt(GAME, RULES, np.arange(deals, dtype=np.uint64))
        return kit.tabulate(api.solve(state, RULES, **limits) for state in states)

    def timed() -> float:
        started = time.process_time()
        results = solve_all()
        seconds = time.process_time() - started
        print(f"{(results[:, 0] == 0).sum()} won, {results[:, 2].mean():,.0f} nodes a deal", file=sys.stderr)
        return deals / seconds

    return timed


def learn_pyramid(stage: str) -> Callable[[], float]:
    """Times a stage of the recipe pyramid-win, by 'ppo' or by 'self-play'."""
    try:
        from solitaire_training.run import PPO, SelfPlay
    except ModuleNotFoundError:  # up to revision 6ac363f
        return learn_by_values(20_000) if stage == "self-play" else learn_by_imitation(2)
    from stable_baselines3.common.logger import Logger

    from solitaire_agents.catalogue import choices_of
    from solitaire_agents.network import random_network
    from solitaire_training.config import load_config
    from solitaire_training.recipes import find_recipe

    config = load_config(find_recipe("pyramid-win"), {"threads": 1, "total_steps": 50_000, "games": 20_000})
    choices = choices_of(config.game(), config.game_options())
    network = random_network(choices.inputs, (config.width, config.second_width), 0)

    def timed() -> float:
        started = time.process_time()
        learner: Any = PPO(config, network, Logger(None, [])) if stage == "ppo" else SelfPlay(config, network)
        while learner.progress < learner.total:
            learner.update()
        return int(learner.decisions) / (time.process_time() - started)

    return timed


def learn_by_imitation(rollouts: int) -> Callable[[], float]:
    from solitaire_training.config import load_config
    from solitaire_training.recipes import find_recipe
    from solitaire_training.train import train

    config = load_config(find_recipe("pyramid-win"), {"eval_deals": 1, "device": "cpu"})
    size = config.num_envs * config.n_steps
    config = replace(config, teacher_steps=size, total_steps=rollouts * size, eval_every=rollouts * size)

    def timed() -> float:
        times: list[float] = []  # where PPO begins, and where it ends
        with TemporaryDirectory() as folder:
            train(
                config,
                Path(folder) / "run",
                progress_bar=False,
                say=lambda text: None,
                evaluated=lambda steps, metrics: times.append(time.process_time()),
            )
        return rollouts * size / (times[-1] - times[0])

    return timed


def learn_by_values(games: int) -> Callable[[], float]:
    try:
        from solitaire_training.values import self_play_of, train_values
    except ModuleNotFoundError:  # up to revision 9f01c1a
        return learn_by_imitation(2)
    from solitaire_training.config import ValuesConfig, load_settings
    from solitaire_training.recipes import find_recipe

    changes = {"games": games, "eval_every": games, "eval_deals": 1}
    config = load_settings(ValuesConfig, find_recipe("pyramid-values-win", "train-values"), changes)
    kind: Any = type(self_play_of(config))
    plays, learned = kind.play, [0]

    def counted(*arguments: Any) -> Any:
        lessons = plays(*arguments)
        learned[0] += len(lessons.targets)
        return lessons

    def timed() -> float:
        learned[0], started = 0, time.process_time()
        with TemporaryDirectory() as folder, patch.object(kind, "play", counted):
            train_values(config, Path(folder), say=lambda text: None)
        return learned[0] / (time.process_time() - started)

    return timed


TASKS: dict[str, tuple[str, Callable[[], Callable[[], float]]]] = {
    "best": ("deals a second by `best`, Pyramid to win", lambda: play_best(1_000)),
    "solve": ("deals a second, La tour infernale in one pass", lambda: solve_tour(50)),
    "ppo": ("steps a second of PPO, recipe pyramid-win", lambda: learn_pyramid("ppo")),
    "learn": ("decisions a second of self-play, the same", lambda: learn_pyramid("self-play")),
}


def serve(task: str) -> None:
    """Measures once for each line that it reads; the first measurement warms up."""
    timed = TASKS[task][1]()
    timed()
    print("ready", flush=True)
    for _ in sys.stdin:
        print(json.dumps(timed()), flush=True)


def start(checkout: Path, task: str) -> Any:
    path = os.pathsep.join(str(checkout / package) for package in PACKAGES)
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(__file__).resolve()), "--serve", task]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=checkout
    )
    assert process.stdout
    process.stdout.readline()
    return process


def measure(task: str, roots: tuple[Path, Path], turns: int) -> list[float]:
    processes = [start(root.resolve(), task) for root in roots]
    found: list[list[float]] = [[], []]
    for _ in range(turns):
        for process, figures in zip(processes, found, strict=True):
            process.stdin.write("\n")
            process.stdin.flush()
            figures.append(json.loads(process.stdout.readline()))
    for process in processes:
        process.stdin.close()
        process.wait()
    return list(map(median, found))


def figure(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, nargs="?", help="root of the other checkout")
    parser.add_argument("--turns", type=int, default=5, help="measurements of each (default 5)")
    parser.add_argument("--only", choices=TASKS, help="measure only this")
    parser.add_argument("--serve", choices=TASKS, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        serve(chosen.serve)
        return
    if chosen.other is None or not (chosen.other / "envs").is_dir():
        parser.error(f"expected the root of another checkout, got {chosen.other}")
    print(f"{'medians':46}{'other':>10}{'this':>10}{'ratio':>8}")
    for task in [chosen.only] if chosen.only else TASKS:
        other, this = measure(task, (chosen.other, HERE), chosen.turns)
        print(f"{TASKS[task][0]:46}{figure(other):>10}{figure(this):>10}{this / other:8.2f}", flush=True)


if __name__ == "__main__":
    main()
