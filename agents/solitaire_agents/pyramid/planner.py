"""A fair planner for Pyramid: it samples the order of the hidden cards, and asks the exact solver.

From pass 2 on, and as soon as at most one card is hidden, a player with perfect memory knows everything. Then the
planner plays like the oracle. Before that, only the order of the undrawn stock is hidden. The planner samples such
orders. It rates each legal move by the position after it, as if the order were known from then on (hindsight
optimisation), and takes the mean over the orders. All moves are rated in the same orders, so that luck cancels out.
After some of the orders it drops the moves that are behind.
A node limit keeps the time per move short: a position that the solver leaves open counts as a share of a success.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import (
    ActionMasks,
    Actions,
    ActionValues,
    Agent,
    Observations,
    judge_by,
)
from solitaire_agents.oracle import Oracle
from solitaire_agents.pyramid.hindsight import NOTHING_CLEARED, Points, Ratings, States, imagine_all, rate_moves
from solitaire_agents.pyramid.solver.api import new_memory
from solitaire_agents.pyramid.solving import PyramidSolver
from solitaire_agents.pyramid.uses import USES
from solitaire_agents.trained_agent import AS_LEARNED, Calibration
from solitaire_agents.uses import check_uses
from solitaire_envs import pyramid, pyramid_table
from solitaire_envs.cards import NUM_CARDS, random_state, shuffle_cards
from solitaire_envs.jit import entry_point

_STOCK, _UNSEEN = (pyramid.GAME.slots(name) for name in ("stock", "unseen"))
_KINGS: Final = slice(pyramid_table.REDEAL + 1, pyramid_table.REDEAL + 1 + pyramid_table.PYRAMID_SIZE + 2)
"""The discards of a king."""


class Effort(NamedTuple):
    """How much the planner looks at for each decision."""

    samples: int
    """Most orders of the hidden cards to sample."""
    max_nodes: int
    """States that the solver may look at for each move and order."""
    rounds: tuple[float, ...]
    """Shares of the orders after which it drops moves."""


EFFORTS: Final = {
    "win": Effort(8, 150, (1 / 4, 1 / 2, 1.0)),
    "score": Effort(128, 1_000, (1 / 8, 1 / 4, 1 / 2, 1.0)),
}
"""Objective -> effort. For a win, moves that are behind by more than 1 / sqrt(orders so far) are dropped."""
LITTLE: Final = 0.2
"""For the score, a move is dropped if it is unlikely to be better than the best by more than this, in points."""
ERRORS: Final = 2.0
"""Gains more than this many standard errors above the mean are unlikely."""
DOUBT: Final = 2.0
"""A difference in points that is added to those sampled, since a few orders that agree prove little."""
POINTS: Final = Points(cleared=(8, 8, 28), all_gone=3)
"""The points under the objective 'score', fitted by least squares to decisions that were played on to the end."""
IN_FEWER_PASSES: Final = {
    1: Points(cleared=(54,), all_gone=0, cards=True),
    2: Points(cleared=(8, 43), all_gone=3),
}
"""The same for one pass and for two, where the last pass has its own bonus. In one pass few pyramids can be cleared, so
each card that is left counts."""
CALIBRATIONS: Final = {1: Calibration(0.85, -1.75), 2: Calibration(0.62, -0.5)}
"""Passes -> the calibration of the share of orders that hindsight wins. Fitted to games of training deals, for both
goals (`experiments/calibration.py --option objective=win --option passes=2 --agents planner --fit`, without these)."""


class PatientAgent(Agent):
    """Draws through pass 1, then plays exactly.

    It discards kings on the way. A fair planner should do better.

    Args:
        options: The options of the games to play; their objective and goal say what the agent plays for.

    Raises:
        ValueError: It does not play under the options.
    """

    name = "patient"
    searches = True

    def __init__(self, options: pyramid.PyramidOptions) -> None:
        check_uses(USES[self.name], options, self.name)
        self._options = options
        self._oracle = Oracle(pyramid.GAME, options, PyramidSolver(), fair=True)

    def seed(self, seed: int) -> None:
        """Forgets all plans."""
        self._oracle.seed(seed)

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row.

        Raises:
            ValueError: An observation does not show all that a player with perfect memory knows.
        """
        hidden = (observations[:, _STOCK] == pyramid_table.UNSEEN).sum(axis=1)
        if (hidden != observations[:, _UNSEEN].sum(axis=1)).any():
            raise ValueError("expected observations of what a player with perfect memory knows (information='memory')")
        known = hidden <= 1
        actions = np.full(len(observations), pyramid_table.DRAW)  # where cards are hidden, there is a stock
        actions[known] = self._oracle.act(observations[known], action_masks[known])
        for i in np.flatnonzero(~known & (action_masks.sum(axis=1) > 1)):
            kings, mask = action_masks[i, _KINGS], action_masks[i]
            # A king loses nothing, unless clearing the pyramid ends the game: then a point or two.
            actions[i] = _KINGS.start + kings.argmax() if kings.any() else self._choose(observations[i], mask)
        return actions

    def _choose(self, observation: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
        """Returns an action where cards are hidden and no king can be discarded."""
        return pyramid_table.DRAW


class PlannerAgent(PatientAgent):
    """Samples the hidden order of the stock, and plays exactly once all is known.

    A decision depends only on the seed and the observation, which give the random numbers. It does not depend on hidden
    cards or on the other games of the batch.

    Args:
        options: The options of the games to play; their objective and goal say what the planner plays for.
        samples: As in `Effort`; None: the value of `EFFORTS`.
        max_nodes: As in `Effort`; None: the value of `EFFORTS`.
        seed: Seed of the random numbers.

    Raises:
        ValueError: It does not play under the options, or there are no samples or no states.
    """

    name = "planner"

    def __init__(
        self,
        options: pyramid.PyramidOptions,
        *,
        samples: int | None = None,
        max_nodes: int | None = None,
        seed: int = 0,
    ) -> None:
        effort = EFFORTS[options.objective]
        samples = effort.samples if samples is None else samples
        max_nodes = effort.max_nodes if max_nodes is None else max_nodes
        if samples < 1 or max_nodes < 1:
            raise ValueError(f"expected at least one sample and one node, got {samples} and {max_nodes}")
        super().__init__(options)
        self._samples, self._max_nodes, self._rounds = samples, max_nodes, effort.rounds
        self._points = IN_FEWER_PASSES.get(options.passes, POINTS)
        self._memory = new_memory(16)
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restarts the agent's random numbers."""
        super().seed(seed)
        self._seed = np.uint64(seed)

    def _choose(self, observation: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
        states = self._imagine(observation, self._samples)
        ratings, kept, first = np.zeros((self._samples, len(mask))), mask, 0
        for share in self._rounds:
            end = max(first + 1, round(self._samples * share))
            ratings[first:end] = self._rate(states[first:end], kept, self._max_nodes)
            best, kept = self._promising(ratings[:end], kept)
            first = end
            if kept.sum() == 1 or end >= self._samples:
                break
        return best

    def _promising(self, ratings: NDArray[np.float64], mask: NDArray[np.bool_]) -> tuple[int, NDArray[np.bool_]]:
        """Returns the best move, and the moves to rate in further orders, the best among them.

        Args:
            ratings: [samples, A], the value of each move in each order.
            mask: [A], the moves that were rated in all these orders.
        """
        orders, means = len(ratings), np.where(mask, ratings.mean(axis=0).round(6), -np.inf)
        best = int(means.argmax())  # of equals the first: drawing leaves the most moves open
        if self._options.objective == "win":
            return best, means >= means[best] - orders**-0.5
        gains = (ratings - ratings[:, [best]]) * self._points.most
        errors = np.sqrt((gains.var(axis=0) * orders + DOUBT**2) / (orders * (orders + 1)))
        kept = mask & (gains.mean(axis=0) + ERRORS * errors > LITTLE)
        kept[best] = True
        return best, kept

    def _imagine(self, observation: NDArray[np.int16], samples: int) -> States:
        """Returns states with sampled orders of the hidden cards, [samples]."""
        hidden = np.repeat(np.arange(1, pyramid_table.KING + 1), observation[_UNSEEN])
        orders = np.tile(hidden, (samples, 1))
        _shuffle(orders, self._seed, observation)
        return imagine_all(self._options, np.tile(observation, (samples, 1)), orders)

    def _rate(self, states: States, mask: NDArray[np.bool_], max_nodes: int) -> Ratings:
        """Returns the value of each action in each state, [samples, A]."""
        masks = np.tile(mask, (len(states), 1))
        return rate_moves(states, masks, self._options, max_nodes, self._memory, self._points)

    def action_values(
        self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_], samples: int
    ) -> ActionValues:
        """Returns the hindsight value of each move: the probability of a win, or the expected score scaled to 0..1.

        With one or two passes hindsight wins far more than a player can. `CALIBRATIONS` corrects these probabilities.
        Once all is known, all the effort goes into one order.
        """
        nodes = self._max_nodes
        if observation[_UNSEEN].sum() <= 1:
            samples, nodes = 1, nodes * samples
        ratings = self._rate(self._imagine(observation, samples), action_mask, nodes)
        if self._options.objective == "win":
            judged = judge_by("chance", ratings, action_mask)
            calibration = CALIBRATIONS.get(self._options.passes, AS_LEARNED)
            return ActionValues("chance", *calibration.correct_values(judged.means, judged.errors))
        best = int(pyramid.CLEARED_BONUS[0])
        scores = NOTHING_CLEARED + ratings * (best - NOTHING_CLEARED)
        return judge_by("return", (scores + NUM_CARDS) / (best + NUM_CARDS), action_mask)


@entry_point("planner")
def _shuffle(orders: Any, seed: Any, observation: Any) -> None:
    """Shuffles the hidden cards of each order, int64 [S, H], by the seed and the observation, one row."""
    random = random_state(seed, observation)
    for sample in range(len(orders)):
        random = shuffle_cards(orders[sample], orders.shape[1], random)
