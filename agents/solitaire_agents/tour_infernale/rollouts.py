"""What planner and beam search of La tour infernale share: tables within reach, and playouts by a rule.

A *playout* is a game played on to its end by a rule. The rule is `thrifty`, or `swift` where passes have no limit and
only moves count. It does not see the order of the stock.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.tour_infernale.bitboard import (
    CARDS,
    DRAWN,
    FULL,
    NO_MOVE,
    ON_BOTTOM,
    REDEALT,
    TO_FOUNDATION,
    bases_of,
    go_up,
    heights_of,
    index_of,
    movable,
    next_up,
    put,
    raised,
    size_of,
    talon_of,
    tops_of,
)
from solitaire_agents.tour_infernale.bitboard_rules import NO_SLOT, NOTHING_TO_COME
from solitaire_agents.tour_infernale.swift import swift_move
from solitaire_agents.tour_infernale.thrifty import thrifty_move
from solitaire_envs.game import NO_LIMIT
from solitaire_envs.jit import kernel

WIN, CARD, MOVE = 1.0, 1e-3, -1e-5  # worth of a win, of a card on the foundations in a lost game, of a move
LINE_SIZE: Final = 2_000  # moves in a playout, at most


class Table(NamedTuple):
    """What a game's options say, and working storage."""

    redeals: int  # how many are left
    piles: int
    swiftly: bool  # whether playouts follow the rule `swift`, not `thrifty`
    queue: Any  # int64[N, 6]: tables within reach: a, b, c, the one before, the move from there, moves since the first
    line: Any  # int64[LINE_SIZE]: moves


def new_table(*, piles: int, swiftly: bool, size: int) -> Table:
    """Returns a table with room for so many tables within reach, and no limit of redeals."""
    return Table(NO_LIMIT, piles, swiftly, np.zeros((size, 6), np.int64), np.zeros(LINE_SIZE, np.int64))


# --- Playouts ---------------------------------------------------------------------------------------------------------


@kernel
def last_of(order: Any, end: int, word: int) -> int:
    """Index before `end` of the last card that is in a set; -1: none."""
    index = end - 1
    while index >= 0 and word >> order[index] & 1 == 0:
        index -= 1
    return index


@kernel
def next_of(order: Any, start: int, word: int) -> int:
    """Index from `start` on of the next card that is in a set; the length: none."""
    index = start
    while index < len(order) and word >> order[index] & 1 == 0:
        index += 1
    return index


@kernel
def play_on(table: Any, order: Any, drawn: int, a: int, b: int, c: int, start: int, to_end: bool) -> tuple[int, float]:
    """Plays on by the rule, to the end of the game or until it has drawn.

    Args:
        table: Its `line` is written, too.
        order: int64[n]: slots of waste and stock in the order of drawing, among others that are gone.
        drawn: How many of them have been drawn in this pass.
        a: First word of the configuration.
        b: Second word.
        c: Third word.
        start: Moves that the line has already.
        to_end: Whether to play to the end.

    Returns:
        Moves of the line, and what it is worth if this is the end.
    """
    left, pointer, redeals = talon_of(a, b, c), drawn, table.redeals
    waste = 0
    for index in range(pointer):
        waste |= left & 1 << order[index]
    top, to_come, moves = last_of(order, pointer, waste), size_of(left & ~waste), start
    while moves < len(table.line):
        under = last_of(order, top, waste)
        top_slot, under_slot = order[top] if top >= 0 else NO_SLOT, order[under] if under >= 0 else NO_SLOT
        if table.swiftly:
            move = swift_move(a, b, c, waste, top_slot, under_slot, to_come, table.piles)
        else:
            known_to_come = to_come if to_come or (redeals and left) else NOTHING_TO_COME
            move = thrifty_move(a, b, c, waste, top_slot, under_slot, known_to_come, table.piles)
        if move == NO_MOVE and to_come:
            pointer = next_of(order, pointer, left)
            move = order[pointer] << 3 | DRAWN
            waste |= 1 << order[pointer]
            top, pointer, to_come = pointer, pointer + 1, to_come - 1
        elif move == NO_MOVE and redeals and left:
            move = REDEALT
            waste, top, pointer, to_come, redeals = 0, -1, 0, size_of(left), redeals - 1
        elif move == NO_MOVE:
            break
        else:
            a, b, c, left = _play(a, b, c, left, move)
            waste &= left
            top = last_of(order, top + 1, waste)
        table.line[moves] = move
        moves += 1
        if a >> 52 == FULL and b >> 52 == FULL:
            return moves, WIN + MOVE * moves
        if not to_end and move & 7 >= DRAWN:
            break
    return moves, CARD * size_of(raised(heights_of(a, b))) + MOVE * moves


@kernel
def _play(a: int, b: int, c: int, left: int, move: int) -> tuple[int, int, int, int]:
    """Moves a card."""
    i, kind = move >> 3, move & 7
    a, b, c = go_up(a, b, c, i) if kind == TO_FOUNDATION else put(a, b, c, i, kind)
    return a, b, c, left & ~(1 << i)


# --- Tables within reach ----------------------------------------------------------------------------------------------


@kernel
def gather(table: Any, order: Any, drawn: int, a: int, b: int, c: int) -> int:
    """Fills the queue with the tables that can be reached without a draw, this one first; returns their number."""
    queue, found, head = table.queue, 1, 0
    queue[0, 0], queue[0, 1], queue[0, 2] = a, b, c
    queue[0, 3] = queue[0, 4] = NO_MOVE
    queue[0, 5] = 0
    in_waste = 0
    for index in range(drawn):
        in_waste |= 1 << order[index]
    while head < found < len(queue):
        a, b, c = queue[head, 0], queue[head, 1], queue[head, 2]
        goals, safe = next_up(heights_of(a, b))
        tops, waste = tops_of(a, b, c), talon_of(a, b, c) & in_waste
        at = last_of(order, drawn, waste)
        top = 1 << order[at] if at >= 0 else 0
        ups = (tops | top) & goals
        if ups & safe:  # loses nothing, so that the table as it is need not be gone on from
            ups &= safe
            found = _add(queue, found, head, index_of(ups & -ups) << 3 | TO_FOUNDATION)
        else:
            while ups:
                found = _add(queue, found, head, index_of(ups & -ups) << 3 | TO_FOUNDATION)
                ups &= ups - 1
            found = _gather_moves(queue, found, head, tops, top, table.piles - size_of(a & ~c & CARDS) > 0)
        head += 1
    return found


@kernel
def _gather_moves(queue: Any, found: int, head: int, tops: int, top: int, empty: bool) -> int:
    """Adds the tables after each move to the tableau."""
    movers = top | (tops if empty else movable(tops))
    while movers:
        x = movers & -movers
        movers ^= x
        i = index_of(x)
        targets = bases_of(tops, i)
        # On an empty pile: not a card that lies alone, nor the waste's top if a card would do as well.
        if empty and (queue[head, 2] & x or (x == top and targets == 0)):
            targets |= 1 << ON_BOTTOM
        while targets:
            found = _add(queue, found, head, i << 3 | index_of(targets & -targets))
            targets &= targets - 1
    return found


@kernel
def _add(queue: Any, found: int, head: int, move: int) -> int:
    """Adds the table after a move, if it is new and there is room."""
    if found == len(queue):
        return found
    a, b, c, _ = _play(queue[head, 0], queue[head, 1], queue[head, 2], 0, move)
    for k in range(found):
        if queue[k, 0] == a and queue[k, 1] == b and queue[k, 2] == c:
            return found
    queue[found, 0], queue[found, 1], queue[found, 2] = a, b, c
    queue[found, 3], queue[found, 4], queue[found, 5] = head, move, queue[head, 5] + 1
    return found + 1
