"""From the search's moves to the actions of the environment.

The search does not say which of two twins a card lies on, or when cards are drawn. Here a line is played card by card.
A card that has to go is uncovered first: the cards on it move to its twin.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.klondike.solver.bitboard import (
    BIT_OF,
    CARD_AT,
    KINGS,
    SUIT_AT,
    cards_up,
    free_places,
    next_up,
    tops_up,
    uncovered,
)
from solitaire_agents.line import Line
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.game import Game
from solitaire_envs.klondike import FITS, GAME, KIND, STOCK_SIZE, KlondikeOptions
from solitaire_envs.klondike_table import ACTIONS, DRAW, EMPTY, FOUNDATION, LEAD, PILES, REDEAL, WASTE

_ACTION: Final = {places: action for action, places in enumerate(ACTIONS)}
_BIT: Final = [0, *(1 << index for index in BIT_OF.tolist())]
"""Card as states hold it -> its bit; 0 for EMPTY."""


class Step(NamedTuple):
    """A move of the search."""

    heights: int
    """Heights of the foundations before the move."""
    card: int
    """As states hold it."""
    up: bool
    """Whether the card goes to its foundation."""


def write_out(state: Any, options: KlondikeOptions, steps: Iterable[Step]) -> list[int]:
    """Returns the actions that play the steps from a state, and then win the game."""
    line = _Line(GAME, options, state)
    for step in steps:
        line.change_heights(step.heights)
        line.move(step.card, up=step.up)
    line.finish()
    return line.actions


def bits_of(cards: Iterable[int]) -> int:
    """Returns cards, as states hold them, as bits of one word."""
    return sum(_BIT[card] for card in cards)


def heights_of(foundations: NDArray[np.uint8]) -> int:
    """Returns the heights of the foundations, as a state holds them, as one number, 4 bits a suit."""
    return sum(height << 4 * suit for suit, height in enumerate(foundations.tolist()))


def roots_of(tableau: NDArray[np.uint8], downs: NDArray[np.int32]) -> dict[int, int]:
    """Returns the root of each pile that has one: its undermost face-up card, unless that is a king at the bottom.

    Args:
        tableau: As a state holds it.
        downs: As a state holds it.
    """
    undermost = zip(tableau[::NUM_RANKS].tolist(), downs.tolist(), strict=True)
    return {pile: card for pile, (card, down) in enumerate(undermost) if card and (down or card % NUM_RANKS)}


class _Line(Line):
    def __init__(self, game: Game, options: KlondikeOptions, state: Any) -> None:
        super().__init__(game, options, state)
        # Views of the state, which are read in a tenth of the time.
        self._up, self._downs, self._tops, self._slots, self._foundations = (
            self._states[name][0] for name in ("tableau", "downs", "tops", "talon", "foundations")
        )

    def _tableau(self) -> tuple[int, int]:
        """Returns the face-up cards, and the roots among them, as bits."""
        return bits_of(self._up.tolist()), bits_of(roots_of(self._up, self._downs).values())

    def change_heights(self, heights: int) -> None:
        """Moves cards between tableau and foundations, reversibly, until the foundations have these heights."""
        (tableau, roots), now = self._tableau(), heights_of(self._foundations)
        shown = tableau | int(cards_up(now))
        homes = PILES - roots.bit_count()
        before: dict[int, tuple[int, int]] = {now: (now, 0)}
        waiting = deque([now])
        while heights not in before:
            here = waiting.popleft()
            for after, card in _neighbours(here, shown, roots, homes):
                if after not in before:
                    before[after] = here, card
                    waiting.append(after)
        cards = []
        while heights != now:
            heights, card = before[heights]
            cards.append(card)
        for card in reversed(cards):
            self.move(card, up=card in self._up)

    def move(self, card: int, *, up: bool) -> None:
        """Moves a card to its foundation or to a place of the tableau, wherever it is."""
        while self._tops[WASTE] != card and card in self._talon():
            self.play(DRAW if self.mask[DRAW] else REDEAL)
        source = self._source(card)
        if up and source < PILES:
            self._uncover(card, source)
        self.play(_ACTION[source, FOUNDATION if up else self._target(card, source)])

    def _talon(self) -> list[int]:
        """Returns the cards of waste and stock, then zeros."""
        cards: list[int] = self._slots[LEAD : LEAD + STOCK_SIZE].tolist()
        return cards

    def _source(self, card: int) -> int:
        shown: list[int] = self._up.tolist()
        if card in shown:
            return shown.index(card) // NUM_RANKS
        return WASTE if self._tops[WASTE] == card else FOUNDATION + (card - 1) // NUM_RANKS

    def _target(self, card: int, source: int) -> int:
        """Returns the first pile that a card may be put on."""
        tops, kind = self._tops[:PILES].tolist(), int(KIND[card])
        fits = (card % NUM_RANKS == 0 if top == EMPTY else FITS[top] == kind for top in tops)
        return next(pile for pile, it_fits in enumerate(fits) if it_fits and pile != source)

    def _uncover(self, card: int, pile: int) -> None:
        run: list[int] = [*self._up[NUM_RANKS * pile : NUM_RANKS * (pile + 1)].tolist(), EMPTY]
        over = run[run.index(card) + 1]
        if over != EMPTY:
            self.play(_ACTION[pile, self._target(over, pile)])

    def finish(self) -> None:
        """Wins a game in which no card is face down."""
        while True:
            tableau, roots = self._tableau()
            following = int(next_up(heights_of(self._foundations)))
            ready = following & tableau & int(uncovered(free_places(tableau, roots)))
            ready = ready or following & bits_of(self._talon())
            if not ready:
                return
            self.move(int(CARD_AT[ready.bit_length() - 1]) + 1, up=True)


def _neighbours(heights: int, shown: int, roots: int, homes: int) -> Iterable[tuple[int, int]]:
    """Yields the heights after each reversible move, and its card."""
    tableau = shown & ~int(cards_up(heights))
    free = int(free_places(tableau, roots))
    if homes > (tableau & KINGS & ~roots).bit_count():
        free |= KINGS
    raised = int(next_up(heights)) & tableau & int(uncovered(free)) & ~roots
    lowered = int(tops_up(heights)) & free
    for index in range(len(CARD_AT)):
        if (raised | lowered) >> index & 1:
            by = 1 << 4 * int(SUIT_AT[index])
            yield heights + (by if raised >> index & 1 else -by), int(CARD_AT[index]) + 1
