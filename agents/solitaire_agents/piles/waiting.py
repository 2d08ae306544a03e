"""The inputs that tell what the cards of a declared game wait for, where they go up to foundations.

They name ranks and kinds of places, but no suits, so that what is learned about one suit holds for all. A card waits
for the cards that it fits on, and a pile's top for those that fit on it; of these, the two that are easiest to reach
count, the easier one first.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.piles.codes import COVERED, KIND, KINDS, NEXT_PASS, OUT_OF_REACH, RETURNABLE, THIS_PASS, TOP, UP
from solitaire_agents.piles.talon import talon_of
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.piles.shape import EMPTY, PileShape

MOST_PLAYABLE: Final = 12
_PAIR: Final = (KINDS, KINDS)
_BITS: Final = 5
"""Bits of a number of piles."""


def waiting_blocks(shape: PileShape) -> dict[str, tuple[int, ...]]:
    """Returns the blocks of these inputs: name -> its axes."""
    blocks: dict[str, tuple[int, ...]] = {
        "kind": (NUM_RANKS, NUM_RANKS + 1, KINDS),  # a card's rank, how high its foundation is, and where the card is
        "top_waits": (NUM_RANKS, *_PAIR),
    }
    if shape.sizes.downs:
        downs = int(shape.face_down.max()) + 1  # numbers of face-down cards in a pile
        blocks |= {
            "pile_waits": (downs, *_PAIR),  # the undermost face-up card of a pile with face-down cards
            "rank_waits": (NUM_RANKS, *_PAIR),
            "to_go": (downs, NUM_RANKS),  # how many cards have to go up before it can
            "depth": (downs, NUM_RANKS + 1),
            "piles": (downs, shape.sizes.piles + 1),  # how many piles have so many face-down cards
            "turned": (downs,),
            "all_down": (shape.sizes.downs + 1,),
        }
    if shape.to_waste:
        blocks |= {
            "talon_waits": (3, *_PAIR),  # by when it comes up
            "talon_rank_waits": (NUM_RANKS, *_PAIR),
            "playable": (2, MOST_PLAYABLE + 1),  # cards of the talon that have a place, in this pass and the next
        }
    return blocks


def hosts_of(shape: PileShape) -> NDArray[np.uint8]:
    """Returns [card, n] -> the n-th card that it fits on, EMPTY if there is none."""
    hosts = np.zeros_like(shape.fits)
    for card in range(1, shape.pack.unseen):
        on = np.flatnonzero((shape.fits == card).any(axis=1))
        hosts[card, : len(on)] = on
    return hosts


def _two_of(cards: NDArray[np.uint8]) -> Any:
    """Makes the kernel (codes, card) -> the kinds of place of two cards in the row of a card, as one number."""
    WIDTH = cards.shape[1]

    @kernel
    def two(codes: Any, card: int) -> int:
        first, second = 0, 0
        for j in range(WIDTH):
            kind = KIND[codes[cards[card, j]]]
            if kind > first:
                first, second = kind, first
            elif kind > second:
                second = kind
        return int(KINDS * first + (second if WIDTH > 1 else first))

    return two


def waiting_of(shape: PileShape, firsts: Mapping[str, int]) -> Any:  # noqa: PLR0915  # short kernels that share names
    """Makes the kernel that writes these inputs.

    Args:
        shape: The game's numbers.
        firsts: The first input of each block.

    Returns:
        The kernel (rules, state, codes of all cards, empty piles, on, number of inputs so far) -> their number then.
    """
    sizes, pack, fits, hosts = shape.sizes, shape.pack, shape.fits, hosts_of(shape)
    PILES, ROWS, DOWN, TO_WASTE = sizes.piles, sizes.rows, sizes.downs > 0, shape.to_waste
    DOWNS, COPIES, UNSEEN, RANK = int(shape.face_down.max()) + 1, pack.copies, pack.unseen, pack.rank
    SAME_SUIT = np.zeros((pack.codes, COPIES), np.int64)  # [card, copy] -> a line of its suit
    for card in range(1, UNSEEN):
        SAME_SUIT[card] = np.flatnonzero(pack.suit[1:UNSEEN:NUM_RANKS] == pack.suit[card])
    two_hosts, two_guests = _two_of(hosts), _two_of(fits)
    known, _, _, card_at = talon_of(shape)
    KINDS_OF_CARDS, TOP_WAITS, PILE_WAITS, RANK_WAITS, TO_GO, DEPTH, PILES_BY, TURNED, ALL_DOWN = (
        firsts.get(name, -1)
        for name in ("kind", "top_waits", "pile_waits", "rank_waits", "to_go", "depth", "piles", "turned", "all_down")
    )
    TALON_WAITS, TALON_RANK_WAITS, PLAYABLE = (
        firsts.get(name, -1) for name in ("talon_waits", "talon_rank_waits", "playable")
    )

    @kernel
    def waiting(rules: Any, state: Any, codes: Any, spaces: int, on: Any, n: int) -> int:
        for card in range(1, UNSEEN):
            if codes[card] not in (UP, RETURNABLE):
                row = (RANK[card] - 1) * (NUM_RANKS + 1) + height_for(state, card)
                on[n] = KINDS_OF_CARDS + row * KINDS + KIND[codes[card]]
                n += 1
        n = tops(state, codes, on, n)
        if DOWN:
            n = piles(state, codes, spaces, on, n)
        if TO_WASTE:
            n = talon(state, codes, spaces, on, n)
        return n

    @kernel
    def height_for(state: Any, card: int) -> int:
        """Returns how high a foundation of the card's suit is, with two packs the lower one."""
        height = NUM_RANKS
        for copy in range(COPIES):
            height = min(height, state.foundations[SAME_SUIT[card, copy]])
        return int(height)

    @kernel
    def hosts_for(codes: Any, card: int, spaces: int) -> int:
        """Returns what a card waits for; one that fits on none waits for an empty pile."""
        if hosts[card, 0] == EMPTY:
            return int((KINDS + 1) * (TOP if spaces > 0 else COVERED))
        return int(two_hosts(codes, card))

    @kernel
    def tops(state: Any, codes: Any, on: Any, n: int) -> int:
        for pile in range(PILES):
            top = state.tops[pile]
            if RANK[top] > 1:
                on[n] = TOP_WAITS + (RANK[top] - 1) * KINDS * KINDS + two_guests(codes, top)
                n += 1
        return n

    @kernel
    def piles(state: Any, codes: Any, spaces: int, on: Any, n: int) -> int:
        """Writes what the piles with face-down cards wait for, and how many there are of each sort."""
        counts, all_down = 0, 0
        if DOWN:
            for pile in range(PILES):
                height, downs, undermost = state.heights[pile], state.downs[pile], state.tableau[ROWS * pile]
                all_down += downs
                if height == 0:
                    continue
                counts += 1 << _BITS * downs
                if state.tops[pile] == UNSEEN:
                    on[n] = TURNED + downs
                    n += 1
                if downs > 0 and undermost != UNSEEN:
                    rank, pair = RANK[undermost] - 1, hosts_for(codes, undermost, spaces)
                    on[n] = DEPTH + downs * (NUM_RANKS + 1) + min(height, NUM_RANKS)
                    on[n + 1] = TO_GO + NUM_RANKS * downs + rank - height_for(state, undermost)
                    on[n + 2] = PILE_WAITS + downs * KINDS * KINDS + pair
                    on[n + 3] = RANK_WAITS + rank * KINDS * KINDS + pair
                    n += 4
            for downs in range(DOWNS):
                on[n + downs] = PILES_BY + (PILES + 1) * downs + (counts >> _BITS * downs & (1 << _BITS) - 1)
            n += DOWNS
            on[n] = ALL_DOWN + all_down
            n += 1
        return n

    @kernel
    def talon(state: Any, codes: Any, spaces: int, on: Any, n: int) -> int:
        """Writes what the known cards of waste and stock wait for, and how many of them have a place."""
        if TO_WASTE:
            now, later = 0, 0
            for place in range(1, known(state) + 1):
                card = card_at(state, place)
                if card == UNSEEN:
                    continue
                kind, pair = KIND[codes[card]], hosts_for(codes, card, spaces)
                on[n] = TALON_WAITS + (THIS_PASS - kind) * KINDS * KINDS + pair
                n += 1
                if kind != OUT_OF_REACH:
                    on[n] = TALON_RANK_WAITS + (RANK[card] - 1) * KINDS * KINDS + pair
                    n += 1
                if pair >= KINDS * TOP or height_for(state, card) == RANK[card] - 1:
                    now += kind == THIS_PASS
                    later += kind == NEXT_PASS
            on[n] = PLAYABLE + min(now, MOST_PLAYABLE)
            on[n + 1] = PLAYABLE + MOST_PLAYABLE + 1 + min(later, MOST_PLAYABLE)
            n += 2
        return n

    return waiting
