"""A quick proof of loss: positions that are lost even in an easier game.

In the easier game a place is never used up, a king does not fill the pile that it comes to, and a card of the talon can
be taken if it could be reached at first, or if a card before it, or the next one behind it, has been taken. So every
move that is possible once stays possible, and sweeps that repeat until nothing changes find them all. A sweep changes
something if it shows a card, or if it only empties a pile, as then kings can move.
"""

from typing import Any

from solitaire_agents.klondike.solver.bitboard import KINGS, SUITS_OF_CARDS, TWINS_A, cards_up, next_up
from solitaire_agents.klondike.solver.level import empty_piles, in_reach
from solitaire_envs.jit import kernel


@kernel
def is_hopeless(game: Any, level: Any, gone: int) -> bool:
    """Returns whether the easier game is lost.

    Args:
        game: The game.
        level: The level.
        gone: Cards on the foundations that may not come back.
    """
    down, left, heights = level.down, level.left, 0
    shown, emptied = game.cards & ~level.hidden & ~level.waiting, empty_piles(down) > 0
    reach = in_reach(game, left, level.waiting, level.clock)[0]
    before, was_emptied = 0, False
    while shown != before or emptied != was_emptied:
        before, was_emptied = shown, emptied
        for suit in range(4):
            while next_up(heights) & shown & SUITS_OF_CARDS[suit]:
                heights += 1 << 4 * suit
        below = (shown & ~gone) >> 4
        can = 3 * ((below | below >> 1) & TWINS_A) | cards_up(heights) | next_up(heights)
        if emptied:
            can |= KINGS
        if can & level.waiting & ~shown:
            shown |= can & level.waiting if reach == level.waiting else _taken(game, left, reach, can, shown)
        for pile in range(len(game.radix)):
            n = down >> 3 * pile & 7
            while n and game.piles[pile, n] & can:
                n -= 1
                down -= 1 << 3 * pile
                shown |= game.piles[pile, n]
                emptied = emptied or n == 0
    return bool(shown != game.cards)


@kernel
def _taken(game: Any, left: int, reach: int, can: int, shown: int) -> int:
    """Returns the cards of the talon that can be taken or have been taken."""
    taken = previous = place = 0
    while left:
        if left & 1:
            card = game.talon[place]
            if card & (shown | can & reach) or (taken and card & can):
                taken |= card | previous & can
            previous = card
        left >>= 1
        place += 1
    return taken
