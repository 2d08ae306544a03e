"""Rules of play on bitboards, which rollouts use too, and the steps that these rules share.

A rule takes a `View` and returns a move of a card. `NO_MOVE` means: draw, or else redeal. A rule never goes in circles.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from solitaire_agents.base import first_legal
from solitaire_agents.bits import index_of
from solitaire_agents.tour_infernale.bitboard import (
    BIT_SHOWN,
    NO_MOVE,
    ON_BOTTOM,
    TO_FOUNDATION,
    Bitboard,
    action_of,
    bases_of,
    board_seen,
    heights_of,
    movable,
)
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import AT, EMPTY, MAX_PILES, SOURCE, STOCK_SIZE

NOTHING_TO_COME = -1


class View(NamedTuple):
    """The part of a position that a rule sees."""

    board: Bitboard
    waste: int  # the cards of the waste
    top: int  # bit of the waste's top, or `NO_BIT`
    under: int  # bit of the card under it, or `NO_BIT`
    to_come: int  # the number of cards in the stock; `NOTHING_TO_COME` if it is empty and no redeal is left
    piles: int  # number of piles


BitboardRule = Callable[[View], int]


def over_observations(choose_move: BitboardRule) -> Callable[[Any, Any], int]:
    """Returns a kernel that plays by the rule: (observation int16 [O], action mask bool [A]) -> action."""

    def choose(observation: Any, mask: Any) -> int:
        waste = stock_size = 0
        for index in range(STOCK_SIZE):
            i = BIT_SHOWN[observation[AT.waste + index]]
            waste |= 1 << i if i >= 0 else 0
            stock_size += observation[AT.stock + index] != EMPTY
        top, under = BIT_SHOWN[observation[AT.waste]], BIT_SHOWN[observation[AT.waste + 1]]
        to_come = stock_size if stock_size > 0 or observation[AT.redeals] != 0 else NOTHING_TO_COME
        piles = MAX_PILES if len(mask) == len(SOURCE) else MAX_PILES - 1
        move = choose_move(View(board_seen(observation), waste, top, under, to_come, piles))
        return first_legal(mask) if move == NO_MOVE else action_of(observation, move)

    # An agent's hash covers the module named here and all that it imports.
    rule = getattr(choose_move, "py_func", choose_move)
    choose.__module__, choose.__doc__ = rule.__module__, rule.__doc__
    return kernel(choose)


# --- Steps that the rules share ---------------------------------------------------------------------------------------


@kernel
def move_up(goals: int, tops: int, top: int) -> int:
    """Moves up the lowest of the piles' tops and the waste's top that can go up; `NO_MOVE` if none can."""
    ups = goals & (tops | (1 << top if top >= 0 else 0))
    return index_of(ups & -ups) << 3 | TO_FOUNDATION if ups else NO_MOVE


@kernel
def free_pile(board: Bitboard, tops: int) -> int:
    """Frees a pile by moving a card that lies alone to another pile; `NO_MOVE` if that is not possible."""
    lone = movable(tops) & ~board.c
    return to_tableau(board, tops, index_of(lone & -lone)) if lone else NO_MOVE


@kernel
def to_tableau(board: Bitboard, tops: int, i: int) -> int:
    """Puts card i on the card whose foundation is the lowest, as it is needed last; on an empty pile if none fits."""
    bases, heights = bases_of(tops, i), heights_of(board)
    best, lowest = ON_BOTTOM, NUM_RANKS + 1
    for suit in range(4):
        height = heights >> 4 * suit & 15
        if bases >> suit & 1 and height < lowest:
            best, lowest = suit, height
    return i << 3 | best
