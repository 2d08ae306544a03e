"""From the search's moves to the actions of the environment.

The search does not say which of two twins a card lies on, or when cards are drawn. Here a line is played card by card.
A card that has to go is uncovered first: the cards on it move to its twin.
"""

from collections import deque
from collections.abc import Iterable
from itertools import chain
from typing import Final, NamedTuple

from solitaire_agents.klondike.position import Position, is_king
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
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.klondike_table import ACTIONS, DRAW, FOUNDATION, PILES, REDEAL, WASTE

_ACTION: Final = {places: action for action, places in enumerate(ACTIONS)}


class Step(NamedTuple):
    """A move of the search."""

    heights: int
    """Heights of the foundations before the move."""
    card: int
    up: bool
    """Whether the card goes to its foundation."""


def write_out(position: Position, steps: Iterable[Step], draw: int) -> list[int]:
    """Returns the actions that play the steps, and then win the game."""
    line = _Line(position, draw)
    for step in steps:
        line.change_heights(step.heights)
        line.move(step.card, up=step.up)
    line.finish()
    return line.actions


def bits_of(cards: Iterable[int]) -> int:
    """Returns cards as bits of one word."""
    return sum(1 << int(BIT_OF[card]) for card in cards)


class _Line:
    def __init__(self, position: Position, draw: int) -> None:
        self.position, self.actions = position, list[int]()
        self._draw = draw

    def _play(self, action: int) -> None:
        self.actions.append(action)
        self.position = self.position.after(action, self._draw)

    def _tableau(self) -> tuple[int, int]:
        """Returns the face-up cards, and the roots among them, as bits."""
        face_up, face_down = self.position.face_up, self.position.face_down
        roots = (up[0] for up, down in zip(face_up, face_down, strict=True) if up and (down or not is_king(up[0])))
        return bits_of(chain(*face_up)), bits_of(roots)

    def _heights(self) -> int:
        return sum(height << 4 * suit for suit, height in enumerate(self.position.foundations))

    def change_heights(self, heights: int) -> None:
        """Moves cards between tableau and foundations, reversibly, until the foundations have these heights."""
        (tableau, roots), now = self._tableau(), self._heights()
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
            self.move(card, up=bool(1 << int(BIT_OF[card]) & self._tableau()[0]))

    def move(self, card: int, *, up: bool) -> None:
        """Moves a card to its foundation or to a place of the tableau, wherever it is."""
        while card in (*self.position.stock, *self.position.waste[1:]):
            self._play(DRAW if self.position.stock else REDEAL)
        source = self._source(card)
        if up and source < PILES:
            self._uncover(card, source)
        self._play(_ACTION[source, FOUNDATION if up else self._target(card, source)])

    def _source(self, card: int) -> int:
        if card in self.position.waste:
            return WASTE
        return next(
            (pile for pile in range(PILES) if card in self.position.face_up[pile]), FOUNDATION + card // NUM_RANKS
        )

    def _target(self, card: int, source: int) -> int:
        return next(pile for pile in range(PILES) if pile != source and self.position.has_place(card, pile))

    def _uncover(self, card: int, pile: int) -> None:
        up = self.position.face_up[pile]
        place = up.index(card) + 1
        if place < len(up):
            self._play(_ACTION[pile, self._target(up[place], pile)])

    def finish(self) -> None:
        """Wins a game in which no card is face down."""
        while True:
            tableau, roots = self._tableau()
            following = int(next_up(self._heights()))
            ready = following & tableau & int(uncovered(free_places(tableau, roots)))
            ready = ready or following & bits_of((*self.position.stock, *self.position.waste))
            if not ready:
                return
            self.move(int(CARD_AT[ready.bit_length() - 1]), up=True)


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
            yield heights + (by if raised >> index & 1 else -by), int(CARD_AT[index])
