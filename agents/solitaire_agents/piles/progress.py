"""What progress is in a declared game: a measure of a position that no player can lower and raise for ever.

The measure is what is left to do, in this order:

1. cards in stock, waste and reserve, face-down cards, and, in games with a hole, the tableau's cards;
2. cards of the stock that the first pass has not drawn;
3. *blocks*: cards that lie on a card that they do not fit on;
4. cards that are not on a foundation;
5. cards that do not join the card beneath to a run, where a run takes more than to fit;
6. places, spaces and cells, that are not free.

No move raises the first three, taken in this order: a card that leaves its place in 1 never comes back, and players put
cards on cards that they fit on; only a deal from the stock makes new blocks. So a player who lowers the measure by
each *play*, be it of several moves, cannot go in circles, though cells, spaces and foundations give cards back.
"""

from functools import cache
from typing import Any, Final

import numpy as np

from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.piles.shape import EMPTY, PileShape, fitting

LEFT, FRESH, BLOCKS, NOT_UP, APART, OCCUPIED = range(6)
"""Parts of the measure, the heaviest first."""
PARTS: Final = 6
BITS: Final = 7
"""Bits of each part."""
_RANDOM_UP = np.random.default_rng(2027).integers(0, 2**63, (4, 14), np.int64)
"""[suit, cards on a foundation] -> a random number."""


@kernel
def part_of(measure: int, part: int) -> int:
    """Returns a part of the measure."""
    return (measure >> (BITS * (PARTS - 1 - part))) & ((1 << BITS) - 1)


@cache
def survey_of(shape: PileShape) -> Any:
    """Makes the kernel that surveys a state of a game, always the same one.

    It takes the state, and returns the measure, and a hash of what lies on what, which is the same whatever the order
    of the piles.
    """
    t, places, sizes = shape.game.tableau, shape.places, shape.sizes
    PILES, ROWS, CELLS = sizes.piles, sizes.rows, sizes.cells
    DOWN, STOCK, STACKED, TO_WASTE, HOLE = (
        sizes.downs,
        sizes.stock,
        sizes.stacked,
        shape.to_waste,
        shape.hole is not None,
    )
    SPREAD, RESERVE, WASTE, FIRST_CELL = (
        0 if STACKED else places.waste - places.reserve,
        places.reserve,
        places.waste,
        PILES,
    )
    FITS, JOINS = fits_on(shape, runs=False), fits_on(shape, runs=True)
    RUNS = t.run not in (None, t.build)
    SUIT, UNSEEN, NUMBER, LINES = shape.pack.suit, shape.pack.unseen, shape.pack.number, shape.pack.lines
    IN_CELL = shape.pack.codes  # as what a card lies on
    # [card, what it lies on] -> a random number; the hash is their sum.
    RANDOM = np.random.default_rng(2026).integers(0, 2**63, (IN_CELL, IN_CELL + 1), np.int64)

    @kernel
    def count_left(state: Any) -> int:
        left = 0
        if DOWN:
            for pile in range(PILES):
                left += state.downs[pile]
        if STACKED:
            left += state.reserve_size
        if SPREAD:
            for place in range(RESERVE, WASTE):
                left += state.tops[place] != EMPTY
        if STOCK:
            left += state.stock_size
        if TO_WASTE:
            left += state.waste_size
        if HOLE:
            for pile in range(PILES):
                left += state.heights[pile]
            for cell in range(CELLS):
                left += state.tops[FIRST_CELL + cell] != EMPTY
        return left

    @kernel
    def survey(state: Any) -> tuple[int, int]:
        left, fresh, blocks, up, apart, occupied, hash_ = count_left(state), 0, 0, 0, 0, 0, np.int64(0)
        if TO_WASTE:
            fresh = state.stock_size if state.current_pass == 1 else 0
        for pile in range(PILES):
            below, height = EMPTY, state.heights[pile]
            occupied += height > 0
            if DOWN:
                if state.downs[pile] > 0:
                    below = UNSEEN
            for row in range(height):
                card = state.tableau[ROWS * pile + row]
                hash_ += RANDOM[card, below]
                blocks += row > 0 and not FITS[below, card]
                if RUNS:
                    apart += not JOINS[below, card]
                below = card
        if CELLS:
            for cell in range(CELLS):
                card = state.tops[FIRST_CELL + cell]
                if card != EMPTY:
                    occupied += 1
                    hash_ += RANDOM[card, IN_CELL]
        if not HOLE:
            for line in range(LINES):
                up += state.foundations[line]
                hash_ += _RANDOM_UP[SUIT[NUM_RANKS * line + 1], state.foundations[line]]
        measure = np.int64(left)
        for part in (fresh, blocks, NUMBER - up, apart, occupied):
            measure = (measure << BITS) + part
        return int(measure), int(hash_)

    return survey


def fits_on(shape: PileShape, *, runs: bool) -> Any:
    """Returns [card below, card] -> whether the card fits on it, or joins it to a run."""
    t = shape.game.tableau
    table = np.zeros((shape.pack.codes, shape.pack.codes), np.bool_)
    for card, on_it in enumerate(fitting(shape.pack, (t.run if runs else None) or t.build)):
        table[card, on_it] = shape.pack.rank[on_it] > 0
    return table
