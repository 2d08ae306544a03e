"""Sizes, places, actions and tables of a declared game: the numbers that its kernels close over.

In a state a card is its number plus one, so that EMPTY is 0. Two packs have two cards of each rank and suit, with
numbers of their own, so a number says where a card lies. Ranks are relative to the base rank: a game with a base rank
is the same game with other names on the cards.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import NUM_CARDS, NUM_RANKS, SUITS
from solitaire_envs.piles.declaration import Build, Hole, PileGame

EMPTY, NO_CARD = 0, 255
"""NO_CARD equals no card of a state, no unseen and no empty one either."""
ACE_OF_SPADES = NUM_RANKS * SUITS.index("S") + 1
SHOWN_SUITS = {4: (0, 1, 2, 3), 2: (3, 2, 2, 3), 1: (3, 3, 3, 3)}
"""Suits that the cards of a game have -> the suit of each of the four in a pack."""


class Pack(NamedTuple):
    """The cards of a game. A *line* is the 13 cards of a suit in one pack, 0..3, of a second pack 4..7."""

    number: int
    """N"""
    lines: int
    copies: int
    """Cards of the same rank and suit."""
    unseen: int
    """Stands for a card that nothing is known of; it fits nowhere."""
    codes: int
    """Numbers in a state: EMPTY, the cards, and the unseen one."""
    rank: NDArray[np.int64]
    suit: NDArray[np.int64]
    """[codes] relative rank and suit; EMPTY and an unseen card have rank 0."""
    line: NDArray[np.int64]
    """[codes]"""
    is_red: NDArray[np.bool_]
    """[codes]"""
    face: NDArray[np.int64]
    """[codes] -> the card of one pack, 1..52, that it looks like; EMPTY; or 53, unseen."""
    next_up: NDArray[np.uint8]
    """[line, cards on its foundation, copy] -> a card that goes there next."""


@cache
def pack_of(packs: int, suits: int) -> Pack:
    """Returns the cards of some packs with some suits."""
    number, lines = NUM_CARDS * packs, 4 * packs
    shown = [SHOWN_SUITS[suits][line % 4] for line in range(lines)]
    rank = np.array([0, *np.tile(np.arange(1, NUM_RANKS + 1), lines), 0])
    line = np.array([0, *np.repeat(np.arange(lines), NUM_RANKS), 0])
    suit = np.array(shown)[line]
    alike = [[each for each in range(lines) if shown[each] == shown[one]] for one in range(lines)]
    next_up = np.zeros((lines, NUM_RANKS + 1, len(alike[0])), np.uint8)
    for one in range(lines):
        for count in range(NUM_RANKS):
            next_up[one, count] = [NUM_RANKS * each + count + 1 for each in alike[one]]
    face = np.where(rank > 0, NUM_RANKS * suit + rank, 0)
    face[-1] = NUM_CARDS + 1
    is_red = np.isin(suit, [SUITS.index("D"), SUITS.index("H")])
    return Pack(number, lines, len(alike[0]), number + 1, number + 2, rank, suit, line, is_red, face, next_up)


REAL = np.array(
    [
        [EMPTY, *(13 * suit + (rank + base) % 13 + 1 for suit in range(4) for rank in range(13)), NUM_CARDS + 1]
        for base in range(NUM_RANKS)
    ],
    np.uint8,
)
"""[base rank 0..12, card] -> the card with its printed rank, in one pack."""
RELATIVE = np.argsort(REAL, axis=1).astype(np.uint8)
"""[base rank, card with its printed rank] -> the card."""


class Sizes(NamedTuple):
    """Numbers of things."""

    piles: int
    rows: int
    """Room for the face-up cards of a pile."""
    downs: int
    """Cards of the tableau that are dealt face down."""
    cells: int
    stacked: int
    """Cards of a reserve in one pile."""
    stock: int
    tableau: int
    """Cards of the tableau."""
    fits: int
    """Cards that can fit on a card."""


class Places(NamedTuple):
    """The first place of each kind; the piles are the first places of all."""

    cell: int
    reserve: int
    waste: int
    foundation: int
    """One for each line; the hole is the first."""
    nowhere: int
    """Where a card is that cannot be taken."""


class FirstActions(NamedTuple):
    """The first action of each kind, in their order; -1: there are none."""

    draw: int
    redeal: int
    up: int
    """To the foundation of each line, each of the cards that are alike. In the hole: suit by suit the card one rank
    lower, then the one higher. Of whole runs: by the line of their ace."""
    to_pile: int
    """To each pile, the cards that fit on its top, by line."""
    to_cell: int
    """The top of each pile to a cell."""
    to_space: int
    """To an empty pile: each card by its relative rank, line by line; or the king of each line."""
    total: int


@dataclass(frozen=True, eq=False)
class PileShape:
    """All numbers of a declared game."""

    game: PileGame

    @property
    def pack(self) -> Pack:
        """Its cards."""
        return pack_of(self.game.packs, self.game.suits)

    @cached_property
    def fits(self) -> NDArray[np.uint8]:
        """[card, n] -> the n-th card that fits on it, EMPTY if there is none. Nothing fits on EMPTY."""
        return fitting(self.pack, self.game.tableau.build)

    @property
    def ups(self) -> int:
        """Actions to the foundations or the hole."""
        return 8 if self.hole else self.pack.lines * (1 if self.takes_runs else self.pack.copies)

    @property
    def hole(self) -> Hole | None:
        """The hole, if the game has one."""
        return self.game.goal if isinstance(self.game.goal, Hole) else None

    @property
    def start(self) -> str:
        """What lies on the foundations at the start."""
        return "" if isinstance(self.game.goal, Hole) else self.game.goal.start

    @property
    def takes_runs(self) -> bool:
        """Whether only whole runs go to the foundations."""
        return not isinstance(self.game.goal, Hole) and self.game.goal.takes == "runs"

    @property
    def returns(self) -> bool:
        """Whether cards may come back from the foundations."""
        return not isinstance(self.game.goal, Hole) and self.game.goal.returns

    @property
    def to_waste(self) -> bool:
        """Whether there is a waste."""
        return self.game.stock is not None and self.game.stock.to == "waste"

    @cached_property
    def face_down(self) -> NDArray[np.int64]:
        """The face-down cards of each pile at the start."""
        up = self.game.tableau.face_up
        return np.array([0 if up is None else max(0, cards - up) for cards in self.game.tableau.deal], np.int64)

    @property
    def hides(self) -> bool:
        """Whether a player does not know all cards at the start."""
        return self.sizes.stock > 0 or self.sizes.downs > 0 or self.sizes.stacked > 0

    @property
    def all_move(self) -> bool:
        """Whether every face-up card of the tableau moves with those on it, so that runs need not be counted."""
        t = self.game.tableau
        dealt_on = self.game.stock is not None and self.game.stock.to == "tableau"
        always_runs = max(np.array(t.deal) - self.face_down) == 1 and t.run in (None, t.build) and not dealt_on
        return t.moves == "groups" or (t.moves == "runs" and bool(always_runs))

    @cached_property
    def sizes(self) -> Sizes:
        """Its sizes."""
        game, t = self.game, self.game.tableau
        reserve = game.reserve
        return Sizes(
            piles=len(t.deal),
            rows=self._rows(),
            downs=int(self.face_down.sum()),
            cells=game.cells.number if game.cells else 0,
            stacked=reserve.cards if reserve is not None and reserve.stacked else 0,
            stock=game.stock_size,
            tableau=sum(t.deal),
            fits=self.fits.shape[1] if t.build.suits != "none" else 0,
        )

    def _rows(self) -> int:
        """Returns room enough: on the cards dealt to a pile go 12 more, as each has to fit on the one before."""
        t, stock = self.game.tableau, self.game.stock
        dealt = -(-self.game.stock_size // len(t.deal)) if stock is not None and stock.to == "tableau" else 0
        up = max(np.array(t.deal) - self.face_down)
        if t.build.suits == "none":
            return int(up) + dealt
        number = self.pack.number
        return number if t.moves == "groups" or t.build.wrap else min(number, int(up) + 12 + 13 * dealt)

    @cached_property
    def places(self) -> Places:
        """Its places."""
        reserve = self.game.reserve
        cell = len(self.game.tableau.deal)
        first = cell + self.sizes.cells
        waste = first + (0 if reserve is None else 1 if reserve.stacked else reserve.cards)
        nowhere = waste + 1 + self.pack.lines
        return Places(cell=cell, reserve=first, waste=waste, foundation=waste + 1, nowhere=nowhere)

    @cached_property
    def actions(self) -> FirstActions:
        """Its actions."""
        sizes, pack = self.sizes, self.pack
        spaces = {"any": pack.number, "kings": pack.lines, "none": 0}[self.game.tableau.spaces]
        counts = {
            "draw": int(self.game.stock is not None),
            "redeal": int(self.to_waste),
            "up": self.ups,
            "to_pile": sizes.piles * sizes.fits,
            "to_cell": sizes.piles * (sizes.cells > 0),
            "to_space": spaces,
        }
        firsts, count = {}, 0
        for kind, number in counts.items():
            firsts[kind] = count if number else -1
            count += number
        return FirstActions(**firsts, total=count)

    def dealing(self) -> Iterator[tuple[int, bool]]:
        """Yields the place of each card in dealing order, and whether it lies face up; the rest is the stock."""
        t, places, reserve = self.game.tableau, self.places, self.game.reserve
        if self.start == "base":
            yield places.foundation, True
        if reserve is not None:
            for index in range(reserve.cards):
                yield places.reserve + (0 if reserve.stacked else index), not reserve.stacked
        for row in range(max(t.deal)):
            for pile in range(len(t.deal)):
                if row < t.deal[pile]:
                    yield pile, row >= self.face_down[pile]
        for cell in range(self.game.cells.filled if self.game.cells else 0):
            yield places.cell + cell, True
        if self.hole and self.hole.start == "first":
            yield places.foundation, True


def fitting(pack: Pack, build: Build) -> NDArray[np.uint8]:
    """Returns [card, n] -> the n-th card that fits on it, EMPTY if there is none. Nothing fits on EMPTY."""
    return np.array([_on(pack, build, card) for card in range(pack.codes)], np.uint8)


def _on(pack: Pack, build: Build, card: int) -> list[int]:
    rank = pack.rank[card] - 1 or (NUM_RANKS if build.wrap else 0)
    lines = {
        "any": range(pack.lines),
        "alternating": [line for line in range(pack.lines) if pack.is_red[13 * line + 1] != pack.is_red[card]],
        "same": [line for line in range(pack.lines) if pack.suit[13 * line + 1] == pack.suit[card]],
        "none": [0],
    }[build.suits]
    fits = rank > 0 and pack.rank[card] > 0 and build.suits != "none"
    return [13 * line + int(rank) if fits else EMPTY for line in lines]


def neighbours(pack: Pack, wrap: bool) -> NDArray[np.uint8]:
    """Returns [card, 8] -> the cards one rank lower and higher, suit by suit; EMPTY if there is none."""
    table = np.zeros((pack.codes, 8), np.uint8)
    for card in range(1, pack.unseen):
        for suit in range(4):
            for side, rank in enumerate((pack.rank[card] - 1, pack.rank[card] + 1)):
                around = (rank - 1) % NUM_RANKS + 1
                table[card, 2 * suit + side] = 13 * suit + around if wrap or around == rank else EMPTY
    return table
