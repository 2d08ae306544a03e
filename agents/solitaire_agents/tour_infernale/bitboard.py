"""A position of La tour infernale as a bitboard: three machine words that all searches and rollouts use.

A card is a *bit*, number 4 * rank + suit with ranks from 0, and a set of cards is a word. A *bitboard* is three words
a, b, c. A card's bits in them say where it lies. If c is set, it lies on the card one rank higher whose suit is (b, a).
If only a is set, it lies at the bottom of a pile. If none is set, it is not in the tableau: it is in the *talon* (stock
and waste), or on its foundation. The order of the piles is left out because it makes no difference.

Bits 52..59 hold the numbers of cards on the foundations, 4 bits each: word a those of clubs and diamonds, word b those
of hearts and spades. The order of the talon is kept elsewhere; see `talon`.

A *move* is bit << 3 | kind. Kinds 0..3 put the card on the card one rank higher of that suit; the other kinds are named
below. At a redeal the bit has no meaning.

Searches keep bitboards in structured arrays. A *row* of these is a record with the fields of `BOARD_FIELDS`.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.bits import count_ones
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import ACTIONS, AT, FOUNDATION, MAX_PILES, REDEAL, WASTE

CARDS: Final = (1 << NUM_CARDS) - 1
"""All cards."""
CLUBS: Final = sum(1 << 4 * rank for rank in range(NUM_RANKS))
"""All clubs. Shifted left by a suit's number: all cards of that suit."""
FULL: Final = 13 << 4 | 13
"""Bits 52..59 of a or b when both foundations are full."""

ON_BOTTOM, TO_FOUNDATION, DRAWN, REDEALT = 4, 5, 6, 7
NO_MOVE: Final = -1
NO_BIT: Final = -1
"""Stands for a bit where there is no card."""

BOARD_FIELDS: Final = [("a", np.int64), ("b", np.int64), ("c", np.int64)]
"""The fields of a bitboard in a structured array."""


class Bitboard(NamedTuple):
    """The three words; see the module's text."""

    a: int
    b: int
    c: int


def bit_of(card: int) -> int:
    """Returns the bit of a card 0..51."""
    return card % NUM_RANKS * 4 + card // NUM_RANKS


ACTION_OF = np.zeros((MAX_PILES + 1, MAX_PILES + 1), dtype=np.int64)
"""[source, target] -> the environment's action, where both are a pile, `WASTE` or `FOUNDATION`."""
for _action, (_source, _target) in enumerate(ACTIONS[REDEAL + 1 :], start=REDEAL + 1):
    ACTION_OF[_source, _target] = _action

# --- Rows -------------------------------------------------------------------------------------------------------------


@kernel
def board_of(row: Any) -> Bitboard:
    """Returns the bitboard that a row holds."""
    return Bitboard(row.a, row.b, row.c)


@kernel
def write_board(row: Any, board: Bitboard) -> None:
    """Writes a bitboard to a row."""
    row.a, row.b, row.c = board.a, board.b, board.c


@kernel
def holds(row: Any, board: Bitboard) -> bool:
    """Returns whether a row holds this bitboard."""
    return bool(row.a == board.a and row.b == board.b and row.c == board.c)


# --- Sets of cards ----------------------------------------------------------------------------------------------------


@kernel
def heights_of(board: Bitboard) -> int:
    """Returns the number of cards on each foundation, 4 bits each."""
    return board.a >> 52 | (board.b >> 52) << 8


@kernel
def is_won(board: Bitboard) -> bool:
    """Returns whether all cards are on the foundations."""
    return board.a >> 52 == FULL and board.b >> 52 == FULL


@kernel
def raised(heights: int) -> int:
    """Returns the cards on the foundations."""
    word = 0
    for suit in range(4):
        word |= (CLUBS & ((1 << 4 * (heights >> 4 * suit & 15)) - 1)) << suit
    return word


@kernel
def next_up(heights: int) -> tuple[int, int]:
    """Returns the next card of each foundation, and the safe ones among these cards.

    A card is safe if all cards two ranks lower are on their foundations: nothing can need it in the tableau.
    """
    least = 13
    for suit in range(4):
        least = min(least, heights >> 4 * suit & 15)
    word = safe = 0
    for suit in range(4):
        rank = heights >> 4 * suit & 15
        if rank < 13:
            x = 1 << 4 * rank + suit
            word |= x
            safe |= x * (rank <= least + 1)
    return word, safe


@kernel
def tableau_of(board: Bitboard) -> int:
    """Returns the cards of the tableau."""
    return (board.a | board.c) & CARDS


@kernel
def talon_of(board: Bitboard) -> int:
    """Returns the cards of stock and waste."""
    return CARDS & ~(board.a | board.c | raised(heights_of(board)))


@kernel
def fold(word: int) -> int:
    """Returns the club of each rank that occurs in a set."""
    word |= word >> 1
    word |= word >> 2
    return word & CLUBS


@kernel
def tops_of(board: Bitboard) -> int:
    """Returns the top cards of the piles."""
    a, b, c = board
    covered = fold(c & ~a & ~b) << 4
    covered |= fold(c & a & ~b) << 5
    covered |= fold(c & ~a & b) << 6
    covered |= fold(c & a & b) << 7
    return (c | a) & ~covered & CARDS


@kernel
def empty_piles(board: Bitboard, piles: int) -> int:
    """Returns how many of the piles are empty."""
    return piles - count_ones(board.a & ~board.c & CARDS)


# --- Moves ------------------------------------------------------------------------------------------------------------


@kernel
def base_of(board: Bitboard, i: int) -> int:
    """Returns the card that card i lies on, if it lies on one."""
    return (i & ~3) + 4 + (board.a >> i & 1 | (board.b >> i & 1) << 1)


@kernel
def bases_of(tops: int, i: int) -> int:
    """Returns the suits of the tops that card i may be put on, one bit each."""
    return tops >> (i & ~3) + 4 & 15


@kernel
def movable(tops: int) -> int:
    """Returns the tops that may be put on another top."""
    return tops & 15 * (fold(tops) >> 4)


@kernel
def go_up(board: Bitboard, i: int) -> Bitboard:
    """Moves card i to its foundation, wherever it is."""
    x = 1 << i
    a, b, c = board.a & ~x, board.b & ~x, board.c & ~x
    if i & 2 == 0:
        return Bitboard(a + (1 << 52 + 4 * (i & 3)), b, c)
    return Bitboard(a, b + (1 << 44 + 4 * (i & 3)), c)


@kernel
def put(board: Bitboard, i: int, kind: int) -> Bitboard:
    """Moves card i to a place in the tableau, wherever it is."""
    a, b, c = board
    x = 1 << i
    if kind == ON_BOTTOM:
        return Bitboard(a | x, b & ~x, c & ~x)
    return Bitboard(a & ~x | (kind & 1) << i, b & ~x | (kind >> 1) << i, c | x)


@kernel
def move_card(board: Bitboard, move: int) -> Bitboard:
    """Plays a move that is neither a draw nor a redeal."""
    i, kind = move >> 3, move & 7
    return go_up(board, i) if kind == TO_FOUNDATION else put(board, i, kind)


# --- From and to the environment --------------------------------------------------------------------------------------

BIT_SHOWN = np.array([NO_BIT, *(bit_of(card) for card in range(NUM_CARDS)), NO_BIT], dtype=np.int64)
"""Value of an observation's slot -> the bit of that card; `NO_BIT` where there is no card, or an unseen one."""


@kernel
def board_seen(observation: Any) -> Bitboard:
    """Returns the bitboard of the position that an observation (int16 [O]) shows."""
    a = b = c = 0
    for suit in range(2):
        a |= int(observation[AT.foundations + suit]) << 52 + 4 * suit
        b |= int(observation[AT.foundations + 2 + suit]) << 52 + 4 * suit
    for pile in range(MAX_PILES):
        below = NO_BIT
        for index in range(NUM_RANKS):
            i = BIT_SHOWN[observation[pile * NUM_RANKS + index]]
            if i >= 0 and below < 0:
                a |= 1 << i
            elif i >= 0:
                a, b, c = a | (below & 1) << i, b | (below >> 1 & 1) << i, c | 1 << i
            below = i
    return Bitboard(a, b, c)


@kernel
def action_of(observation: Any, move: int) -> int:
    """Returns the environment's action for a move of a card, in the position that an observation (int16 [O]) shows."""
    i, kind = move >> 3, move & 7
    base = NO_BIT if kind == ON_BOTTOM else (i & ~3) + 4 + kind
    source, target = WASTE, FOUNDATION
    for pile in range(MAX_PILES - 1, -1, -1):
        top = _top_of(observation, pile)
        if top == i:
            source = pile
        if kind != TO_FOUNDATION and top == base:
            target = pile
    return int(ACTION_OF[source, target])


@kernel
def _top_of(observation: Any, pile: int) -> int:
    """Returns the bit of a pile's top card, `NO_BIT` if the pile is empty."""
    top = NO_BIT
    for index in range(NUM_RANKS):
        i = BIT_SHOWN[observation[pile * NUM_RANKS + index]]
        top = i if i >= 0 else top
    return top
