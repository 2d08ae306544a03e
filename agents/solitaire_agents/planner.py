"""A fair planner for Pyramid: it samples what is hidden, and asks the exact solver.

From pass 2 on, and as soon as the last stock card lies face up, a player with perfect memory knows everything: from
there the planner plays like the oracle. Before that only the order of the undrawn stock is hidden. The planner samples
orders of the unseen cards, and values each legal move by what the solver could make of the position after it if the
order were known from then on (hindsight optimisation), averaged over the orders; all moves meet the same orders, so
that luck cancels out. A node limit keeps moves short: what it leaves open counts as a share of a success.
"""

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_agents.oracle import PyramidOracle, to_position
from solitaire_agents.solver.pyramid import ALL, LINE_SIZE, PYRAMID, Position, new_memory, settle_all
from solitaire_envs import pyramid
from solitaire_envs.cards import random_below
from solitaire_envs.jit import entry_point

Int64s: TypeAlias = NDArray[np.int64]

_STOCK, _WASTE, _UNSEEN = (pyramid.GAME.slots(name) for name in ("stock", "waste", "unseen"))
_KINGS: Final = slice(pyramid.REDEAL + 1, pyramid.REDEAL + 1 + pyramid.PYRAMID_SIZE + 2)
"""The discards of a king."""

# What a sampled order is worth, by the solver's status: solved, impossible, or unknown, which counts as about the share
# of such that more nodes would solve. For the score, what it gains to clear the pyramid by pass 1, 2, 3 rather than a
# pass later, or not at all: there the bonus comes with about eight cards fewer left. Pass 1 counts less than its bonus,
# as foresight of the order, which only the imagined player has, is most of what clears the pyramid then.
_WIN: Final = np.array([1, 0, 0.7])
_CLEARED: Final = np.array([[1, 0, 0.33], [1, 0, 0.33], [1, 0, 0.7]])
_GAINS: Final = (5, 15, 28)


class PatientAgent(Agent):
    """Draws through what is hidden, discarding kings only, and then plays exactly: the floor for a fair planner.

    Args:
        options: Those of the games to play; their objective and goal say what the agent plays for.
    """

    name = "patient"

    def __init__(self, options: pyramid.PyramidOptions) -> None:
        self._options = options
        self._oracle = PyramidOracle(options)

    def seed(self, seed: int) -> None:
        """Forgets what is planned for games under way."""
        self._oracle.seed(seed)

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row.

        Raises:
            ValueError: An observation does not tell what a player with perfect memory knows.
        """
        actions = np.empty(len(observations), np.int64)
        hidden = (observations[:, _STOCK] == pyramid.UNSEEN).sum(axis=1)
        if (hidden != observations[:, _UNSEEN].sum(axis=1)).any():
            raise ValueError("expected observations of what a player with perfect memory knows (information='memory')")
        known = hidden == 0
        actions[known] = self._oracle.act(observations[known], action_masks[known])
        for i in np.flatnonzero(~known):
            actions[i] = self._choose(observations[i], action_masks[i])
        return actions

    def _choose(self, observation: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
        """Returns an action where cards are hidden: of a legal king, or else of `_choose_without_kings`."""
        if mask[_KINGS].any():  # discarded at once: never a loss
            return _KINGS.start + int(mask[_KINGS].argmax())
        actions = np.flatnonzero(mask)
        return int(actions[0]) if len(actions) == 1 else self._choose_without_kings(observation, actions)

    def _choose_without_kings(self, observation: NDArray[np.int16], actions: Int64s) -> int:
        return pyramid.DRAW  # there are hidden cards, so there is a stock


class PlannerAgent(PatientAgent):
    """Samples the hidden order of the stock, and plays exactly once nothing is hidden any more.

    A decision depends on the seed and on the observation alone, for the random numbers are drawn from these: not on
    hidden cards, nor on the other games of the batch.

    Args:
        options: Those of the games to play; their objective and goal say what the planner plays for.
        samples: Orders of the hidden cards by which each move is judged.
        max_nodes: States that the solver may look at for each move and order.
        seed: Seed of the random numbers.
    """

    name = "planner"

    def __init__(
        self, options: pyramid.PyramidOptions, *, samples: int = 16, max_nodes: int = 300, seed: int = 0
    ) -> None:
        if samples < 1 or max_nodes < 1:
            raise ValueError(f"expected at least one sample and one node, got {samples} and {max_nodes}")
        super().__init__(options)
        self._samples, self._max_nodes = samples, max_nodes
        self._memory = new_memory(16)
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restarts the agent's random numbers."""
        super().seed(seed)
        self._seed = np.uint64(seed)

    def _choose_without_kings(self, observation: NDArray[np.int16], actions: Int64s) -> int:
        deck, position = _imagine(observation)
        orders = np.tile(np.array(deck, np.int64), (self._samples, 1))
        first = pyramid.PYRAMID_SIZE + position.pointer + 1  # behind the stock's top
        _shuffle(orders, first, first + int(observation[_UNSEEN].sum()), self._seed, observation)
        after = np.array([_after(position, action) for action in actions.tolist()])
        worth = self._judge(orders.repeat(len(actions), axis=0), np.tile(after, (self._samples, 1)))
        means = worth.reshape(self._samples, len(actions)).mean(axis=0).round(9)
        return int(actions[means.argmax()])  # the first of equals: to draw keeps most open

    def _judge(self, decks: Int64s, positions: Int64s) -> NDArray[np.float64]:
        """Returns what positions are worth, were the order of the stock known."""
        passes, goal = self._options.passes, self._options.goal
        if self._options.objective == "win" or goal == "pyramid":
            return _WIN[self._settle(decks, positions, PYRAMID if goal == "pyramid" else ALL, passes)]
        # The score is rated by the pass in which the pyramid can be cleared: most of it, and quickly found out.
        worth, chance = np.zeros(len(decks)), np.ones(len(decks))
        for last in range(min(passes, len(_GAINS)), 0, -1):
            asked = np.flatnonzero(chance)
            statuses = self._settle(decks[asked], positions[asked], PYRAMID, last)
            chance[asked] = np.minimum(chance[asked], _CLEARED[last - 1, statuses])
            worth += chance * _GAINS[last - 1]
        return worth

    def _settle(self, decks: Int64s, positions: Int64s, goal: int, passes: int) -> Int64s:
        """Returns the status of each position."""
        results, line = np.empty((len(decks), 3), np.int64), np.empty(LINE_SIZE, np.int64)
        game, table, pairs = self._memory.game, self._memory.table, self._options.stock_waste_pairs
        settle_all(decks, positions, goal, passes, pairs, self._max_nodes, game, table, line, results)
        return results[:, 0]


def _imagine(observation: NDArray[np.int16]) -> tuple[list[int], Position]:
    """Returns a deck and a position that look like this in pass 1, the unseen cards in order of rank."""
    ranks = observation.tolist()
    waste, stock = ([rank for rank in ranks[pile] if rank] for pile in (_WASTE, _STOCK))
    unseen = [rank for rank, count in enumerate(ranks[_UNSEEN], start=1) for _ in range(count)]
    return to_position(ranks[: pyramid.PYRAMID_SIZE], waste, stock[:1] + unseen, 1)


def _after(position: Position, action: int) -> tuple[int, int, int, int, int]:
    """Returns the fields of the position after a draw or a discard; `_imagine` left no gaps in stock and waste."""
    cards, stock, pointer = position.pyramid, position.stock, position.pointer
    for place in (pyramid.FIRST[action], pyramid.SECOND[action]):
        if place == pyramid.STOCK:
            stock &= ~(1 << pointer)
        elif place == pyramid.WASTE:
            stock &= ~(1 << pointer - 1)
        elif place != pyramid.NO_PLACE:
            cards &= ~(1 << int(place))
    return cards, stock, pointer + (action == pyramid.DRAW), 1, 0


@entry_point("planner")
def _shuffle(orders: Any, first: int, end: int, seed: Any, observation: Any) -> None:
    """Shuffles the hidden cards of each deck, int64[S, 52].

    Args:
        orders: The decks. Behind their hidden cards come those that are gone, which stay where they are.
        first: Index of the first hidden card.
        end: Index behind the last.
        seed: Seed of the random numbers, together with the observation.
        observation: One row.
    """
    random = seed
    for slot in range(len(observation)):
        random = random * np.uint64(0x100000001B3) + np.uint64(observation[slot])
    for sample in range(len(orders)):
        for i in range(end - 1, first, -1):
            random, j = random_below(random, i - first + 1)
            orders[sample, i], orders[sample, first + j] = orders[sample, first + j], orders[sample, i]
