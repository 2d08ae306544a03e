"""A beam search for lines of few moves in La tour infernale, with the stock open and no limit of redeals.

The search goes from draw to draw and keeps the best positions, the *beam*. It makes all positions that can be reached
from these with one more draw, plays each to its end by a rollout with the rule `swift`, and keeps those whose games end
in the fewest moves. The line found need not be the shortest; a wider beam finds shorter ones.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.bits import count_ones
from solitaire_agents.tour_infernale.bitboard import (
    BOARD_FIELDS,
    DRAWN,
    REDEALT,
    board_of,
    heights_of,
    holds,
    raised,
    talon_of,
    write_board,
)
from solitaire_agents.tour_infernale.position import spell_out, start_of
from solitaire_agents.tour_infernale.reach import find_positions, new_reach
from solitaire_agents.tour_infernale.rollouts import new_rollouts, roll_out
from solitaire_agents.tour_infernale.talon import Talon, next_of
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import as_records, entry_point, kernel
from solitaire_envs.tour_infernale import TourInfernaleOptions

REACH: Final = 256
"""Most positions to look at from each position of the beam, between two draws."""

_STATE: Final = np.dtype(
    [
        *BOARD_FIELDS,
        ("drawn", np.int64),  # how much of the order is drawn
        ("moves", np.int64),  # number of moves so far
        ("parent", np.int64),  # its row in the beam before
        ("total", np.int64),  # number of moves at the end of the rollout
    ]
)
"""A position after a draw."""
_HASH: Final = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93], np.uint64)
"""Factors of a, b, c and drawn in the hash of a state."""


class _Search(NamedTuple):
    """Storage of the kernels."""

    rollouts: Any  # rollouts.Rollouts
    reach: Any  # reach.Reach
    order: Any  # int64 [n]: bits of waste and stock in the order of drawing


def beam_search(state: Any, options: TourInfernaleOptions, *, width: int) -> list[int]:
    """Finds a line of few moves from a position to its win.

    Args:
        state: The position, one record of `tour_infernale.STATE`. All cards must be known.
        options: The options of the game.
        width: Most positions in the beam.

    Returns:
        The line, as actions of the environment.

    Raises:
        ValueError: A card of the state is not known, or it is no state under the options.
    """
    start = start_of(state, options)
    search = _Search(new_rollouts(piles=start.piles, swift=True), new_reach(REACH), start.order)
    made = as_records(np.zeros(width * REACH, _STATE))
    layers = [as_records(np.array([(*start.board, start.drawn, 0, 0, 0)], _STATE))]
    _rate(search, layers[0])
    best = 0
    while True:
        least = int(layers[best]["total"][0])
        states = _distinct(made[: _make(search, layers[-1], least, made)])
        if not len(states):
            break
        _rate(search, states)
        layers.append(states[np.argsort(states["total"], kind="stable")[:width]])
        if layers[-1]["total"][0] < least:
            best = len(layers) - 1
    return spell_out(state, options, _line(search, layers[: best + 1]))


def _distinct(states: Any) -> Any:
    """Keeps one of equal positions, that with the fewest moves.

    Positions with the same hash count as equal. If they differ, one is lost; the search proves nothing anyway.
    """
    states = states[np.argsort(states["moves"], kind="stable")]
    words = np.stack([states[name] for name in ("a", "b", "c", "drawn")], axis=1)
    keys = (words.astype(np.uint64) * _HASH).sum(axis=1)
    return states[np.sort(np.unique(keys, return_index=True)[1])]


def _line(search: _Search, layers: Sequence[Any]) -> list[int]:
    """Returns the moves to the first state of the last layer, and from there to the end."""
    moves: list[int] = []
    at = 0
    for before, after in zip(layers[-2::-1], layers[:0:-1], strict=True):
        parent = int(after["parent"][at])
        moves[:0] = _moves_between(search, before[parent : parent + 1], after[at : at + 1])
        at = parent
    last = layers[-1][:1]
    _rate(search, last)
    return [*moves, *search.rollouts.line[last["moves"][0] : last["total"][0]].tolist()]


def _moves_between(search: _Search, before: Any, after: Any) -> list[int]:
    """Returns the moves from one state to a later one, each an array of one."""
    queue, moves, at = search.reach.queue, [], _find(search, before, after)
    while at:
        moves.append(int(queue["move"][at]))
        at = int(queue["parent"][at])
    draw = [REDEALT] if after["drawn"][0] <= before["drawn"][0] else []
    return [*reversed(moves), *draw, DRAWN]


@kernel
def _reach(search: _Search, state: Any) -> int:
    """Finds the positions within reach of a state; returns their number."""
    talon = Talon(search.order, state.drawn)
    return int(find_positions(search.reach, talon, search.rollouts.piles, board_of(state)))


@entry_point("tour beam")
def _make(search: _Search, beam: Any, least: int, made: Any) -> int:
    """Writes the states that follow those of the beam and may end in fewer moves than `least`; returns their number."""
    order, n = search.order, 0
    for parent in range(len(beam)):
        for k in range(_reach(search, beam[parent])):
            board = board_of(search.reach.queue[k])
            left, drawn = talon_of(board), beam[parent].drawn
            moves = beam[parent].moves + search.reach.queue[k].moves
            if left == 0:  # nothing to draw and nothing to decide: its rollout has the fewest moves
                continue
            drawn = next_of(order, drawn, left)
            if drawn == len(order):
                moves, drawn = moves + 1, next_of(order, 0, left)
            if moves + 1 + NUM_CARDS - count_ones(raised(heights_of(board))) < least:
                state = made[n]
                write_board(state, board)
                state.drawn, state.moves, state.parent = drawn + 1, moves + 1, parent
                n += 1
    return n


@entry_point("tour beam")
def _rate(search: _Search, states: Any) -> None:
    """Plays the game of each state to its end; the line then holds the moves of the last one."""
    for k in range(len(states)):
        state = states[k]
        talon = Talon(search.order, state.drawn)
        state.total = roll_out(search.rollouts, talon, board_of(state), state.moves)[0]


@entry_point("tour beam")
def _find(search: _Search, before: Any, after: Any) -> int:
    """Returns the queue's row of the position from which a draw leads to the later state; both are arrays of one."""
    found = _reach(search, before[0])
    for k in range(found):
        if holds(search.reach.queue[k], board_of(after[0])):
            return k
    return found
