"""The planner for Pyramid's score: more orders, spent where much is at stake, and a second look at what is close.

A move that is unlikely to be better than the best by more than a little meets no further orders. Moves that are still
close to each other after all orders are rated once more by `foresight`.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.pyramid.foresight import Foresight
from solitaire_agents.pyramid.hindsight import MOST
from solitaire_agents.pyramid.planner import PlannerAgent
from solitaire_envs import pyramid

STAGES: Final = (1 / 8, 1 / 4, 1 / 2, 1.0)
"""Shares of the orders after which moves are dropped."""
LITTLE: Final = 0.2 / MOST
"""A move is dropped if it is unlikely to be better than the best by more than this."""
ERRORS: Final = 2.0
"""What is farther than so many standard errors above a mean is unlikely."""
DOUBT: Final = 2 / MOST
"""A difference of so much is counted in besides those met: a few orders that are alike prove little."""
NEAR: Final = 1.5 / MOST
"""Moves whose means are farther apart are not rated once more."""
BY_FORESIGHT: Final = 2 / 3
"""Share of foresight in what such a move is worth."""


class ScorePlanner(PlannerAgent):
    """Judges each move by hindsight, and those that are close by foresight too; plays exactly once all is known.

    As with the planner that it is made of, a decision depends on the seed and on the observation alone.

    Args:
        options: Those of the games to play. The score has to be their objective, and all cards their goal.
        samples: Orders of the hidden cards sampled for each decision, at most.
        max_nodes: States that the solver may look at for each move and order.
        seed: Seed of the random numbers.

    Raises:
        ValueError: The solver does not know the rules, or there are no samples or no states.
    """

    def __init__(
        self, options: pyramid.PyramidOptions, *, samples: int = 128, max_nodes: int = 300, seed: int = 0
    ) -> None:
        super().__init__(options, samples=samples, max_nodes=max_nodes, seed=seed)
        self._foresight = Foresight(options, self._rate)

    def _choose_without_kings(self, observation: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
        orders, positions = self._imagine(observation, self._samples)
        ratings, kept, end = np.zeros((self._samples, len(mask))), mask.copy(), 0
        for stage in STAGES:
            first, end = end, max(end + 1, round(self._samples * stage))
            ratings[first:end] = self._rate(orders[first:end], positions[first:end], kept)
            best, kept = promising(ratings[:end], kept)
            if kept.sum() == 1 or end >= self._samples:
                break
        means = np.where(kept, ratings[:end].mean(axis=0), -1)
        near = np.flatnonzero(means > means[best] - NEAR)
        if len(near) == 1:
            return best
        foreseen = [self._foresight.rate(orders[:end], positions[:end], observation, int(move)) for move in near]
        worth = (1 - BY_FORESIGHT) * means[near] + BY_FORESIGHT * np.array(foreseen)
        return int(near[worth.round(6).argmax()])  # the first of equals: to draw keeps most open


def promising(ratings: NDArray[np.float64], mask: NDArray[np.bool_]) -> tuple[int, NDArray[np.bool_]]:
    """Returns the best move, and which may be better than that by more than `LITTLE`, besides it.

    Args:
        ratings: [samples, A], what each move is worth in each order.
        mask: [A], the moves that have met all these orders.
    """
    orders, means = len(ratings), np.where(mask, ratings.mean(axis=0).round(6), -np.inf)
    best = int(means.argmax())
    gains = ratings - ratings[:, [best]]
    errors = np.sqrt((gains.var(axis=0) * orders + DOUBT**2) / (orders * (orders + 1)))
    kept = mask & (gains.mean(axis=0) + ERRORS * errors > LITTLE)
    kept[best] = True
    return best, kept
