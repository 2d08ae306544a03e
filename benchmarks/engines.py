"""Steps a second of random legal play: this project's engine and its peers, side by side in one process on one core.

    make bench          # all of it, with results/benchmark.json and .png
    .venv-bench/bin/python benchmarks/engines.py --only "solitaire-rl" --seconds 0.5

Every contender plays random actions (legal ones, where it tells which are) and starts a new game when one ends; both
are counted in its time. Contenders take turns, so a busy moment of the machine meets all of them; medians are
told, with the lowest and highest run. `engine` rows of this project leave the choosing of actions out, `play` rows do
not.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

Steps = Iterator[tuple[int, int, float]]
"""Yields again and again (steps done, games ended, seconds that count)."""
OURS = ("pyramid", "tour_infernale", "klondike")
BATCHES = (1, 64, 1_024, 16_384)


def ours(game_name: str, num_envs: int, *, with_choice: bool) -> Steps:
    from solitaire_agents.uniform import choose_uniformly
    from solitaire_envs.catalogue import find_game
    from solitaire_envs.engine import Engine

    game = find_game(game_name)
    engine = Engine(game, game.options(), num_envs, autoreset="same_step")
    engine.seed(range(num_envs))
    engine.deal_next()
    random = np.array([1], dtype=np.uint64)
    while True:
        started = time.perf_counter()
        actions = choose_uniformly(engine.buffers.action_masks, random)
        chosen = time.perf_counter()
        buffers = engine.step(actions)
        spent = time.perf_counter() - (started if with_choice else chosen)
        yield num_envs, int((buffers.terminated | buffers.truncated).sum()), spent


def our_gym() -> Steps:
    import gymnasium

    import solitaire_envs  # noqa: F401

    env = gymnasium.make("solitaire/Pyramid-v0", disable_env_checker=True)
    _, info = env.reset(seed=0)
    while True:
        started = time.perf_counter()
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        if over := terminated or truncated:
            _, info = env.reset()
        yield 1, over, time.perf_counter() - started


def by_gymnasium(env_id: str) -> Steps:
    """Gymnasium's own measure of a single environment: actions of the whole space, legal or not."""
    import gymnasium
    from gymnasium.utils.performance import benchmark_step

    import solitaire_envs  # noqa: F401

    env, seconds = gymnasium.make(env_id, disable_env_checker=True), 0.2
    while True:
        yield round(benchmark_step(env, target_duration=seconds, seed=0) * seconds), 0, seconds


def open_spiel(*, with_observation: bool) -> Steps:
    import pyspiel

    game, rng = pyspiel.load_game("solitaire"), np.random.default_rng(0)
    while True:
        state, steps, started = game.new_initial_state(), 0, time.perf_counter()
        while not state.is_terminal():
            actions = state.legal_actions()
            if not state.is_chance_node():
                steps += 1
                if with_observation:
                    state.observation_tensor()
            state.apply_action(actions[int(rng.random() * len(actions))])
        yield steps, 1, time.perf_counter() - started


def rlcard(name: str) -> Steps:
    import rlcard as library

    env, rng = library.make(name), np.random.default_rng(0)
    while True:
        started = time.perf_counter()
        state, _ = env.reset()
        steps = 0
        while not env.is_over():
            actions = list(state["legal_actions"])
            state, _ = env.step(actions[int(rng.random() * len(actions))])
            steps += 1
        yield steps, 1, time.perf_counter() - started


def gymnasium_blackjack() -> Steps:
    import gymnasium

    env = gymnasium.make("Blackjack-v1", disable_env_checker=True)
    env.reset(seed=0)
    while True:
        started = time.perf_counter()
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if over := terminated or truncated:
            env.reset()
        yield 1, over, time.perf_counter() - started


def envpool_blackjack(num_envs: int) -> Steps:
    import envpool

    env = envpool.make("Blackjack-v1", env_type="gymnasium", num_envs=num_envs, num_threads=1)
    env.reset()
    rng = np.random.default_rng(0)
    while True:
        actions = rng.integers(2, size=num_envs)
        started = time.perf_counter()
        _, _, terminated, truncated, _ = env.step(actions)
        spent = time.perf_counter() - started
        yield num_envs, int((terminated | truncated).sum()), spent


def pgx_2048(num_envs: int) -> Steps:
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("2048")

    def one(state: Any, key: Any) -> Any:
        chosen, played = jax.random.split(key)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        return auto_reset(env.step, env.init)(state, jax.random.categorical(chosen, logits), played)

    step = jax.jit(jax.vmap(one))
    return _jax_steps(
        jax, jax.jit(jax.vmap(env.init)), step, num_envs, lambda state: state.terminated | state.truncated
    )


def jumanji_2048(num_envs: int) -> Steps:
    import jax
    import jumanji
    from jumanji.wrappers import AutoResetWrapper

    env = AutoResetWrapper(jumanji.make("Game2048-v1"))

    def one(carried: Any, key: Any) -> Any:
        state, timestep = carried
        logits = jax.numpy.where(timestep.observation.action_mask, 0.0, -jax.numpy.inf)
        return env.step(state, jax.random.categorical(key, logits))

    step = jax.jit(jax.vmap(one))
    return _jax_steps(jax, jax.jit(jax.vmap(env.reset)), step, num_envs, lambda carried: carried[1].last())


def _jax_steps(
    jax: Any, init: Callable[..., Any], step: Callable[..., Any], num_envs: int, over: Callable[[Any], Any]
) -> Steps:
    key = jax.random.PRNGKey(0)
    state = init(jax.random.split(key, num_envs))
    while True:
        key, own = jax.random.split(key)
        keys = jax.random.split(own, num_envs)
        jax.block_until_ready(keys)
        started = time.perf_counter()
        state = step(state, keys)
        jax.block_until_ready(state)
        spent = time.perf_counter() - started
        yield num_envs, int(over(state).sum()), spent


def contenders() -> dict[str, Callable[[], Steps]]:
    """Returns every contender by its name; the libraries are imported only when one is built."""
    table: dict[str, Callable[[], Steps]] = {}
    for game in OURS:
        for batch in BATCHES:
            table[f"solitaire-rl {game} engine x{batch}"] = lambda g=game, b=batch: ours(g, b, with_choice=False)
        table[f"solitaire-rl {game} play x1024"] = lambda g=game: ours(g, 1_024, with_choice=True)
    table["solitaire-rl gym.make Pyramid"] = our_gym
    for env_id in ("solitaire/Pyramid-v0", "Blackjack-v1"):
        table[f"Gymnasium's benchmark_step, {env_id.removeprefix('solitaire/')}"] = lambda i=env_id: by_gymnasium(i)
    table["OpenSpiel solitaire"] = lambda: open_spiel(with_observation=False)
    table["OpenSpiel solitaire, observations"] = lambda: open_spiel(with_observation=True)
    table["RLCard blackjack"] = lambda: rlcard("blackjack")
    table["RLCard gin-rummy"] = lambda: rlcard("gin-rummy")
    table["Gymnasium Blackjack-v1"] = gymnasium_blackjack
    table["EnvPool Blackjack-v1 x1024"] = lambda: envpool_blackjack(1_024)
    table["Pgx 2048 x1024"] = lambda: pgx_2048(1_024)
    table["Jumanji Game2048-v1 x1024"] = lambda: jumanji_2048(1_024)
    return table


Rates = dict[str, dict[str, list[float]]]
"""Contender -> 'steps' or 'games' -> so many a second, run by run."""


def measure(steps: Steps, seconds: float) -> tuple[float, float]:
    """Returns the steps and the games a second over at least so many seconds."""
    done, games, spent = 0, 0, 0.0
    while spent < seconds:
        count, ended, time_taken = next(steps)
        done, games, spent = done + count, games + ended, spent + time_taken
    return done / spent, games / spent


def run(names: dict[str, Callable[[], Steps]], seconds: float, runs: int) -> Rates:
    """Measures the contenders in turn, `runs` times each, after a warm-up."""
    ready: dict[str, Steps] = {}
    for name, build in names.items():
        try:
            ready[name] = build()
            measure(ready[name], min(seconds, 0.2))
        except ImportError as error:
            print(f"left out: {name} ({error})", file=sys.stderr)
            ready.pop(name, None)
    rates: Rates = {name: {"steps": [], "games": []} for name in ready}
    for _ in range(runs):
        for name, contender in ready.items():
            steps, games = measure(contender, seconds)
            rates[name]["steps"].append(steps)
            rates[name]["games"].append(games)
    return rates


def print_table(rates: Rates) -> None:
    bases = [f"solitaire-rl {game} engine x1024" for game in OURS]
    names = ("steps/s", "lowest", "highest", "games/s", "Pyramid is", "Tour is", "Klondike is")
    heads = "".join(f"{name:>12}" for name in names)
    print(f"{'contender':42}{heads}")
    for name, each in rates.items():
        steps = each["steps"]
        ratios = "".join(f"{_median(rates, base) / statistics.median(steps):>11,.1f}x" for base in bases)
        games = statistics.median(each["games"])
        print(f"{name:42}{statistics.median(steps):12,.0f}{min(steps):12,.0f}{max(steps):12,.0f}{games:12,.0f}{ratios}")
    print("'Pyramid is' and so on: steps per second of the game's engine at 1,024 environments over the contender's")


def _median(rates: Rates, name: str) -> float:
    return statistics.median(rates[name]["steps"]) if name in rates else float("nan")


def write_json(path: Path, rates: Rates) -> None:
    versions = {}
    for package in ("solitaire-rl", "open_spiel", "rlcard", "gymnasium", "envpool", "pgx", "jumanji", "jax", "numba"):
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    machine = {"processor": platform.processor() or platform.machine(), "python": platform.python_version()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": machine, "versions": versions, "per_second": rates}, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="contenders whose name has this in it")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of one run (default 1)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default 5)")
    parser.add_argument("--json", type=Path, help="write all rates here")
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core for all
    chosen = {name: build for name, build in contenders().items() if arguments.only in name}
    rates = run(chosen, arguments.seconds, arguments.runs)
    print_table(rates)
    if arguments.json:
        write_json(arguments.json, rates)


if __name__ == "__main__":
    main()
