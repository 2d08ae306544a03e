"""A position of Klondike, all cards known, for use from Python."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import NUM_CARDS, NUM_RANKS, SUITS, card_text
from solitaire_envs.klondike import FACE_DOWN, FIRST_DOWN, STOCK_SIZE, TABLEAU_SIZE
from solitaire_envs.klondike_table import ACTIONS, DRAW, FOUNDATION, PILES, REDEAL, WASTE, stock_cards, waste_cards

Piles = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Position:
    """A position in play. Cards are numbers 0..51; an unseen card is 52. A game may lack some of the 52 cards."""

    face_down: Piles
    """The face-down cards of each pile from its bottom."""
    face_up: Piles
    """The face-up cards on them in each pile, its top last."""
    stock: tuple[int, ...]
    """Top first."""
    waste: tuple[int, ...] = ()
    """Top first."""
    foundations: tuple[int, ...] = (0, 0, 0, 0)
    """Number of cards on each: clubs, diamonds, hearts, spades."""
    pass_number: int = 1
    """The pass under way, from 1."""

    @classmethod
    def dealt(cls, deck: Sequence[int] | NDArray[np.integer[Any]]) -> Self:
        """Returns the position just dealt, from 52 cards in dealing order."""
        cards = [int(card) for card in deck]
        piles = [[cards[_place_dealt(row, pile)] for row in range(pile + 1)] for pile in range(PILES)]
        return cls(
            face_down=tuple(tuple(pile[:-1]) for pile in piles),
            face_up=tuple(tuple(pile[-1:]) for pile in piles),
            stock=tuple(cards[TABLEAU_SIZE:]),
        )

    @classmethod
    def of_state(cls, state: Any) -> Self:
        """Returns the position of a game in play, a record of the environment's states."""
        return cls(
            face_down=_down(state.face_down.tolist()),
            face_up=_up(state.tableau.tolist()),
            stock=tuple(stock_cards(state)),
            waste=tuple(waste_cards(state)),
            foundations=tuple(state.foundations.tolist()),
            pass_number=int(state.current_pass),
        )

    def check(self, passes: int | None) -> None:
        """Checks that the position can occur in a game with a number of passes; None: no limit.

        Raises:
            ValueError: It cannot.
        """
        if self.pass_number < 1 or (passes is not None and self.pass_number > passes):
            raise ValueError(f"expected 1 <= pass number <= passes, got {self.pass_number} and {passes}")
        if len(self.face_down) != PILES or len(self.face_up) != PILES:
            raise ValueError(f"expected {PILES} piles, got {len(self.face_down)} and {len(self.face_up)}")
        heights = self.foundations
        if len(heights) != len(SUITS) or not all(0 <= height <= NUM_RANKS for height in heights):
            raise ValueError(f"expected four foundations of 0..13 cards, got {heights}")
        if sum(map(len, self.face_down)) > FACE_DOWN or len(self.stock) + len(self.waste) > STOCK_SIZE:
            raise ValueError(f"expected no more cards face down or in stock and waste than are dealt, got {self}")
        cards = [*chain(*self.face_down, *self.face_up, self.stock, self.waste)]
        cards += [NUM_RANKS * suit + rank for suit in range(4) for rank in range(heights[suit])]
        if len(set(cards)) < len(cards) or not set(cards) <= set(range(NUM_CARDS)):
            shown = " ".join(card_text(card) if 0 <= card < NUM_CARDS else "??" for card in sorted(cards))
            raise ValueError(f"expected each card once, got {shown}")
        for pile, down in zip(self.face_up, self.face_down, strict=True):
            if (down and not pile) or not all(fits(card, below) for below, card in pairwise(pile)):
                raise ValueError(f"expected piles that go down in alternating colours, got {self.face_up}")

    def after(self, action: int, draw: int) -> Self:
        """Returns the position after a legal action of the environment; `draw` cards are turned over at a time."""
        if action == DRAW:
            return replace(self, stock=self.stock[draw:], waste=self.stock[:draw][::-1] + self.waste)
        if action == REDEAL:
            return replace(self, stock=self.waste[::-1], waste=(), pass_number=self.pass_number + 1)
        source, target = ACTIONS[action]
        if source == WASTE:
            return replace(self, waste=self.waste[1:])._with(self.waste[:1], target)
        if source >= FOUNDATION:
            suit = source - FOUNDATION
            card = NUM_RANKS * suit + self.foundations[suit] - 1
            return self._raised(suit, -1)._with((card,), target)
        up, count = self.face_up[source], 1
        while target < PILES and not self.has_place(up[-count], target):
            count += 1
        return self._without(source, count)._with(up[-count:], target)

    def has_place(self, card: int, pile: int) -> bool:
        """Returns whether a card fits on a pile."""
        up = self.face_up[pile]
        return fits(card, up[-1]) if up else is_king(card)

    def _raised(self, suit: int, by: int) -> Self:
        return replace(self, foundations=tuple(n + by * (i == suit) for i, n in enumerate(self.foundations)))

    def _with(self, cards: tuple[int, ...], target: int) -> Self:
        if target == FOUNDATION:
            return self._raised(cards[0] // NUM_RANKS, 1)
        return replace(self, face_up=_put(self.face_up, target, self.face_up[target] + cards))

    def _without(self, pile: int, count: int) -> Self:
        up, down = self.face_up[pile][:-count], self.face_down[pile]
        if up or not down:
            return replace(self, face_up=_put(self.face_up, pile, up))
        return replace(
            self, face_up=_put(self.face_up, pile, down[-1:]), face_down=_put(self.face_down, pile, down[:-1])
        )


def is_king(card: int) -> bool:
    """Returns whether a card may go to an empty pile."""
    return card % NUM_RANKS == NUM_RANKS - 1


def fits(card: int, below: int) -> bool:
    """Returns whether a card may lie on another one of the tableau."""
    red, red_below = (each // NUM_RANKS in (1, 2) for each in (card, below))
    return card % NUM_RANKS + 1 == below % NUM_RANKS and red != red_below


def _place_dealt(row: int, pile: int) -> int:
    """Returns the index in the deck of the card in a row of a pile; each row begins one pile later than the last."""
    return row * PILES - row * (row - 1) // 2 + pile - row


def _put(piles: Piles, pile: int, cards: tuple[int, ...]) -> Piles:
    return (*piles[:pile], cards, *piles[pile + 1 :])


def _down(slots: Sequence[int]) -> Piles:
    starts = [*FIRST_DOWN.tolist(), FACE_DOWN]
    return tuple(_cards(slots[start:end]) for start, end in pairwise(starts))


def _up(slots: Sequence[int]) -> Piles:
    return tuple(_cards(slots[NUM_RANKS * pile : NUM_RANKS * (pile + 1)]) for pile in range(PILES))


def _cards(slots: Iterable[int]) -> tuple[int, ...]:
    return tuple(int(slot) - 1 for slot in slots if slot)
