"""How the engine scales: environments side by side, threads, memory; where its time goes; deals of one's choice.

    .venv/bin/python benchmarks/scaling.py
    .venv/bin/python benchmarks/scaling.py --only deals

Random legal play; the choosing of actions is not counted, new deals are. Medians of several runs; wants a quiet
machine.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from solitaire_agents.uniform import choose_uniformly
from solitaire_envs.catalogue import choose_deals, find_entry, find_game
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options
from solitaire_envs.jit import entry_point

GAMES = ("pyramid", "tour_infernale", "klondike")
SIZES = (1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536)
SHARES_AT = 1_024
LABELLED = ("solitaire/Pyramid-v0", "solitaire/TourInfernaleOnePass-v0")
CHOSEN: dict[str, dict[str, Any]] = {
    "all training deals": {},
    "deals=1000": {"deals": 1_000},
    "winnable=True": {"winnable": True},
    "difficulty=(0, 0.25)": {"difficulty": (0, 0.25)},
}
"""Ways to choose the deals to draw from."""


def new_engine(game: Game, num_envs: int, threads: int = 1, options: Options | None = None) -> Engine:
    engine = Engine(game, options or game.options(), num_envs, autoreset="same_step", threads=threads)
    engine.seed(range(num_envs))
    engine.deal_next()
    return engine


def step_rate(engine: Engine, seconds: float) -> float:
    """Returns steps a second."""
    random, spent, steps = np.array([1], dtype=np.uint64), 0.0, 0
    while spent < seconds:
        actions = choose_uniformly(engine.buffers.action_masks, random)
        started = time.perf_counter()
        engine.step(actions)
        spent += time.perf_counter() - started
        steps += engine.num_envs
    return steps / spent


def median_of(measure: Callable[[], float], runs: int) -> float:
    return statistics.median(measure() for _ in range(runs))


def bytes_of_environment(engine: Engine) -> int:
    """Returns the memory of one environment: its state and its rows of the buffers."""
    return (engine.states.nbytes + sum(buffer.nbytes for buffer in engine.buffers)) // engine.num_envs


def print_scaling(seconds: float, runs: int) -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = [count for count in (1, 2, 4, 8) if count <= cores]
    print("million steps per second, by environments and threads")
    print(
        f"{'game':16}{'environments':>14}{'memory':>12}" + "".join(f"{f'{count} thread(s)':>14}" for count in threads)
    )
    for name in GAMES:
        for size in SIZES:
            engines = [new_engine(find_game(name), size, count) for count in threads]
            rates = [median_of(lambda engine=engine: step_rate(engine, seconds), runs) for engine in engines]
            memory = f"{bytes_of_environment(engines[0]) * size / 2**20:,.2f} MB"
            print(f"{name:16}{size:14,}{memory:>12}" + "".join(f"{rate / 1e6:14.2f}" for rate in rates))


def print_chosen_deals(seconds: float, runs: int) -> None:
    print(f"\nsteps a second by the deals drawn from, as a ratio to all training deals, {SHARES_AT:,} environments")
    print(f"{'environment':36}" + "".join(f"{way:>22}" for way in CHOSEN))
    for env_id in LABELLED:
        entry = find_entry(env_id)
        options = entry.game.options(**entry.preset)
        engines = [new_engine(entry.game, SHARES_AT, options=options) for _ in CHOSEN]
        for engine, way in zip(engines, CHOSEN.values(), strict=True):
            engine.set_deals(choose_deals(entry.game, options, **way))
            step_rate(engine, seconds)  # the first games had other deals
        turns = [[step_rate(engine, seconds) for engine in engines] for _ in range(runs)]
        medians = [statistics.median(rates) for rates in zip(*turns, strict=True)]
        print(f"{env_id:36}" + "".join(f"{rate / medians[0]:22.2f}" for rate in medians))


def part_loops(game: Game) -> dict[str, Callable[..., None]]:
    """Builds loops over all environments that do one part of a step only."""
    deal, legal, observe = game.deal, game.legal, game.observe

    @entry_point(f"benchmark {game.name}")
    def all_deal(all_rules: Any, states: Any, masks: Any, observations: Any) -> None:
        for i in range(len(states)):
            deal(all_rules[0], states[i])

    @entry_point(f"benchmark {game.name}")
    def all_legal(all_rules: Any, states: Any, masks: Any, observations: Any) -> None:
        for i in range(len(states)):
            legal(all_rules[0], states[i], masks[i])

    @entry_point(f"benchmark {game.name}")
    def all_observe(all_rules: Any, states: Any, masks: Any, observations: Any) -> None:
        for i in range(len(states)):
            observe(all_rules[0], states[i], observations[i])

    return {"deal": all_deal, "legal": all_legal, "observe": all_observe}


def print_shares(seconds: float, runs: int) -> None:
    print(f"\nwhere the time of a step goes, {SHARES_AT:,} environments, nanoseconds")
    print(
        f"{'game':16}{'step':>8}{'deal':>8}{'legal':>8}{'apply, rest':>13}{'observe':>9}{'written':>10}{'at most':>24}"
    )
    bandwidth = write_bandwidth()
    for name in GAMES:
        engine = new_engine(find_game(name), SHARES_AT)
        step_rate(engine, seconds)  # into the middle of games
        moves = moves_per_deal(engine)
        whole = 1e9 / median_of(lambda e=engine: step_rate(e, seconds), runs)
        loops = part_loops(engine.game)
        parts = {
            part: median_of(lambda e=engine, f=loop: loop_time(e, f, seconds), runs) for part, loop in loops.items()
        }
        parts["deal"] /= moves
        rest = whole - sum(parts.values())
        written = engine.buffers.observations[0].nbytes + engine.buffers.action_masks[0].nbytes + 8 + 3
        limit = f"{bandwidth / written / 1e6:,.0f} million steps/s"
        print(
            f"{name:16}{whole:8.1f}{parts['deal']:8.1f}{parts['legal']:8.1f}{rest:13.1f}{parts['observe']:9.1f}"
            f"{written:>8} B{limit:>24}"
        )
    print(f"'at most': the bytes written, at the {bandwidth / 1e9:.1f} GB/s at which one core fills memory.")
    print("'deal': the layout of a deal over the moves of a game; its shuffle is in the rest.")


def moves_per_deal(engine: Engine) -> float:
    """Returns the mean length of random games."""
    random, ended, steps = np.array([7], dtype=np.uint64), 0, 0
    while ended < 4 * engine.num_envs:
        buffers = engine.step(choose_uniformly(engine.buffers.action_masks, random))
        ended += int((buffers.terminated | buffers.truncated).sum())
        steps += engine.num_envs
    return steps / ended


def loop_time(engine: Engine, loop: Callable[..., None], seconds: float) -> float:
    """Returns nanoseconds an environment; works on copies, so the games stay as they are."""
    states = engine._states.copy()
    masks, observations = engine.buffers.action_masks.copy(), engine.buffers.observations.copy()
    loop(engine._rules, states, masks, observations)
    started, rounds = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        loop(engine._rules, states, masks, observations)
        rounds += 1
    return (time.perf_counter() - started) / rounds / len(states) * 1e9


def write_bandwidth() -> float:
    """Returns bytes a second at which one core fills 256 MB."""
    block = np.zeros(2**25, dtype=np.int64)
    times = []
    for value in range(7):
        started = time.perf_counter()
        block.fill(value)
        times.append(time.perf_counter() - started)
    return block.nbytes / statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.3, help="length of one run (default 0.3)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default 5)")
    parts = {"sizes": print_scaling, "shares": print_shares, "deals": print_chosen_deals}
    parser.add_argument("--only", choices=parts, help="one part (default all)")
    arguments = parser.parse_args()
    for name, print_part in parts.items():
        if arguments.only in (None, name):
            print_part(arguments.seconds, arguments.runs)


if __name__ == "__main__":
    main()
