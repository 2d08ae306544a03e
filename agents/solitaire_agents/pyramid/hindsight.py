"""Pyramid by hindsight: what each move is worth if the order of the stock is known from then on.

The planner takes the mean of these ratings over orders that it samples. The bounds of trained agents are the same
ratings without search.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks
from solitaire_agents.pyramid.position import Decks, Positions, play_all
from solitaire_agents.pyramid.solver.api import Memory
from solitaire_agents.pyramid.solver.moves import settle_moves
from solitaire_agents.pyramid.solver.search import LINE_SIZE
from solitaire_agents.pyramid.solver.settle import ALL, PYRAMID, SCORE, settle_all
from solitaire_envs.pyramid import CLEARED_BONUS, PyramidOptions

Ratings = NDArray[np.float32]
"""[B, A] of 0..1, 0 for actions that are not legal."""

# What a position is worth by the solver's status: solved, impossible, or unknown, which counts as about the share of
# such positions that more nodes would solve.
_WIN: Final = np.array([1, 0, 0.7])
_ALL_GONE: Final = np.array([1, 0, 0.5])
_CLEARED: Final = np.array([[1, 0, 0.33], [1, 0, 0.33], [1, 0, 0.7]])  # by pass 1, 2, 3
_CARDS_FEWER: Final = 8
"""So many cards fewer are left, about, where the pyramid is cleared."""
NOTHING: Final = -12
"""The score, about, of a game of several passes whose pyramid is not cleared."""
_STATES_FOR_CARDS: Final = 50
"""States that the solver may look at to find how few cards can be left."""


class Points(NamedTuple):
    """How much what can still be reached counts where the score is played for, in points."""

    cleared: tuple[int, ...]
    """The pyramid cleared by pass 1, 2, ... rather than a pass later, or not at all."""
    all_gone: int
    """No card left after pass 2."""
    cards: bool = False
    """Whether each card left counts a point where the pyramid cannot be cleared."""

    @property
    def most(self) -> int:
        """What a rating of 1 is worth."""
        return sum(self.cleared) + self.all_gone + _CARDS_FEWER


TAUGHT: Final = Points(
    cleared=(5, int(CLEARED_BONUS[1] - CLEARED_BONUS[2]), int(CLEARED_BONUS[2]) + _CARDS_FEWER), all_gone=0
)
"""For one order. Pass 1 counts less than its bonus: only who knows the order clears the pyramid so early."""


def rate_moves(
    decks: Decks,
    positions: Positions,
    action_masks: ActionMasks,
    options: PyramidOptions,
    max_nodes: int,
    memory: Memory,
    points: Points = TAUGHT,
) -> Ratings:
    """Returns what the position after each legal action is worth, and 0 for the others.

    That is 0..1; where `Points.cards` counts, it is below 0 if more than 12 cards are left.

    Args:
        decks: The decks.
        positions: As of `imagine`.
        action_masks: Their legal actions.
        options: They say what is played for.
        max_nodes: States that the solver may look at for each.
        memory: Its storage.
        points: What counts for how much, where the score is played for.
    """
    rows, actions = np.nonzero(action_masks)
    after = positions[rows]
    play_all(actions, after)
    ratings: Ratings = np.zeros(action_masks.shape, np.float32)
    ratings[rows, actions] = _rate(_Moves(decks, positions, rows, after), options, max_nodes, memory, points)
    return ratings


class _Moves(NamedTuple):
    """The legal moves of some positions."""

    decks: Decks
    positions: Positions
    rows: NDArray[np.intp]
    """[M] the position of each move, in rising order."""
    after: Positions
    """[M, 5] the position after it."""


def _rate(
    moves: _Moves, options: PyramidOptions, max_nodes: int, memory: Memory, points: Points
) -> NDArray[np.float64]:
    """Returns what each move is worth, [M]."""
    pairs, everything = options.stock_waste_pairs, np.ones(len(moves.rows), np.bool_)
    if options.objective == "win":
        goal = PYRAMID if options.goal == "pyramid" else ALL
        return _WIN[_settle(moves, everything, goal, options.passes, pairs, max_nodes, memory)]
    worth = _rate_clearing(moves, options, max_nodes, memory, points)
    cleared = np.flatnonzero(moves.after[:, 0] == 0)  # then single cards are left to gain
    worth[cleared] += np.maximum(0, _CARDS_FEWER + _scores(moves, cleared, options, max_nodes, memory))
    if points.cards:
        lost = np.flatnonzero((moves.after[:, 0] != 0) & (worth == 0))
        worth[lost] = _scores(moves, lost, options, min(max_nodes, _STATES_FOR_CARDS), memory) - NOTHING
    return worth / points.most


def _scores(
    moves: _Moves, asked: NDArray[np.intp], options: PyramidOptions, max_nodes: int, memory: Memory
) -> NDArray[np.int64]:
    """Returns the best score found from the positions after some of the moves."""
    results, line = np.empty((len(asked), 3), np.int64), np.empty(LINE_SIZE, np.int64)
    decks, after, pairs = moves.decks[moves.rows[asked]], moves.after[asked], options.stock_waste_pairs
    settle_all(decks, after, SCORE, options.passes, pairs, max_nodes, memory.questions, memory.table, line, results)
    return results[:, 1]


def _rate_clearing(
    moves: _Moves, options: PyramidOptions, max_nodes: int, memory: Memory, points: Points
) -> NDArray[np.float64]:
    """Returns what can be cleared after each move in points, [M]: most of the score, and quickly found out."""
    passes, pairs, now = min(options.passes, len(points.cleared)), options.stock_waste_pairs, moves.after[:, 3]
    worth, chance, gone = np.zeros(len(now)), np.ones(len(now)), np.zeros(len(now))
    if points.all_gone and passes >= 2:
        asked = now <= 2
        gone[asked] = _ALL_GONE[_settle(moves, asked, ALL, 2, pairs, max(1, max_nodes // 4), memory)]
    for last in range(passes, 0, -1):
        chance[now > last] = 0
        asked = (chance > 0) & ((gone < 1) | (last < 2))  # with all gone by pass 2, the pyramid is
        found = _settle(moves, asked, PYRAMID, last, pairs, max_nodes, memory)
        chance[asked] = np.minimum(chance[asked], _CLEARED[last - 1, found])
        worth += chance * points.cleared[last - 1]
        if last == 2:
            worth += np.minimum(gone, chance) * points.all_gone
    return worth


def _settle(
    moves: _Moves,
    asked: NDArray[np.bool_],
    goal: int,
    passes: int,
    stock_waste_pairs: bool,
    max_nodes: int,
    memory: Memory,
) -> NDArray[np.int64]:
    """Returns the statuses of the moves that are asked for."""
    rows, ends = np.unique(moves.rows[asked], return_index=True)
    ends, statuses = np.append(ends[1:], asked.sum()), np.empty(asked.sum(), np.int64)
    decks, positions, after = moves.decks[rows], moves.positions[rows], moves.after[asked]
    storage = memory.questions, memory.table
    settle_moves(decks, positions, ends, after, goal, passes, stock_waste_pairs, max_nodes, *storage, statuses)
    return statuses
