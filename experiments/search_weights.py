"""Weights of the solver of declared games: sets that settle what others leave open, by random search.

python experiments/search_weights.py --games StreetsAndAlleys,BeleagueredCastle,Stronghold,BakersDozen --minutes 8

The deals are validation deals that the solver's own weights leave open. The first set is the one that settles most of
them, the second the one that settles most of the rest, and so on. Of equally good sets the fastest is taken. The first
tries are random, then one of the best changes in up to three weights.
"""

import argparse
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.catalogue import kit_of
from solitaire_agents.kit import Status, dealt
from solitaire_agents.piles.search import Memory, new_memory
from solitaire_agents.piles.solver import PileSolver
from solitaire_agents.piles.weights import SearchWeights
from solitaire_envs.catalogue import find_entry
from solitaire_evaluation.deals import NUM_VALIDATION_DEALS, VALIDATION_DEALS

WEIGHTS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
RANDOM, BEST = 25, 4
"""Number of random tries; number of the best sets that are changed."""
SEARCHED = 100_000
"""Most positions for a deal until it counts as open."""


class Case(NamedTuple):
    """An open deal."""

    solver: PileSolver
    memory: Memory
    state: np.void

    def nodes(self, weights: SearchWeights, limit: int) -> int:
        """Returns the positions that settle the deal under some weights; the limit if it stays open."""
        self.solver.weights = (weights,)
        found = self.solver.solve(self.state, self.solver.game.options(), max_nodes=limit, memory=self.memory)
        return limit if found.status is Status.UNKNOWN else found.nodes


class Try(NamedTuple):
    """How a set of weights does: the lower, the better."""

    open: int
    nodes: int
    weights: SearchWeights


def open_deals(env: str, number: int) -> list[Case]:
    """Returns the first validation deals of a game that its weights leave open."""
    game = find_entry(env).game
    solver, cases = kit_of(game).solver(), list[Case]()
    memory = new_memory(solver.shape, SEARCHED)
    for deal in range(VALIDATION_DEALS, VALIDATION_DEALS + NUM_VALIDATION_DEALS):
        state = dealt(game, game.options(), np.array([deal], np.uint64))[0]
        found = solver.solve(state, game.options(), max_nodes=SEARCHED, memory=memory)
        if found.status is Status.UNKNOWN:
            cases.append(Case(solver, memory, state.copy()))
        if len(cases) == number:
            break
    return cases


def changed(weights: SearchWeights, rng: np.random.Generator) -> SearchWeights:
    """Changes up to three of the weights."""
    values = list(weights)
    for place in rng.choice(len(values), rng.integers(1, 4), replace=False):
        step = WEIGHTS.index(values[place]) + int(rng.integers(-3, 4))
        values[place] = WEIGHTS[min(max(step, 0), len(WEIGHTS) - 1)]
    return SearchWeights(*values)


def best_set(cases: list[Case], limit: int, seconds: float, rng: np.random.Generator) -> tuple[Try, NDArray[np.bool_]]:
    """Returns the best set that is found in some seconds of CPU time, and which of the deals it settles."""
    started, tries, settled = time.process_time(), list[Try](), dict[SearchWeights, NDArray[np.bool_]]()
    while time.process_time() - started < seconds:
        is_random = len(settled) < RANDOM
        drawn = SearchWeights(*(int(each) for each in rng.choice(WEIGHTS, len(SearchWeights._fields))))
        weights = drawn if is_random else changed(tries[rng.integers(min(BEST, len(tries)))].weights, rng)
        if weights not in settled:
            nodes = np.array([case.nodes(weights, limit) for case in cases])
            settled[weights] = nodes < limit
            tries = sorted([*tries, Try(int((nodes == limit).sum()), int(nodes.sum()), weights)])
    return tries[0], settled[tries[0].weights]


def main() -> None:
    """Prints the sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", required=True, help="titles in ids, with commas between")
    parser.add_argument("--deals", type=int, default=14, help="open deals of each game")
    parser.add_argument("--positions", type=int, default=50_000, help="most positions of a deal under a set")
    parser.add_argument("--sets", type=int, default=4)
    parser.add_argument("--minutes", type=float, default=8.0, help="of CPU time, for all sets")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    rng = np.random.default_rng(chosen.seed)
    cases = [case for name in chosen.games.split(",") for case in open_deals(f"solitaire/{name}-v0", chosen.deals)]
    for _ in range(chosen.sets):
        found, is_settled = best_set(cases, chosen.positions, 60 * chosen.minutes / chosen.sets, rng)
        print(f"settles {is_settled.sum()} of {len(cases)} deals: {found.weights}", flush=True)
        cases = [case for case, settled in zip(cases, is_settled, strict=True) if not settled]


if __name__ == "__main__":
    main()
