"""The rating by which the search decides which positions it keeps.

It is linear, with weights fitted to positions of which a narrow search had tried whether they can be won. Its main
terms play the waste off in a relaxed game, where the cards of the tableau can be put in any order that their ranks
allow, and look at the number of piles that this takes.
"""

from typing import Any, Final

from solitaire_agents.bits import count, index_of
from solitaire_agents.tour_infernale.bitboard import CARDS, CLUBS, heights_of, next_up, raised, talon_of
from solitaire_envs.jit import kernel

WEIGHTS: Final = (0.317, 0.184, 0.165, -0.128, -0.436, -0.209)
"""Of the cards on the foundations, the cards in the tableau, the piles that these need, and the terms of `_play_off`:
blocked cards, the most piles needed, and piles that are missing."""


@kernel
def rate(game: Any, a: int, b: int, c: int) -> float:
    """Rates a position by how it may go on if the stock does not matter and the tableau can be rearranged freely."""
    heights, tableau, talon = heights_of(a, b), (a | c) & CARDS, talon_of(a, b, c)
    ranks, piles = tableau_terms(tableau)
    blocked, worst, excess = play_off(game.stock, game.pointer, game.piles, heights, tableau, talon, ranks, piles)
    value = WEIGHTS[0] * count(raised(heights)) + WEIGHTS[1] * count(tableau) + WEIGHTS[2] * piles
    return value + WEIGHTS[3] * blocked + WEIGHTS[4] * worst + WEIGHTS[5] * excess


@kernel
def tableau_terms(tableau: int) -> tuple[int, int]:
    """Returns the tableau's cards of each rank, 4 bits each, and the piles that they need."""
    ranks = piles = 0
    for rank in range(12, -1, -1):
        for _ in range(count(tableau >> 4 * rank & 15)):
            piles += _cost(ranks, rank)
            ranks += 1 << 4 * rank
    return ranks, piles


@kernel
def _cost(ranks: int, rank: int) -> int:
    """Returns how many more piles one more card of a rank takes; ranks: cards of each rank in the tableau, 4 bits each.

    The cards of a rank need piles of their own, except for those that can lie on a card one rank higher.
    """
    here, higher = ranks >> 4 * rank & 15, ranks >> 4 * rank + 4 & 15
    lower = ranks >> 4 * rank - 4 & 15 if rank else 0
    return int(here >= higher) - int(lower > here)


@kernel
def play_off(
    order: Any, drawn: int, room: int, heights: int, tableau: int, talon: int, ranks: int, piles: int
) -> tuple[int, int, int]:
    """Plays the waste off to the tableau, card by card; all cards of the stock are at hand.

    Args:
        order: int64 [n]: bits of waste and stock in the order of drawing; may have others, of cards that are gone.
        drawn: How many of these have been drawn in this pass.
        room: Number of piles in the game.
        heights: Of the foundations.
        tableau: Cards of the tableau.
        talon: Cards of waste and stock.
        ranks: Of `tableau_terms`.
        piles: Of `tableau_terms`.

    Returns:
        The number of cards that block a lower card of their suit, which lies under them in the waste; the most piles
        needed at a time; and the number of piles that are missing, summed over all times.
    """
    blocked, worst, excess = 0, piles, 0
    waste = 0
    for k in range(drawn):
        waste |= talon & 1 << order[k]
    under, around = waste, tableau | talon & ~waste
    for k in range(drawn - 1, -1, -1):
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
        excess += max(0, piles - room)
    return blocked, worst, excess


@kernel
def _raise_all(heights: int, tableau: int, around: int, ranks: int, piles: int) -> tuple[int, int, int, int, int]:
    """Moves up all cards at hand that can go, one after another; around: all cards at hand."""
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
