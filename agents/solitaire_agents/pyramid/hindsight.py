"""Hindsight ratings of Pyramid: the value of each move if the order of the stock is known from then on.

The planner averages these ratings over the orders that it samples. The bounds of trained agents are the same ratings
without search.
"""

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Observations
from solitaire_agents.line import rules_record
from solitaire_agents.pyramid.solver.api import Memory
from solitaire_agents.pyramid.solver.moves import settle_moves
from solitaire_agents.pyramid.solver.search import LINE_SIZE
from solitaire_agents.pyramid.solver.settle import ALL, PYRAMID, SCORE, settle_all
from solitaire_envs.jit import as_records, entry_point
from solitaire_envs.pyramid import CLEARED_BONUS, GAME, STATE, PyramidOptions, apply, imagine

Ratings = NDArray[np.float32]
"""[B, A] of 0..1, 0 for illegal actions."""
States: TypeAlias = NDArray[np.void]
"""Records of `pyramid.STATE`."""

# The value of a position by the solver's `Status`: 0 impossible, 1 solved, -1, which is the last, unknown. For unknown
# it is about the share of such positions that more nodes would solve.
_WIN: Final = np.array([0, 1, 0.7])
_ALL_GONE: Final = np.array([0, 1, 0.5])
_CLEARED: Final = np.array([[0, 1, 0.33], [0, 1, 0.33], [0, 1, 0.7]])  # by pass 1, 2, 3
_CARDS_FEWER: Final = 8
"""About this many cards fewer are left if the pyramid is cleared."""
NOTHING_CLEARED: Final = -12
"""About the mean score of a game of several passes whose pyramid is not cleared."""
_STATES_FOR_CARDS: Final = 50
"""States that the solver may look at to find how few cards can be left."""


class Points(NamedTuple):
    """The points for each result that can still be reached, under the objective 'score'."""

    cleared: tuple[int, ...]
    """For clearing the pyramid by pass 1, 2, ... instead of one pass later, or (the last) instead of never."""
    all_gone: int
    """For discarding all cards by the end of pass 2."""
    cards: bool = False
    """Whether each card left costs a point if the pyramid cannot be cleared."""

    @property
    def most(self) -> int:
        """The points of a rating of 1."""
        return sum(self.cleared) + self.all_gone + _CARDS_FEWER


TAUGHT: Final = Points(
    cleared=(5, int(CLEARED_BONUS[1] - CLEARED_BONUS[2]), int(CLEARED_BONUS[2]) + _CARDS_FEWER), all_gone=0
)
"""The points when the order is known. Pass 1 gets less than its bonus: fair players rarely clear the pyramid then."""


def imagine_all(options: PyramidOptions, observations: Observations, cards: NDArray[np.int64]) -> States:
    """Returns a state that shows each observation, int16 [n, O], with its hidden cards, int64 [n, H]."""
    states = as_records(np.zeros(len(observations), STATE))
    _imagine_all(rules_record(GAME, options), observations, cards, states)
    return states


@entry_point("pyramid hindsight")
def _imagine_all(rules: Any, observations: Any, cards: Any, states: Any) -> None:
    for i in range(len(states)):
        imagine(rules[0], observations[i], cards[i], states[i])


def rate_moves(
    states: States,
    action_masks: ActionMasks,
    options: PyramidOptions,
    max_nodes: int,
    memory: Memory,
    points: Points = TAUGHT,
) -> Ratings:
    """Returns the value of the position after each legal action, 0..1, and 0 for illegal ones.

    With `Points.cards` the value is below 0 if more than 12 cards are left.

    Args:
        states: The positions, [B]; all cards are known.
        action_masks: Their legal actions.
        options: Their objective and goal say what is played for.
        max_nodes: States that the solver may look at for each move.
        memory: The solver's storage.
        points: The points under the objective 'score'.
    """
    rows, actions = np.nonzero(action_masks)
    after = states[rows]
    _play_all(rules_record(GAME, options), actions, after)
    after["cleared_in_pass"] = 0  # the bonus is among the points for clearing
    ratings: Ratings = np.zeros(action_masks.shape, np.float32)
    ratings[rows, actions] = _rate(_Moves(states, rows, after), options, max_nodes, memory, points)
    return ratings


@entry_point("pyramid hindsight")
def _play_all(rules: Any, actions: Any, states: Any) -> None:
    for i in range(len(actions)):
        apply(rules[0], states[i], actions[i])


class _Moves(NamedTuple):
    """The legal moves of some positions."""

    states: States
    rows: NDArray[np.intp]
    """[M] the position of each move, in rising order."""
    after: States
    """[M] the state after it."""


def _rate(
    moves: _Moves, options: PyramidOptions, max_nodes: int, memory: Memory, points: Points
) -> NDArray[np.float64]:
    """Returns the value of each move, [M]."""
    rules, everything = options.to_rules(), np.ones(len(moves.rows), np.bool_)
    if options.objective == "win":
        goal = PYRAMID if options.goal == "pyramid" else ALL
        return _WIN[_settle(moves, everything, goal, rules, max_nodes, memory)]
    ratings = _rate_clearing(moves, rules, max_nodes, memory, points)
    cleared = np.flatnonzero(moves.after["pyramid"] == 0)  # only single cards are left to gain
    ratings[cleared] += np.maximum(0, _CARDS_FEWER + _scores(moves, cleared, rules, max_nodes, memory))
    if points.cards:
        lost = np.flatnonzero((moves.after["pyramid"] != 0) & (ratings == 0))
        ratings[lost] = _scores(moves, lost, rules, min(max_nodes, _STATES_FOR_CARDS), memory) - NOTHING_CLEARED
    return ratings / points.most


def _scores(
    moves: _Moves, asked: NDArray[np.intp], rules: NDArray[np.void], max_nodes: int, memory: Memory
) -> NDArray[np.int64]:
    """Returns the best score found from the positions after some of the moves."""
    results, line = np.empty((len(asked), 3), np.int64), np.empty(LINE_SIZE, np.int64)
    settle_all(moves.after[asked], SCORE, rules, max_nodes, memory, line, results)
    return results[:, 1]


def _rate_clearing(
    moves: _Moves, rules: NDArray[np.void], max_nodes: int, memory: Memory, points: Points
) -> NDArray[np.float64]:
    """Returns the points for clearing the pyramid after each move, [M]: most of the score, and quick to find out."""
    passes, now = min(int(rules["passes"][0]), len(points.cleared)), moves.after["current_pass"]
    fewer = rules.copy()
    ratings, chance, gone = np.zeros(len(now)), np.ones(len(now)), np.zeros(len(now))
    if points.all_gone and passes >= 2:
        asked = now <= 2
        fewer["passes"] = 2
        gone[asked] = _ALL_GONE[_settle(moves, asked, ALL, fewer, max(1, max_nodes // 4), memory)]
    for last in range(passes, 0, -1):
        chance[now > last] = 0
        asked = (chance > 0) & ((gone < 1) | (last < 2))  # if all cards can go by pass 2, so can the pyramid
        fewer["passes"] = last
        found = _settle(moves, asked, PYRAMID, fewer, max_nodes, memory)
        chance[asked] = np.minimum(chance[asked], _CLEARED[last - 1, found])
        ratings += chance * points.cleared[last - 1]
        if last == 2:
            ratings += np.minimum(gone, chance) * points.all_gone
    return ratings


def _settle(
    moves: _Moves,
    asked: NDArray[np.bool_],
    goal: int,
    rules: NDArray[np.void],
    max_nodes: int,
    memory: Memory,
) -> NDArray[np.int64]:
    """Returns the solver's status for each of the moves `asked`."""
    rows, ends = np.unique(moves.rows[asked], return_index=True)
    ends, statuses = np.append(ends[1:], asked.sum()), np.empty(asked.sum(), np.int64)
    states, after = moves.states[rows], moves.after[asked]
    settle_moves(states, ends, after, goal, rules, max_nodes, memory, statuses)
    return statuses
