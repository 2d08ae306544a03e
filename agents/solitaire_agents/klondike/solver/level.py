"""Levels: the face-down cards, roots and cards of the talon that are left.

*The talon.* A player can draw, and redeal as long as passes are left; nothing else changes meanwhile. So a move of the
search takes a card that can come to the waste's top, and the draws before it belong to the move. Without a limit of
passes, sizes of the waste that offer the same cards are merged: with one card a draw, all sizes are; with three, 0
stands for all multiples of three and for an empty stock. With a limit, more redeals than cards left are useless, as two
redeals with no card taken between them are no better than one.

*An obligation.* With one card a draw and no limit of passes, the clock is free to hold something else: 0, or 1 + the
number of a pair of twins, one of which must use a place next; see `components`.
"""

from typing import Any, Final, NamedTuple

from solitaire_agents.bits import count_ones, index_of
from solitaire_agents.klondike.solver.bitboard import KINGS
from solitaire_agents.klondike.solver.memory import MARK
from solitaire_envs.jit import kernel
from solitaire_envs.klondike import STOCK_SIZE
from solitaire_envs.klondike_table import PILES


class Level(NamedTuple):
    """A level. Sets of cards are bitboards."""

    down: int
    """How many cards are left in each pile, face-down ones and root, 3 bits a pile."""
    roots: int
    """Set of the roots."""
    hidden: int
    """Set of the face-down cards."""
    left: int
    """Which places of the talon still hold a card, a bit each."""
    waiting: int
    """Set of these cards."""
    clock: int
    """The size of the waste, and 32 times the redeals left; see above."""
    obligation: int
    """1 if a king has to come to an empty pile next; see `components`."""


_EACH_PILE: Final = 0o1111111
_REDEAL: Final = 32


@kernel
def empty_piles(down: int) -> Any:
    """Returns how many piles are empty, or hold a king that came to an empty pile and the cards on it."""
    return PILES - count_ones((down | down >> 1 | down >> 2) & _EACH_PILE)


@kernel
def bottoms(game: Any, down: int) -> int:
    """Returns the roots with no card beneath them."""
    cards = 0
    for pile in range(PILES):
        if down >> 3 * pile & 7 == 1:
            cards |= game.piles[pile, 1]
    return cards


@kernel
def is_free(game: Any) -> bool:
    """Returns whether each card of the talon can be taken at any time."""
    return game.draw == 1 and not game.limited


@kernel
def in_reach(game: Any, left: int, waiting: int, clock: int) -> tuple[int, int]:
    """Returns the cards of the talon that can be taken, and the last card if taking it changes nothing else, or 0."""
    if is_free(game):
        return waiting, 0
    size, redeals, draw = clock % _REDEAL, clock // _REDEAL, game.draw
    again = not game.limited or redeals > 0
    reach = place = n = last = 0
    while left:
        if left & 1:
            n += 1
            last = game.talon[place]
            if (n >= size and (n - size) % draw == 0) or (again and n % draw == 0):
                reach |= last
        left >>= 1
        place += 1
    if n > size or again:
        reach |= last
    return reach, last if clock == 0 and not game.limited else 0


@kernel
def leave(game: Any, level: Any, card: int, up: int) -> Any:
    """Returns the level after a card has left; it changes if the card is a root or one of the talon."""
    down, roots, hidden, left, waiting, clock, _ = level
    index, obligation = index_of(card), 0
    if card & roots:
        pile = game.pile_of[index]
        down -= 1 << 3 * pile
        turned = game.piles[pile, down >> 3 * pile & 7]
        roots ^= card | turned
        hidden &= ~turned
        obligation = int(turned == 0 and not up)
        if down >> 3 * pile & 7 == 1 and turned & KINGS:  # the same as a king that came to an empty pile
            roots ^= turned
            down -= 1 << 3 * pile
    elif card & waiting:
        if not is_free(game):
            clock = _clock_after(game, left, clock, game.place[index])
        left ^= 1 << game.place[index]
        waiting ^= card
    if is_free(game):
        clock = index // 2 - 1 if card & level.waiting and not up else 0
    return Level(down, roots, hidden, left, waiting, clock, obligation)


@kernel
def _clock_after(game: Any, left: int, clock: int, place: int) -> int:
    """Returns the clock after the card at a place of the talon is taken."""
    total, size = count_ones(left), count_ones(left & ((1 << place) - 1))
    if not game.limited:
        return settled(game.draw, size, total - 1)
    waste, redeals = clock % _REDEAL, clock // _REDEAL
    ahead = size + 1 >= max(waste, 1) and ((size + 1 - waste) % game.draw == 0 or size + 1 == total)
    return size + _REDEAL * min(redeals - (not ahead), total - 1)


@kernel
def settled(draw: int, waste: int, total: int) -> int:
    """Returns the clock for a size of the waste, without a limit of passes."""
    return 0 if waste % draw == 0 or waste == total else waste


def clock_at(draw: int, waste: int, total: int, redeals: int | None) -> int:
    """Returns the clock at the start of a search."""
    return settled(draw, waste, total) if redeals is None else waste + _REDEAL * min(redeals, total)


@kernel
def key_of(game: Any, level: Any, heights: int) -> Any:
    """Returns a number, not 0, that is different for all levels and heights.

    There are 8! cases for the piles, 14**4 for the heights and 2**24 for the talon. With a clock of up to 24 the number
    stays below 2**60; with up to 24 redeals as well, it stays below 2**64.
    """
    down, left, clock, key = level.down, level.left, level.clock, 0
    for pile in range(PILES):
        key = key * game.radix[pile] + (down >> 3 * pile & 7)
    for suit in range(4):
        key = key * 14 + (heights >> 4 * suit & 15)
    key = key << STOCK_SIZE | left
    if game.limited:
        return (key * 25 + clock % _REDEAL) * 25 + clock // _REDEAL + 1
    return key << 5 | clock | MARK
