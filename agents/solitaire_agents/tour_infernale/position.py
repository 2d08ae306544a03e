"""A position of La tour infernale, and its conversions.

A position has four forms. The environment's *state* is a record of arrays. An *observation* is a row of numbers that
may hide cards. A `Position` holds tuples of cards, for use from Python. A *bitboard* holds three words, for search; the
order of waste and stock is kept apart. A line of play has two forms: the moves of `bitboard`, and the environment's
actions.

    a deck, a state, an observation -> Position -> bitboard and order -> moves -> actions

Kernels that turn an observation into a bitboard, and a move into an action, are in `bitboard`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.tour_infernale.bitboard import (
    ACTION_OF,
    DRAWN,
    ON_BOTTOM,
    REDEALT,
    TO_FOUNDATION,
    Bitboard,
    bit_of,
    card_of,
)
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS, card_text
from solitaire_envs.tour_infernale import (
    ACTIONS,
    DRAW,
    FOUNDATION,
    GAME,
    MAX_PILES,
    REDEAL,
    UNSEEN,
    WASTE,
    stock_cards,
    waste_cards,
)

_TABLEAU, _FOUNDATIONS, _STOCK, _WASTE, _PASS, _UNSEEN = (
    GAME.slots(name) for name in ("tableau", "foundations", "stock", "waste", "pass", "unseen")
)


@dataclass(frozen=True, kw_only=True)
class Position:
    """A position in play. Cards are numbers 0..51; an unseen card is 52."""

    tableau: tuple[tuple[int, ...], ...]
    """Each pile from its bottom; an empty pile is ()."""
    stock: tuple[int, ...]
    """Top first."""
    waste: tuple[int, ...] = ()
    """Top first."""
    foundations: tuple[int, ...] = (0, 0, 0, 0)
    """Number of cards on each: clubs, diamonds, hearts, spades."""
    pass_number: int = 1
    """The pass under way, from 1."""

    @classmethod
    def dealt(cls, deck: Sequence[int] | NDArray[np.integer[Any]], piles: int = 6) -> Self:
        """Returns the position just dealt, from 52 cards in dealing order."""
        cards = tuple(int(card) for card in deck)
        return cls(tableau=tuple((card,) for card in cards[:piles]), stock=cards[piles:])

    @classmethod
    def of_state(cls, state: Any, piles: int = 6) -> Self:
        """Returns the position of a game in play, a record of the environment's states."""
        return cls(
            tableau=tuple(_cards(pile.tolist()) for pile in state.tableau[:piles]),
            stock=tuple(stock_cards(state)),
            waste=tuple(waste_cards(state)),
            foundations=tuple(state.foundations.tolist()),
            pass_number=int(state.current_pass),
        )

    @classmethod
    def of_observation(cls, row: Sequence[int], piles: int = 6) -> Self:
        """Returns the position that an observation, a row of plain integers, shows."""
        return cls(
            tableau=tuple(_cards(row[NUM_RANKS * pile : NUM_RANKS * (pile + 1)]) for pile in range(piles)),
            stock=_cards(row[_STOCK]),
            waste=_cards(row[_WASTE]),
            foundations=tuple(row[_FOUNDATIONS]),
            pass_number=row[_PASS.start],
        )

    def check(self, passes: int | None) -> None:
        """Checks that the position can occur in a game with a number of passes; None: no limit.

        Raises:
            ValueError: It cannot.
        """
        if self.pass_number < 1 or (passes is not None and self.pass_number > passes):
            raise ValueError(f"expected 1 <= pass number <= passes, got {self.pass_number} and {passes}")
        if not 1 <= len(self.tableau) <= MAX_PILES:
            raise ValueError(f"expected 1 to {MAX_PILES} piles, got {len(self.tableau)}")
        heights = self.foundations
        if len(heights) != 4 or not all(0 <= height <= NUM_RANKS for height in heights):
            raise ValueError(f"expected four foundations of 0..13 cards, got {heights}")
        cards = [card for pile in (*self.tableau, self.stock, self.waste) for card in pile]
        cards += [NUM_RANKS * suit + rank for suit in range(4) for rank in range(heights[suit])]
        if sorted(cards) != list(range(NUM_CARDS)):
            shown = " ".join(card_text(card) if 0 <= card < NUM_CARDS else "??" for card in sorted(cards))
            raise ValueError(f"expected each of the 52 cards once, got {shown}")
        for below, card in (pair for pile in self.tableau for pair in pairwise(pile)):
            if below % NUM_RANKS != card % NUM_RANKS + 1:
                raise ValueError(
                    f"expected each card of a pile one rank lower, got {card_text(card)} on {card_text(below)}"
                )

    # --- To the bitboard ----------------------------------------------------------------------------------------------

    def bitboard(self) -> Bitboard:
        """Returns the bitboard."""
        a = self.foundations[0] << 52 | self.foundations[1] << 56
        b = self.foundations[2] << 52 | self.foundations[3] << 56
        c = 0
        for pile in self.tableau:
            a |= sum(1 << bit_of(card) for card in pile[:1])
            for below, card in pairwise(pile):
                suit, bit = below // NUM_RANKS, bit_of(card)
                a, b, c = a | (suit & 1) << bit, b | (suit >> 1) << bit, c | 1 << bit
        return Bitboard(a, b, c)

    def order(self) -> NDArray[np.int64]:
        """Returns the bits of waste and stock in the order of drawing, int64 [n]. All cards must be known."""
        return bits_of((*reversed(self.waste), *self.stock))

    # --- Lines of play ------------------------------------------------------------------------------------------------

    def action_of(self, move: int) -> int:
        """Returns the environment's action for a legal move."""
        bit, kind = divmod(move, 8)
        if kind in (DRAWN, REDEALT):
            return DRAW if kind == DRAWN else REDEAL
        tops, card = [pile[-1:] for pile in self.tableau], (card_of(bit),)
        source, target = tops.index(card) if card in tops else WASTE, FOUNDATION
        if kind != TO_FOUNDATION:
            target = tops.index(() if kind == ON_BOTTOM else (card_of((bit & ~3) + 4 + kind),))
        return int(ACTION_OF[source, target])

    def after(self, action: int) -> Self:
        """Returns the position after a legal action."""
        if action == DRAW:
            return replace(self, stock=self.stock[1:], waste=(self.stock[0], *self.waste))
        if action == REDEAL:
            return replace(self, stock=self.waste[::-1], waste=(), pass_number=self.pass_number + 1)
        source, target = ACTIONS[action]
        tableau, waste, foundations = list(self.tableau), self.waste, list(self.foundations)
        if source == WASTE:
            card, waste = waste[0], waste[1:]
        else:
            card, tableau[source] = tableau[source][-1], tableau[source][:-1]
        if target == FOUNDATION:
            foundations[card // NUM_RANKS] += 1
        else:
            tableau[target] = (*tableau[target], card)
        return replace(self, tableau=tuple(tableau), waste=waste, foundations=tuple(foundations))

    def spell_out(self, moves: Iterable[int]) -> list[int]:
        """Returns a line of moves as the environment's actions."""
        position, actions = self, []
        for move in moves:
            actions.append(position.action_of(move))
            position = position.after(actions[-1])
        return actions

    def play_along(self, actions: Iterable[int]) -> Iterator[tuple[Self, int]]:
        """Yields the position before each action of a line, with the action."""
        position = self
        for action in actions:
            yield position, action
            position = position.after(action)


def order_seen(row: Sequence[int], position: Position) -> tuple[NDArray[np.int64], int]:
    """Returns what a player knows about the order of drawing.

    Args:
        row: An observation, a row of plain integers.
        position: The position that it shows.

    Returns:
        Bits of waste and stock in the order of drawing, int64 [n], where unseen cards are sorted by number; and how
        many cards are unseen.

    Raises:
        ValueError: The observation does not show what a player with perfect memory knows.
    """
    hidden = row[_STOCK].count(UNSEEN)
    if hidden != sum(row[_UNSEEN]) or UNSEEN in row[_WASTE]:
        raise ValueError("expected observations of what a player with perfect memory knows (information='memory')")
    unseen = [card for card, is_unseen in enumerate(row[_UNSEEN]) if is_unseen]
    return bits_of((*reversed(position.waste), *(unseen or position.stock))), hidden


def bits_of(cards: Iterable[int]) -> NDArray[np.int64]:
    """Returns the bits of cards 0..51, int64 [n]."""
    return np.array([bit_of(card) for card in cards], np.int64)


def _cards(shown: Iterable[int]) -> tuple[int, ...]:
    """Returns the cards of a pile from slots of a state or observation: card + 1, 0 for no card."""
    return tuple(card - 1 for card in shown if card)
