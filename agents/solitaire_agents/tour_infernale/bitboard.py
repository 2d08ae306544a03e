"""A table of La tour infernale as three machine words, on which search and playouts run.

A card is a slot, 4 * rank + suit with ranks from 0, and a set of cards a word with their bits. A *configuration* is
three words a, b, c. A card's bits in them tell where it lies: c set: on the card one rank higher whose suit is (b, a);
only a set: at the bottom of a pile; none set: not in the tableau, that is in stock or waste, unless the foundations
have it. Which pile is which is left out, for it makes no difference.

Bits 52..59 hold cards on the foundations, 4 bits each: in a of clubs and diamonds, in b of hearts and spades.
"""

from typing import Any, Final

import numpy as np

from solitaire_envs.jit import kernel

CARDS: Final = (1 << 52) - 1
CLUBS: Final = sum(1 << 4 * rank for rank in range(13))
FULL: Final = 13 << 4 | 13  # two foundations
_INDEX_OF_BIT: Final = np.zeros(67, np.int64)  # 2 is a primitive root of 67, so 2**i % 67 tells i < 66
_INDEX_OF_BIT[[pow(2, i, 67) for i in range(64)]] = range(64)

# A move is slot << 3 | kind; kinds 0..3 put a card on the one of that suit. At a redeal the slot says nothing.
ON_BOTTOM, TO_FOUNDATION, DRAWN, REDEALT = 4, 5, 6, 7
NO_MOVE: Final = -1


def slot_of(card: int) -> int:
    """Returns the slot of a card 0..51."""
    return card % 13 * 4 + card // 13


@kernel
def index_of(bit: int) -> Any:
    """The slot of a single bit."""
    return _INDEX_OF_BIT[bit % 67]


@kernel
def size_of(word: int) -> int:
    """The number of cards in a set."""
    n = 0
    while word:
        word &= word - 1
        n += 1
    return n


@kernel
def heights_of(a: int, b: int) -> int:
    """Cards on each foundation, 4 bits each."""
    return a >> 52 | (b >> 52) << 8


@kernel
def raised(heights: int) -> int:
    """The cards on the foundations."""
    word = 0
    for suit in range(4):
        word |= (CLUBS & ((1 << 4 * (heights >> 4 * suit & 15)) - 1)) << suit
    return word


@kernel
def go_up(a: int, b: int, c: int, i: int) -> tuple[int, int, int]:
    """Moves a card to its foundation, wherever it was."""
    x = 1 << i
    a, b, c = a & ~x, b & ~x, c & ~x
    return (a + (1 << 52 + 4 * (i & 3)), b, c) if i & 2 == 0 else (a, b + (1 << 44 + 4 * (i & 3)), c)


@kernel
def next_up(heights: int) -> tuple[int, int]:
    """The next card of each foundation, and those of them that are safe."""
    least = 13
    for suit in range(4):
        least = min(least, heights >> 4 * suit & 15)
    word = safe = 0
    for suit in range(4):
        rank = heights >> 4 * suit & 15
        if rank < 13:
            bit = 1 << 4 * rank + suit
            word |= bit
            safe |= bit * (rank <= least + 1)
    return word, safe


@kernel
def talon_of(a: int, b: int, c: int) -> int:
    """The cards of stock and waste."""
    return CARDS & ~(a | c | raised(heights_of(a, b)))


@kernel
def fold(word: int) -> int:
    """Whether a rank has a card at all, at its club."""
    word |= word >> 1
    word |= word >> 2
    return word & CLUBS


@kernel
def tops_of(a: int, b: int, c: int) -> int:
    """The top cards of the piles."""
    covered = fold(c & ~a & ~b) << 4
    covered |= fold(c & a & ~b) << 5
    covered |= fold(c & ~a & b) << 6
    covered |= fold(c & a & b) << 7
    return (c | a) & ~covered & CARDS


@kernel
def bases_of(tops: int, i: int) -> int:
    """The suits of the tops that a card may be put on, a bit each."""
    return tops >> (i & ~3) + 4 & 15


@kernel
def movable(tops: int) -> int:
    """Those of the tops that may be put on another."""
    return tops & 15 * (fold(tops) >> 4)


@kernel
def put(a: int, b: int, c: int, i: int, kind: int) -> tuple[int, int, int]:
    """Puts a card in its place in the tableau, wherever it was."""
    x = 1 << i
    if kind == ON_BOTTOM:
        return a | x, b & ~x, c & ~x
    return a & ~x | (kind & 1) << i, b & ~x | (kind >> 1) << i, c | x
