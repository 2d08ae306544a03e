"""La tour infernale in few moves, with the stock open and redeals without limit: a beam search over playouts.

From draw to draw the search keeps the most promising tables, the *beam*. It makes all the tables that each of them can
reach with one more draw, plays every one on to its end by the rule `swift`, and keeps those whose games end in the
fewest moves. What it finds is no proven optimum; the wider the beam, the nearer it comes.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.tour_infernale.bitboard import DRAWN, REDEALT, heights_of, raised, size_of, talon_of
from solitaire_agents.tour_infernale.rollouts import gather, new_table, next_of, play_on
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import entry_point, kernel

REACH: Final = 256
"""Tables to look at from each of the beam, between two draws."""

# Columns of a state, a table after a draw: its words; how far the order is drawn; moves so far; its parent's place in
# the beam before; moves in all when it is played on.
_A, _B, _C, _DRAWN, _MOVES, _PARENT, _TOTAL = range(7)
_HASH = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93], np.uint64)


def few_moves(words: Sequence[int], order: NDArray[np.int64], drawn: int, *, piles: int, width: int) -> list[int]:
    """Finds a line from a position to its win.

    Args:
        words: Configuration of tableau and foundations.
        order: int64[n]: slots of waste and stock, in the order of drawing.
        drawn: How many of them are in the waste.
        piles: Piles of the tableau.
        width: Tables in the beam, at most.

    Returns:
        Its moves, as in `tour_words`.
    """
    table = new_table(piles=piles, swiftly=True, size=REACH)
    made = np.zeros((width * REACH, _TOTAL + 1), np.int64)
    layers = [np.array([[*words, drawn, 0, 0, 0]], np.int64)]
    _rate(table, order, layers[0])
    best = 0
    while True:
        least = int(layers[best][0, _TOTAL])
        states = _distinct(made[: _make(table, order, layers[-1], least, made)])
        if not len(states):
            break
        _rate(table, order, states)
        layers.append(states[np.argsort(states[:, _TOTAL], kind="stable")[:width]])
        if layers[-1][0, _TOTAL] < least:
            best = len(layers) - 1
    return _line(table, order, layers[: best + 1])


def _distinct(states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keeps one of equal tables, one with the fewest moves."""
    states = states[np.argsort(states[:, _MOVES], kind="stable")]
    keys = (states[:, : _DRAWN + 1].astype(np.uint64) * _HASH).sum(axis=1)
    return states[np.sort(np.unique(keys, return_index=True)[1])]


def _line(table: Any, order: NDArray[np.int64], layers: Sequence[NDArray[np.int64]]) -> list[int]:
    """Returns the moves to the first state of the last layer, and from there to the end."""
    moves: list[int] = []
    at = 0
    for before, after in zip(layers[-2::-1], layers[:0:-1], strict=True):
        state = after[at]
        at = int(state[_PARENT])
        moves[:0] = _moves_between(table, order, before[at], state)
    last = layers[-1][:1]
    _rate(table, order, last)
    return [*moves, *table.line[last[0, _MOVES] : last[0, _TOTAL]].tolist()]


def _moves_between(
    table: Any, order: NDArray[np.int64], before: NDArray[np.int64], after: NDArray[np.int64]
) -> list[int]:
    """Returns the moves from one state to a later one."""
    moves, at = [], _find(table, order, before, after)
    while at:
        moves.append(int(table.queue[at, 4]))
        at = int(table.queue[at, 3])
    draw = [REDEALT] if after[_DRAWN] <= before[_DRAWN] else []
    return [*reversed(moves), *draw, DRAWN]


@kernel
def _reach(table: Any, order: Any, state: Any) -> int:
    """Fills the queue with the tables within reach of a state; returns their number."""
    return int(gather(table, order, state[_DRAWN], state[_A], state[_B], state[_C]))


@entry_point("tour beam")
def _make(table: Any, order: Any, beam: Any, least: int, made: Any) -> int:
    """Writes the states that follow those of the beam and may end in fewer moves than `least`; returns their number."""
    queue, count = table.queue, 0
    for parent in range(len(beam)):
        for k in range(_reach(table, order, beam[parent])):
            a, b, c = queue[k, 0], queue[k, 1], queue[k, 2]
            left, drawn, moves = talon_of(a, b, c), beam[parent, _DRAWN], beam[parent, _MOVES] + queue[k, 5]
            if left == 0:  # nothing to draw, and no more to decide: playouts end this in the fewest moves
                continue
            drawn = next_of(order, drawn, left)
            if drawn == len(order):
                moves, drawn = moves + 1, next_of(order, 0, left)
            if moves + 1 + NUM_CARDS - size_of(raised(heights_of(a, b))) < least:
                state = made[count]
                state[_A], state[_B], state[_C], state[_DRAWN], state[_MOVES] = a, b, c, drawn + 1, moves + 1
                state[_PARENT] = parent
                count += 1
    return count


@entry_point("tour beam")
def _rate(table: Any, order: Any, states: Any) -> None:
    """Plays the game of each state on to its end; the line has the moves of the last."""
    for state in states:
        state[_TOTAL] = play_on(table, order, state[_DRAWN], state[_A], state[_B], state[_C], state[_MOVES], True)[0]


@entry_point("tour beam")
def _find(table: Any, order: Any, before: Any, after: Any) -> int:
    """Returns the place in the queue of the table that one state leads to another by."""
    count = _reach(table, order, before)
    for k in range(count):
        if table.queue[k, 0] == after[_A] and table.queue[k, 1] == after[_B] and table.queue[k, 2] == after[_C]:
            return k
    return count
