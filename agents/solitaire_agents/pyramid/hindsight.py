"""Pyramid by hindsight: what each move is worth if the order of the stock is known from then on.

The planner takes the mean of these ratings over orders that it samples. In training, a network learns the rating by the
true order. All orders that look the same to it are mixed, so it comes to predict their mean.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations, Ratings
from solitaire_agents.pyramid.position import Decks, Positions, expect_open, imagine, play_all
from solitaire_agents.pyramid.solver.api import Memory, check_options, new_memory
from solitaire_agents.pyramid.solver.search import LINE_SIZE
from solitaire_agents.pyramid.solver.settle import ALL, PYRAMID, SCORE, settle_all
from solitaire_envs.pyramid import CLEARED_BONUS, DRAW, REDEAL, PyramidOptions

# What a position is worth by the solver's status: solved, impossible, or unknown, which counts as about the share of
# such positions that more nodes would solve.
_WIN: Final = np.array([1, 0, 0.7])
_CLEARED: Final = np.array([[1, 0, 0.33], [1, 0, 0.33], [1, 0, 0.7]])  # by pass 1, 2, 3
# For the score: what it gains to clear the pyramid by pass 1, 2, 3 rather than a pass later, or not at all. There the
# bonus comes with about eight cards fewer left. Pass 1 counts less than its bonus: then it is mostly foresight of the
# order that clears the pyramid, and only the imagined player has it.
_CARDS_FEWER: Final = 8
_GAINS: Final = (5, int(CLEARED_BONUS[1] - CLEARED_BONUS[2]), int(CLEARED_BONUS[2]) + _CARDS_FEWER)

PATIENCE: Final = {"win": 0.85, "score": 0.95}
"""Objective -> what a draw or redeal counts for, where a discard that is worth as much counts for 1."""


class HindsightAgent(Agent):
    """Takes the move of most worth by hindsight, and so is not fair: a teacher more than a player.

    Of moves about equally good it prefers a discard to a draw, as those who put off everything have to see far ahead.

    Args:
        options: Those of the games to play; their objective and goal say what the agent plays for.
        max_nodes: States that the solver may look at for each move.

    Raises:
        ValueError: The solver does not know the rules.
    """

    name = "hindsight"
    fair = False
    memoryless = True

    def __init__(self, options: PyramidOptions, *, max_nodes: int = 1_000) -> None:
        check_options(options)
        self._options, self._max_nodes = options, max_nodes
        self._memory = new_memory(8)

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row."""
        ratings = np.where(action_masks, self.rate(observations, action_masks), -1)
        actions: Actions = ratings.argmax(axis=1).astype(np.int64)
        return actions

    def rate(self, observations: Observations, action_masks: ActionMasks) -> Ratings:
        """Returns what each action is worth, 0..1. All are 0 where there is nothing left to gain.

        Raises:
            ValueError: The observations do not show the order of the stock.
        """
        expect_open(observations)
        decks, positions = imagine(observations)
        ratings = rate_moves(decks, positions, action_masks, self._options, self._max_nodes, self._memory)
        ratings[:, [DRAW, REDEAL]] *= PATIENCE[self._options.objective]
        return ratings


def rate_moves(
    decks: Decks,
    positions: Positions,
    action_masks: ActionMasks,
    options: PyramidOptions,
    max_nodes: int,
    memory: Memory,
) -> Ratings:
    """Returns what the position after each legal action is worth, 0..1, and 0 for the others.

    Args:
        decks: The decks.
        positions: As of `imagine`.
        action_masks: Their legal actions.
        options: They say what is played for.
        max_nodes: States that the solver may look at for each.
        memory: Its storage.
    """
    rows, actions = np.nonzero(action_masks)
    after = positions[rows]
    play_all(actions, after)
    ratings: Ratings = np.zeros(action_masks.shape, np.float32)
    ratings[rows, actions] = _rate(decks[rows], after, options, max_nodes, memory)
    return ratings


def _rate(
    decks: Decks, positions: Positions, options: PyramidOptions, max_nodes: int, memory: Memory
) -> NDArray[np.float64]:
    def settle(asked: NDArray[np.int64], goal: int, passes: int) -> NDArray[np.int64]:
        results, line = np.empty((len(asked), 3), np.int64), np.empty(LINE_SIZE, np.int64)
        questions, table, pairs = memory.questions, memory.table, options.stock_waste_pairs
        settle_all(decks[asked], positions[asked], goal, passes, pairs, max_nodes, questions, table, line, results)
        return results

    everything = np.arange(len(decks))
    if options.objective == "win" or options.goal == "pyramid":
        return _WIN[settle(everything, PYRAMID if options.goal == "pyramid" else ALL, options.passes)[:, 0]]
    # The score is rated by the pass in which the pyramid can be cleared: most of it, and quickly found out.
    worth, chance = np.zeros(len(decks)), np.ones(len(decks))
    for last in range(min(options.passes, len(_GAINS)), 0, -1):
        asked = np.flatnonzero((chance > 0) & (positions[:, 3] <= last))
        chance[asked] = np.minimum(chance[asked], _CLEARED[last - 1, settle(asked, PYRAMID, last)[:, 0]])
        worth[asked] += chance[asked] * _GAINS[last - 1]
    cleared = np.flatnonzero(positions[:, 0] == 0)  # then single cards are left to gain
    worth[cleared] += np.maximum(0, _CARDS_FEWER + settle(cleared, SCORE, options.passes)[:, 1])
    return worth / (sum(_GAINS) + _CARDS_FEWER)
