"""The rating that decides which positions the search keeps.

If the rules allow a redeal, it counts cards. If not, it is linear. Its weights were fitted to positions for which
a narrow search had tried to find a win. Its main terms come from a relaxed game, where the cards of the tableau can be
put in any order that their ranks allow. There the waste is played to the tableau, and the number of piles that this
takes counts.
"""

from typing import Final

from solitaire_agents.bits import count_ones, index_of
from solitaire_agents.tour_infernale.bitboard import (
    CLUBS,
    Bitboard,
    heights_of,
    next_up,
    raised,
    tableau_of,
    talon_of,
)
from solitaire_agents.tour_infernale.talon import Talon, drawn_cards
from solitaire_envs.jit import kernel

_UP, _ON_TABLE = 2, 1
"""What a card counts on its foundation and in the tableau, if the rules allow a redeal."""
_WEIGHTS: Final = (0.317, 0.184, 0.165, -0.128, -0.436, -0.209)
"""Weights of the terms of `terms_of`."""
TERMS: Final = len(_WEIGHTS)


@kernel
def rate(board: Bitboard, talon: Talon, piles: int, may_redeal: bool) -> float:
    """Rates a position as if the stock did not matter and the tableau could be rearranged freely."""
    if may_redeal:
        return float(_UP * count_ones(raised(heights_of(board))) + _ON_TABLE * count_ones(tableau_of(board)))
    terms, rating = terms_of(board, talon, piles), 0.0
    for term in range(TERMS):
        rating += _WEIGHTS[term] * terms[term]
    return rating


@kernel
def terms_of(board: Bitboard, talon: Talon, piles: int) -> tuple[int, int, int, int, int, int]:
    """Returns the terms of the rating.

    Args:
        board: The position.
        talon: The talon.
        piles: Number of piles in the game.

    Returns:
        The number of cards on the foundations, of cards in the tableau, and of piles that these need. Then, while the
        waste is played off: the number of its cards that lie on a lower card of their suit; the most piles needed at a
        time; and the number of piles missing, summed over all times.
    """
    heights, tableau = heights_of(board), tableau_of(board)
    ranks, needed = _needs_of(tableau)
    blocked, worst, missing = _play_off(board, talon, piles, ranks, needed)
    return count_ones(raised(heights)), count_ones(tableau), needed, blocked, worst, missing


@kernel
def _needs_of(tableau: int) -> tuple[int, int]:
    """Returns the tableau's cards of each rank, 4 bits each, and the piles that they need."""
    ranks = piles = 0
    for rank in range(12, -1, -1):
        for _ in range(count_ones(tableau >> 4 * rank & 15)):
            piles += _cost(ranks, rank)
            ranks += 1 << 4 * rank
    return ranks, piles


@kernel
def _cost(ranks: int, rank: int) -> int:
    """Returns how many more piles one more card of a rank takes; ranks: cards of each rank in the tableau, 4 bits each.

    A card needs a pile of its own unless it can lie on a card one rank higher.
    """
    here, higher = ranks >> 4 * rank & 15, ranks >> 4 * rank + 4 & 15
    lower = ranks >> 4 * rank - 4 & 15 if rank else 0
    return int(here >= higher) - int(lower > here)


@kernel
def _play_off(board: Bitboard, talon: Talon, room: int, ranks: int, piles: int) -> tuple[int, int, int]:
    """Plays the waste to the tableau, card by card, as if all cards of the stock were at hand.

    Args:
        board: The position.
        talon: The talon.
        room: Number of piles in the game.
        ranks: As `_needs_of` returns it.
        piles: As `_needs_of` returns it.

    Returns:
        The last three terms of `terms_of`.
    """
    order, heights, tableau, left = talon.order, heights_of(board), tableau_of(board), talon_of(board)
    blocked, worst, missing = 0, piles, 0
    waste = left & drawn_cards(talon)
    under, around = waste, tableau | left & ~waste
    for k in range(talon.drawn - 1, -1, -1):
        i = order[k]
        if waste >> i & 1 == 0:
            continue
        under ^= 1 << i
        blocked += under & (CLUBS << (i & 3)) & ((1 << i) - 1) != 0
        piles += _cost(ranks, i >> 2)
        ranks += 1 << (i & ~3)
        tableau |= 1 << i
        around |= 1 << i
        heights, tableau, around, ranks, piles = _raise_all(heights, tableau, around, ranks, piles)
        worst = max(worst, piles)
        missing += max(0, piles - room)
    return blocked, worst, missing


@kernel
def _raise_all(heights: int, tableau: int, around: int, ranks: int, piles: int) -> tuple[int, int, int, int, int]:
    """Moves all cards that can go to their foundations, one after another; around: all cards at hand."""
    goals = next_up(heights)[0] & around
    while goals:
        x = goals & -goals
        i = index_of(x)
        if tableau & x:
            ranks -= 1 << (i & ~3)
            piles -= _cost(ranks, i >> 2)
            tableau ^= x
        around ^= x
        heights += 1 << 4 * (i & 3)
        goals = next_up(heights)[0] & around
    return heights, tableau, around, ranks, piles
