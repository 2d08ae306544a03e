"""Rollouts: games of La tour infernale played to their ends by a rule that does not see the order of the stock.

The rule is `thrifty`, or `swift` without a limit of passes, where only moves count.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.bits import count_ones
from solitaire_agents.tour_infernale.bitboard import (
    DRAWN,
    NO_BIT,
    NO_MOVE,
    REDEALT,
    Bitboard,
    is_won,
    move_card,
    talon_of,
)
from solitaire_agents.tour_infernale.bitboard_rules import NOTHING_TO_COME, View
from solitaire_agents.tour_infernale.swift import swift_move
from solitaire_agents.tour_infernale.talon import Talon, drawn_cards, last_of, next_of
from solitaire_agents.tour_infernale.thrifty import thrifty_move
from solitaire_envs.game import NO_LIMIT
from solitaire_envs.jit import kernel

LINE_SIZE: Final = 2_000
"""Most moves in a line."""


class Rollouts(NamedTuple):
    """The rules of the rollouts, and the line of the latest one."""

    redeals: int
    """Redeals left; `NO_LIMIT` if passes have no limit."""
    piles: int
    swift: bool
    """Whether they follow the rule `swift`, or else `thrifty`."""
    line: Any
    """int64 [LINE_SIZE]: moves."""


def new_rollouts(*, piles: int, swift: bool, redeals: int = NO_LIMIT) -> Rollouts:
    """Returns rollouts with storage for a line."""
    return Rollouts(redeals, piles, swift, np.zeros(LINE_SIZE, np.int64))


@kernel
def roll_out(rollouts: Rollouts, talon: Talon, board: Bitboard, start: int) -> tuple[int, bool]:
    """Plays on by the rule, to the end of the game.

    Args:
        rollouts: The rollouts; moves are written into the line.
        talon: The talon.
        board: The position.
        start: Number of moves that the line has already.

    Returns:
        The number of moves of the line, and whether the game is won.
    """
    order, pointer, redeals, moves = talon.order, talon.drawn, rollouts.redeals, start
    left = talon_of(board)
    waste = left & drawn_cards(talon)
    top, to_come = last_of(order, pointer, waste), count_ones(left & ~waste)
    while moves < len(rollouts.line):
        known_to_come = to_come if to_come > 0 or (redeals > 0 and left != 0) else NOTHING_TO_COME
        under = last_of(order, top, waste)
        top_bit, under_bit = order[top] if top >= 0 else NO_BIT, order[under] if under >= 0 else NO_BIT
        view = View(board, waste, top_bit, under_bit, known_to_come, rollouts.piles)
        move = swift_move(view) if rollouts.swift else thrifty_move(view)
        if move == NO_MOVE and to_come:
            pointer = next_of(order, pointer, left)
            move, waste = order[pointer] << 3 | DRAWN, waste | 1 << order[pointer]
            top, pointer, to_come = pointer, pointer + 1, to_come - 1
        elif move == NO_MOVE and redeals and left:
            move = REDEALT
            waste, top, pointer, to_come, redeals = 0, -1, 0, count_ones(left), redeals - 1
        elif move == NO_MOVE:
            break
        else:
            board = move_card(board, move)
            left &= ~(1 << (move >> 3))
            waste &= left
            top = last_of(order, top + 1, waste)
        rollouts.line[moves] = move
        moves += 1
        if is_won(board):
            break
    return moves, is_won(board)
