"""The planner for Pyramid's score: more orders, spent where much is at stake.

A move that is unlikely to be better than the best by more than a little meets no further orders.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.pyramid.planner import PlannerAgent
from solitaire_envs import pyramid

LITTLE: Final = 0.2
"""A move is dropped if it is unlikely to be better than the best by more than this, in points."""
ERRORS: Final = 2.0
"""What is farther than so many standard errors above a mean is unlikely."""
DOUBT: Final = 2.0
"""One difference of so many points is assumed besides those sampled, as a few orders that are alike prove little."""


class ScorePlanner(PlannerAgent):
    """Judges moves by hindsight, over orders of the hidden cards; plays exactly once all is known.

    As with the planner that it is made of, a decision depends on the seed and on the observation alone.

    Args:
        options: Those of the games to play. The score has to be their objective, and all cards their goal.
        samples: Orders of the hidden cards sampled for each decision, at most.
        max_nodes: States that the solver may look at for each move and order.
        seed: Seed of the random numbers.

    Raises:
        ValueError: The solver does not know the rules, or there are no samples or no states.
    """

    _rounds = (1 / 8, 1 / 4, 1 / 2, 1.0)

    def __init__(
        self, options: pyramid.PyramidOptions, *, samples: int = 128, max_nodes: int = 1_000, seed: int = 0
    ) -> None:
        super().__init__(options, samples=samples, max_nodes=max_nodes, seed=seed)

    def _promising(self, ratings: NDArray[np.float64], mask: NDArray[np.bool_]) -> tuple[int, NDArray[np.bool_]]:
        """Returns the best move, and which may be better than that by more than `LITTLE`, besides it."""
        orders, means = len(ratings), np.where(mask, ratings.mean(axis=0).round(6), -np.inf)
        best = int(means.argmax())  # the first of equals: to draw keeps most open
        gains = (ratings - ratings[:, [best]]) * self._points.most
        errors = np.sqrt((gains.var(axis=0) * orders + DOUBT**2) / (orders * (orders + 1)))
        kept = mask & (gains.mean(axis=0) + ERRORS * errors > LITTLE)
        kept[best] = True
        return best, kept
