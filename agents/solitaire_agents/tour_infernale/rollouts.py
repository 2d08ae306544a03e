"""What the planner and the beam search of La tour infernale share: rollouts, and positions within reach.

A *rollout* is a game played to its end by a rule that does not see the order of the stock: `thrifty`, or `swift` where
passes have no limit and only moves count. The positions *within reach* are those that can be reached without a draw.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.bits import count, index_of
from solitaire_agents.tour_infernale.bitboard import (
    DRAWN,
    NO_BIT,
    NO_MOVE,
    ON_BOTTOM,
    REDEALT,
    TO_FOUNDATION,
    bases_of,
    empty_piles,
    heights_of,
    is_won,
    movable,
    move_card,
    next_up,
    raised,
    talon_of,
    tops_of,
)
from solitaire_agents.tour_infernale.bitboard_rules import NOTHING_TO_COME
from solitaire_agents.tour_infernale.swift import swift_move
from solitaire_agents.tour_infernale.thrifty import thrifty_move
from solitaire_envs.game import NO_LIMIT
from solitaire_envs.jit import kernel

WIN, CARD, MOVE = 1.0, 1e-3, -1e-5
"""Value of a win, of each card on the foundations in a lost game, and of each move."""
LINE_SIZE: Final = 2_000
"""Moves in a line, at most."""


class Tableau(NamedTuple):
    """What rollouts have to know of the options, and their working storage."""

    redeals: int
    """Redeals left; `NO_LIMIT` if passes have no limit."""
    piles: int
    swift: bool
    """Whether rollouts follow the rule `swift`, or else `thrifty`."""
    queue: Any
    """int64 [N, 6]: positions within reach, a row each: a, b, c, the row it came from, the move from there, moves."""
    line: Any
    """int64 [LINE_SIZE]: moves."""


def new_tableau(*, piles: int, swift: bool, size: int) -> Tableau:
    """Returns a tableau with redeals without limit, and storage for `size` positions within reach."""
    return Tableau(NO_LIMIT, piles, swift, np.zeros((size, 6), np.int64), np.zeros(LINE_SIZE, np.int64))


# --- The order of the stock -------------------------------------------------------------------------------------------


@kernel
def last_of(order: Any, end: int, cards: int) -> int:
    """Returns the index before `end` of the last card that is in a set; -1 if there is none."""
    index = end - 1
    while index >= 0 and cards >> order[index] & 1 == 0:
        index -= 1
    return index


@kernel
def next_of(order: Any, start: int, cards: int) -> int:
    """Returns the index from `start` on of the next card that is in a set; the length if there is none."""
    index = start
    while index < len(order) and cards >> order[index] & 1 == 0:
        index += 1
    return index


@kernel
def first_of(order: Any, end: int) -> int:
    """Returns the cards before an index."""
    cards = 0
    for index in range(end):
        cards |= 1 << order[index]
    return cards


# --- Rollouts ---------------------------------------------------------------------------------------------------------


@kernel
def roll_out(
    tableau: Any, order: Any, drawn: int, a: int, b: int, c: int, start: int, to_end: bool
) -> tuple[int, float]:
    """Plays on by the rule, to the end of the game or until it has drawn.

    Args:
        tableau: Moves are written into its line.
        order: int64 [n]: bits of waste and stock in the order of drawing; may have others, of cards that are gone.
        drawn: How many of these have been drawn in this pass.
        a: First word of the bitboard.
        b: Second word.
        c: Third word.
        start: Moves that the line has already.
        to_end: Whether to play to the end of the game.

    Returns:
        The number of moves of the line, and its value if the game has ended.
    """
    left, pointer, redeals, moves = talon_of(a, b, c), drawn, tableau.redeals, start
    waste = left & first_of(order, drawn)
    top, to_come = last_of(order, pointer, waste), count(left & ~waste)
    while moves < len(tableau.line):
        move = _choose(tableau, order, a, b, c, waste, top, to_come, redeals > 0 and left != 0)
        if move == NO_MOVE and to_come:
            pointer = next_of(order, pointer, left)
            move, waste = order[pointer] << 3 | DRAWN, waste | 1 << order[pointer]
            top, pointer, to_come = pointer, pointer + 1, to_come - 1
        elif move == NO_MOVE and redeals and left:
            move = REDEALT
            waste, top, pointer, to_come, redeals = 0, -1, 0, count(left), redeals - 1
        elif move == NO_MOVE:
            break
        else:
            a, b, c = move_card(a, b, c, move)
            left &= ~(1 << (move >> 3))
            waste &= left
            top = last_of(order, top + 1, waste)
        tableau.line[moves] = move
        moves += 1
        if is_won(a, b) or (not to_end and move & 7 >= DRAWN):
            break
    return moves, _value(a, b) + MOVE * moves


@kernel
def _value(a: int, b: int) -> float:
    """Returns the value of a game that has ended, but for its moves."""
    return WIN if is_won(a, b) else CARD * count(raised(heights_of(a, b)))


@kernel
def _choose(
    tableau: Any, order: Any, a: int, b: int, c: int, waste: int, top: int, to_come: int, may_redeal: bool
) -> int:
    """Returns the move by the rule, `NO_MOVE` for a draw or redeal; top: index of the waste's top in the order."""
    under = last_of(order, top, waste)
    top_bit, under_bit = order[top] if top >= 0 else NO_BIT, order[under] if under >= 0 else NO_BIT
    if tableau.swift:
        return int(swift_move(a, b, c, waste, top_bit, under_bit, to_come, tableau.piles))
    known_to_come = to_come if to_come > 0 or may_redeal else NOTHING_TO_COME
    return int(thrifty_move(a, b, c, waste, top_bit, under_bit, known_to_come, tableau.piles))


# --- Positions within reach -------------------------------------------------------------------------------------------


@kernel
def gather(tableau: Any, order: Any, drawn: int, a: int, b: int, c: int) -> int:
    """Fills the queue with the positions within reach, this one first, the nearest before others.

    Args:
        tableau: The positions are written into its queue.
        order: As in `roll_out`.
        drawn: As in `roll_out`.
        a: As in `roll_out`.
        b: As in `roll_out`.
        c: As in `roll_out`.

    Returns:
        The number of positions.
    """
    queue, found, head = tableau.queue, 1, 0
    queue[0, 0], queue[0, 1], queue[0, 2] = a, b, c
    queue[0, 3] = queue[0, 4] = NO_MOVE
    queue[0, 5] = 0
    in_waste = first_of(order, drawn)
    while head < found < len(queue):
        a, b, c = queue[head, 0], queue[head, 1], queue[head, 2]
        goals, safe = next_up(heights_of(a, b))
        tops = tops_of(a, b, c)
        at = last_of(order, drawn, talon_of(a, b, c) & in_waste)
        top = 1 << order[at] if at >= 0 else 0
        ups = (tops | top) & goals
        if ups & safe:  # loses nothing, so that no other move from here is needed
            ups &= safe
            found = _add(queue, found, head, index_of(ups & -ups) << 3 | TO_FOUNDATION)
        else:
            while ups:
                found = _add(queue, found, head, index_of(ups & -ups) << 3 | TO_FOUNDATION)
                ups &= ups - 1
            found = _gather_moves(queue, found, head, tops, top, empty_piles(a, c, tableau.piles) > 0)
        head += 1
    return found


@kernel
def _gather_moves(queue: Any, found: int, head: int, tops: int, top: int, empty: bool) -> int:
    """Adds the positions after each move to the tableau."""
    movers = top | (tops if empty else movable(tops))
    while movers:
        x = movers & -movers
        movers ^= x
        i = index_of(x)
        targets = bases_of(tops, i)
        # On an empty pile: not a card that lies alone, and the waste's top only if it fits on no card.
        if empty and (queue[head, 2] & x or (x == top and targets == 0)):
            targets |= 1 << ON_BOTTOM
        while targets:
            found = _add(queue, found, head, i << 3 | index_of(targets & -targets))
            targets &= targets - 1
    return found


@kernel
def _add(queue: Any, found: int, head: int, move: int) -> int:
    """Adds the position after a move, if it is new and there is room."""
    if found == len(queue):
        return found
    a, b, c = move_card(queue[head, 0], queue[head, 1], queue[head, 2], move)
    for k in range(found):
        if queue[k, 0] == a and queue[k, 1] == b and queue[k, 2] == c:
            return found
    queue[found, 0], queue[found, 1], queue[found, 2] = a, b, c
    queue[found, 3], queue[found, 4], queue[found, 5] = head, move, queue[head, 5] + 1
    return found + 1
