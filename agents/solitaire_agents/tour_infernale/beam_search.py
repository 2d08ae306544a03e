"""A beam search for lines of few moves in La tour infernale, with the stock open and redeals without limit.

The search goes from draw to draw and keeps the most promising positions, the *beam*. It makes all positions that can be
reached from these with one more draw, plays each on to its end by a rollout of the rule `swift`, and keeps those whose
games end in the fewest moves. The line found is not proved to be shortest; a wider beam comes nearer to it.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.bits import count
from solitaire_agents.tour_infernale.bitboard import DRAWN, REDEALT, heights_of, raised, talon_of
from solitaire_agents.tour_infernale.position import Position
from solitaire_agents.tour_infernale.rollouts import gather, new_tableau, next_of, roll_out
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import entry_point, kernel

REACH: Final = 256
"""Positions to look at from each of the beam, between two draws."""

# Columns of a state, which is a position after a draw: its bitboard; how much of the order is drawn; moves so far; the
# row of its parent in the beam before; moves in all when it is played on.
_A, _B, _C, _DRAWN, _MOVES, _PARENT, _TOTAL = range(7)
_HASH = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93], np.uint64)


def beam_search(start: Position, *, width: int) -> list[int]:
    """Finds a line of few moves from a position to its win.

    Args:
        start: The position; every card of it must be known.
        width: Positions in the beam, at most.

    Returns:
        The line, as actions of the environment.
    """
    tableau, order = new_tableau(piles=len(start.tableau), swift=True, size=REACH), start.order()
    made = np.zeros((width * REACH, _TOTAL + 1), np.int64)
    layers = [np.array([[*start.bitboard(), len(start.waste), 0, 0, 0]], np.int64)]
    _rate(tableau, order, layers[0])
    best = 0
    while True:
        least = int(layers[best][0, _TOTAL])
        states = _distinct(made[: _make(tableau, order, layers[-1], least, made)])
        if not len(states):
            break
        _rate(tableau, order, states)
        layers.append(states[np.argsort(states[:, _TOTAL], kind="stable")[:width]])
        if layers[-1][0, _TOTAL] < least:
            best = len(layers) - 1
    return start.spell_out(_line(tableau, order, layers[: best + 1]))


def _distinct(states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keeps one of equal positions, one with the fewest moves."""
    states = states[np.argsort(states[:, _MOVES], kind="stable")]
    keys = (states[:, : _DRAWN + 1].astype(np.uint64) * _HASH).sum(axis=1)
    return states[np.sort(np.unique(keys, return_index=True)[1])]


def _line(tableau: Any, order: NDArray[np.int64], layers: Sequence[NDArray[np.int64]]) -> list[int]:
    """Returns the moves to the first state of the last layer, and from there to the end."""
    moves: list[int] = []
    at = 0
    for before, after in zip(layers[-2::-1], layers[:0:-1], strict=True):
        state = after[at]
        at = int(state[_PARENT])
        moves[:0] = _moves_between(tableau, order, before[at], state)
    last = layers[-1][:1]
    _rate(tableau, order, last)
    return [*moves, *tableau.line[last[0, _MOVES] : last[0, _TOTAL]].tolist()]


def _moves_between(
    tableau: Any, order: NDArray[np.int64], before: NDArray[np.int64], after: NDArray[np.int64]
) -> list[int]:
    """Returns the moves from one state to a later one."""
    moves, at = [], _find(tableau, order, before, after)
    while at:
        moves.append(int(tableau.queue[at, 4]))
        at = int(tableau.queue[at, 3])
    draw = [REDEALT] if after[_DRAWN] <= before[_DRAWN] else []
    return [*reversed(moves), *draw, DRAWN]


@kernel
def _reach(tableau: Any, order: Any, state: Any) -> int:
    """Fills the queue with the positions within reach of a state; returns their number."""
    return int(gather(tableau, order, state[_DRAWN], state[_A], state[_B], state[_C]))


@entry_point("tour beam")
def _make(tableau: Any, order: Any, beam: Any, least: int, made: Any) -> int:
    """Writes the states that follow those of the beam and may end in fewer moves than `least`; returns their number."""
    queue, n = tableau.queue, 0
    for parent in range(len(beam)):
        for k in range(_reach(tableau, order, beam[parent])):
            a, b, c = queue[k, 0], queue[k, 1], queue[k, 2]
            left, drawn, moves = talon_of(a, b, c), beam[parent, _DRAWN], beam[parent, _MOVES] + queue[k, 5]
            if left == 0:  # nothing to draw and nothing to decide: a rollout ends this in the fewest moves
                continue
            drawn = next_of(order, drawn, left)
            if drawn == len(order):
                moves, drawn = moves + 1, next_of(order, 0, left)
            if moves + 1 + NUM_CARDS - count(raised(heights_of(a, b))) < least:
                state = made[n]
                state[_A], state[_B], state[_C], state[_DRAWN], state[_MOVES] = a, b, c, drawn + 1, moves + 1
                state[_PARENT] = parent
                n += 1
    return n


@entry_point("tour beam")
def _rate(tableau: Any, order: Any, states: Any) -> None:
    """Plays the game of each state on to its end; the line holds the moves of the last."""
    for state in states:
        a, b, c, drawn, moves = state[_A], state[_B], state[_C], state[_DRAWN], state[_MOVES]
        state[_TOTAL] = roll_out(tableau, order, drawn, a, b, c, moves, True)[0]


@entry_point("tour beam")
def _find(tableau: Any, order: Any, before: Any, after: Any) -> int:
    """Returns the row in the queue of the position from which a draw leads to the later state."""
    found = _reach(tableau, order, before)
    for k in range(found):
        if tableau.queue[k, 0] == after[_A] and tableau.queue[k, 1] == after[_B] and tableau.queue[k, 2] == after[_C]:
            return k
    return found
