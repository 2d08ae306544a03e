"""Steps per second and compile time of declared games, in CPU time: `python benchmarks/piles.py [NAME ...]`.

Each step writes observation and mask of 1,024 games. With `--twins`, declared twins of Klondike and La tour infernale
and the hand-written games are measured in turns.
"""

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from tests.envs.twins import KLONDIKE, TOUR

from solitaire_agents.uniform import choose_uniformly
from solitaire_envs import klondike, tour_infernale
from solitaire_envs.catalogue import GAMES
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game
from solitaire_envs.piles.games import DECLARED

BATCH, STEPS = 1_024, 100


def rates(game: Game, options: dict[str, Any]) -> Iterator[float]:
    """Yields the seconds until the first step is done, then steps a second, again and again."""
    start = time.process_time()
    engine = Engine(game, game.options(**options), BATCH, autoreset="same_step")
    engine.seed(range(BATCH))
    engine.deal_next()
    random = np.array([1], np.uint64)
    engine.step(engine.buffers.action_masks.argmax(axis=1))
    yield time.process_time() - start
    while True:
        spent = 0.0
        for _ in range(STEPS):
            actions = choose_uniformly(engine.buffers.action_masks, random)
            start = time.process_time()
            engine.step(actions)
            spent += time.process_time() - start
        yield BATCH * STEPS / spent


def main() -> None:
    """Prints a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="names of games (default: all that are declared)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--twins", action="store_true")
    chosen = parser.parse_args()
    if chosen.twins:
        for options in ({}, {"draw": 1}):
            _compare(klondike.GAME, KLONDIKE, options, chosen.rounds)
        for options in ({}, {"passes": 1}):
            _compare(tour_infernale.GAME, TOUR, options, chosen.rounds)
        return
    for name in chosen.names or [declared.name for declared in DECLARED]:
        measured = rates(GAMES[name], {})
        seconds, *found = (next(measured) for _ in range(chosen.rounds + 1))
        print(f"{name:22} first step {seconds:5.1f} s, {np.median(found) / 1e6:5.2f} million steps/s", flush=True)


def _compare(own: Game, twin: Game, options: dict[str, Any], rounds: int) -> None:
    both = rates(own, options), rates(twin, options)
    next(both[0]), next(both[1])
    found = np.array([[next(one) for one in both] for _ in range(rounds)])
    ratio = np.median(found[:, 1] / found[:, 0])
    best = found.max(axis=0) / 1e6
    print(f"{own.name} {options}: {best[0]:.2f} million steps/s, declared {best[1]:.2f}, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
