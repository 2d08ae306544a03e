"""A rule for La tour infernale that is thrifty with empty piles: the best known for one pass."""

from solitaire_agents.bits import index_of
from solitaire_agents.tour_infernale.bitboard import (
    CLUBS,
    NO_MOVE,
    ON_BOTTOM,
    base_of,
    bases_of,
    empty_piles,
    heights_of,
    movable,
    next_up,
    tops_of,
)
from solitaire_agents.tour_infernale.bitboard_rules import NOTHING_TO_COME, View, free_pile, move_up, to_tableau
from solitaire_envs.jit import kernel

# These three numbers come from a random search over 40,000 deals.
SOON = 8
"""A card gets an empty pile if fewer ranks than this are between it and its turn to go up."""
OPENING = 6
"""Ranks that are taken off if the card under it can go up at once."""
HALF_STOCK = 23
"""One rank is added for this many cards to come, because empty piles are worth more early in a pass."""


@kernel
def thrifty_move(view: View) -> int:
    """Is thrifty with empty piles: the best rule for one pass."""
    board, top = view.board, view.top
    goals, tops = next_up(heights_of(board))[0], tops_of(board)
    up = move_up(goals, tops, top)
    if up != NO_MOVE:
        return up
    empty = empty_piles(board, view.piles)
    movers = tops & board.c if empty else movable(tops) & board.c
    while movers:
        i = index_of(movers & -movers)
        movers &= movers - 1
        if goals >> base_of(board, i) & 1:  # frees a card that goes up at once
            return to_tableau(board, tops, i)
    if top >= 0 and bases_of(tops, top):
        return to_tableau(board, tops, top)
    freed = free_pile(board, tops)
    if freed != NO_MOVE:
        return freed
    if top >= 0 and empty and _may_start_pile(view, empty):
        return top << 3 | ON_BOTTOM
    return NO_MOVE


@kernel
def _may_start_pile(view: View, empty: int) -> bool:
    """Returns whether the waste's top gets an empty pile: it opens a card that goes up, or its turn comes soon."""
    if view.to_come == NOTHING_TO_COME:
        return True
    heights, top, under = heights_of(view.board), view.top, view.under
    turn = (top >> 2) + 1 - (heights >> 4 * (top & 3) & 15)
    bars = (view.waste & (CLUBS << (top & 3)) & ((1 << top) - 1)) != 0  # a card of its suit that has to go up first
    opens = under >= 0 and next_up(heights)[0] >> under & 1
    return bool(turn - bars - OPENING * opens + view.to_come // HALF_STOCK < SOON + (empty > 1))
