"""Cards as bits of one word, and what they can do in a tableau.

A card is bit 4 * (rank - 1) + 2 * side + twin. The side is the colour, but swaps with each rank: so the two cards that
a card may be put on are four bits above its own pair. *Twins* are the two cards of one rank and colour.

*Places.* A card on another one takes one of the two places that the twins below it offer. Only the number of places
taken on a pair of twins matters: if one twin is covered and the other is not, the cards on it can move across. So a
tableau is given by the set of its cards and by its *roots*, which lie on no face-up card and take no place. Which of
two twins a card lies on does not change what can be reached.
"""

from typing import Any, Final

import numpy as np

from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import kernel

_RED: Final = (0, 1, 1, 0)
BIT_OF: Final = np.array(
    [4 * rank + 2 * (_RED[suit] ^ rank & 1) + suit // 2 for suit in range(4) for rank in range(NUM_RANKS)]
)
"""Card 0..51 -> the index of its bit."""
CARD_AT: Final = np.argsort(BIT_OF)
"""Index of a bit -> its card 0..51."""
SUIT_AT: Final = CARD_AT // NUM_RANKS
SUITS_OF_CARDS: Final = np.array([sum(1 << int(bit) for bit in BIT_OF[13 * suit :][:13]) for suit in range(4)])
ACES: Final = 0xF
KINGS: Final = 0xF << 4 * (NUM_RANKS - 1)
TWINS_A: Final = int("01" * (NUM_CARDS // 2), 2)


def _sets(first: int, last: int) -> Any:
    """Returns heights of two suits -> their cards from height + first to height + last; the halves are [CD, HS]."""
    table = np.zeros((2, 256), np.int64)
    for half in range(2):
        for heights in range(256):
            for side in range(2):
                suit, height = 2 * half + side, heights >> 4 * side & 15
                for rank in range(1, NUM_RANKS + 1):
                    inside = height + first <= rank <= height + last
                    table[half, heights] |= inside << int(BIT_OF[NUM_RANKS * suit + rank - 1])
    return table


_UP: Final = _sets(-NUM_RANKS, 0)
_TOP: Final = _sets(0, 0)
_NEXT: Final = _sets(1, 1)


# Heights of the foundations are one number, 4 bits a suit: clubs, diamonds, hearts, spades.


@kernel
def cards_up(heights: int) -> Any:
    """Returns the cards on the foundations."""
    return _UP[0, heights & 255] | _UP[1, heights >> 8]


@kernel
def tops_up(heights: int) -> Any:
    """Returns the top card of each foundation."""
    return _TOP[0, heights & 255] | _TOP[1, heights >> 8]


@kernel
def next_up(heights: int) -> Any:
    """Returns the next card of each foundation."""
    return _NEXT[0, heights & 255] | _NEXT[1, heights >> 8]


@kernel
def free_places(tableau: int, roots: int) -> Any:
    """Returns the cards for which a place on a card of the tableau is free; a king's place is an empty pile."""
    below, above = tableau >> 4, tableau & ~roots  # cards that offer places, moved to those they fit; those that take
    offer_one, offer_two = (below | below >> 1) & TWINS_A, below & below >> 1 & TWINS_A
    take_one, take_two = (above | above >> 1) & TWINS_A, above & above >> 1 & TWINS_A
    return 3 * (offer_one & ~take_one | offer_two & ~take_two)


@kernel
def uncovered(free: int) -> Any:
    """Returns the cards that can be uncovered, given the free places: a card on them can move to the twin."""
    return free << 4 | ACES


@kernel
def is_safe(heights: int, suit: int) -> bool:
    """Returns whether the next card of a suit can go up for good; the reason is in `components`."""
    height, twin = heights >> 4 * suit & 15, heights >> 4 * (3 - suit) & 15
    one, two = (0, 12) if suit in (1, 2) else (4, 8)
    return bool(height <= min(heights >> one & 15, heights >> two & 15) + 1 and height <= twin + 2)
