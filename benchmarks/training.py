"""Throughput of training with the recipes, and where PPO's time goes.

    .venv/bin/python benchmarks/training.py

Times updates of each stage of a recipe, from an untrained network: of self-play, then of MaskablePPO. The first update,
which compiles, is left out. CPU time counts, of all threads together, so that figures are per second and core. A
decision is a choice that is learned from; forced moves come on top.
"""

import argparse
import time
from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import replace
from typing import Any

from stable_baselines3.common.logger import Logger

from solitaire_agents.catalogue import choices_of
from solitaire_agents.network import Network, random_network
from solitaire_training.config import TrainConfig, load_config
from solitaire_training.ppo import PPO, check_device
from solitaire_training.recipes import find_recipe, recipe_names
from solitaire_training.self_play import SelfPlay


class Stopwatch:
    """Adds up the time that calls take by a clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.seconds, self._clock = 0.0, clock

    def over(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **keywords: Any) -> Any:
            started = self._clock()
            try:
                return call(*arguments, **keywords)
            finally:
                self.seconds += self._clock() - started

        return timed


def start_of(config: TrainConfig) -> Network:
    """Returns the untrained network of a run."""
    inputs = choices_of(config.game(), config.game_options()).inputs
    return random_network(inputs, (config.width, config.second_width), config.seed)


def measure_self_play(config: TrainConfig, updates: int, clock: Callable[[], float]) -> str:
    """Times updates of self-play: the next games, and what is learned from those before."""
    learner = SelfPlay(replace(config, games=(2 + updates) * config.games_per_update), start_of(config))
    learner.update()
    wait(learner._under_way)
    games, decisions, started = learner.progress, learner.decisions, clock()
    for _ in range(updates):
        learner.update()
    wait(learner._under_way)
    seconds = clock() - started
    games, decisions = learner.progress - games, learner.decisions - decisions
    return f"{decisions / seconds:10,.0f}  {games / seconds:,.0f} games"


def measure_ppo(config: TrainConfig, updates: int, clock: Callable[[], float]) -> str:
    """Times updates of PPO: a rollout, and what is learned from it."""
    learner = PPO(config, start_of(config), Logger(None, []))
    model: Any = learner.model
    env, rollout, update = Stopwatch(clock), Stopwatch(clock), Stopwatch(clock)
    model.env.step, model.env.env_method = env.over(model.env.step), env.over(model.env.env_method)
    model.collect_rollouts, model.train = rollout.over(model.collect_rollouts), update.over(model.train)
    learner.update()
    before, env.seconds, rollout.seconds, update.seconds = learner.decisions, 0.0, 0.0, 0.0
    for _ in range(updates):
        learner.update()
    decisions, total = learner.decisions - before, rollout.seconds + update.seconds
    return (
        f"{decisions / total:10,.0f}{decisions / rollout.seconds:12,.0f}{decisions / update.seconds:12,.0f}"
        f"{env.seconds / total:9.1%}{(rollout.seconds - env.seconds) / total:10.1%}{update.seconds / total:9.1%}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ppo-updates", type=int, default=4, help="updates of PPO measured (default 4)")
    parser.add_argument("--updates", type=int, default=10, help="updates of self-play measured (default 10)")
    parser.add_argument("--turns", type=int, default=1, help="times that each is measured (default 1)")
    parser.add_argument("--threads", type=int, default=1, help="of self-play's games, of PPO's arithmetic (default 1)")
    parser.add_argument("--device", default="cpu", help="where PPO's network computes: cpu (default) or cuda")
    parser.add_argument("--width", type=int, help="of the first layer, 8 times the second (default: the recipe's)")
    parser.add_argument("--config", default="", help="what the recipes' names begin with (default: all)")
    parser.add_argument("--wall", action="store_true", help="count wall time: a GPU has none of the processor's")
    arguments = parser.parse_args()
    check_device(arguments.device)
    clock = time.perf_counter if arguments.wall else time.process_time
    chosen = [name for name in recipe_names() if name.startswith(arguments.config)]
    unit = "decisions per second" if arguments.wall else "decisions per second and core"
    print(f"{'':38}{unit:^34}{'share of the time':^28}")
    print(f"{'recipe':28}{'':10}{'all':>10}{'rollouts':>12}{'updates':>12}{'env':>9}{'policy':>10}{'update':>9}")
    for _ in range(arguments.turns):
        for name in chosen:
            changes = {"threads": arguments.threads, "device": arguments.device}
            changes |= {"width": arguments.width, "second_width": arguments.width // 8} if arguments.width else {}
            config = load_config(find_recipe(name), changes)
            if config.games:
                print(f"{name:28}{'self-play':10}{measure_self_play(config, arguments.updates, clock)}", flush=True)
            if config.algorithm == "ppo":
                print(f"{name:28}{'ppo':10}{measure_ppo(config, arguments.ppo_updates, clock)}", flush=True)


if __name__ == "__main__":
    main()
