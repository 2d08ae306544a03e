"""Positions of La tour infernale in words, with any cards and any number of piles, and the states that show them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.tour_infernale.bitboard import Bitboard
from solitaire_agents.tour_infernale.position import Start, start_of
from solitaire_envs.engine import Engine
from solitaire_envs.game import option
from solitaire_envs.tour_infernale import (
    ACTIONS,
    DRAW,
    FOUNDATION,
    GAME,
    MAX_PILES,
    REDEAL,
    UNSEEN,
    WASTE,
    TourInfernaleOptions,
    stock_cards,
    waste_cards,
)

SLOT = {slots.name: GAME.slots(slots.name) for slots in GAME.observation}


@dataclass(frozen=True, kw_only=True)
class FewPiles(TourInfernaleOptions):
    """Options of games that nobody plays, but that are quick to search."""

    piles: int = option(6, "Number of tableau piles.", maximum=MAX_PILES)


@dataclass(frozen=True, kw_only=True)
class Position:
    """A position in play. Cards are numbers 0..51."""

    tableau: tuple[tuple[int, ...], ...]
    """Each pile from its bottom; an empty pile is ()."""
    stock: tuple[int, ...]
    """Top first."""
    waste: tuple[int, ...] = ()
    """Top first."""
    foundations: tuple[int, ...] = (0, 0, 0, 0)
    """Number of cards on each: clubs, diamonds, hearts, spades."""
    pass_number: int = 1

    @classmethod
    def dealt(cls, deck: Iterable[int], piles: int = 6) -> Self:
        cards = tuple(int(card) for card in deck)
        return cls(tableau=tuple((card,) for card in cards[:piles]), stock=cards[piles:])

    @classmethod
    def of_state(cls, state: Any, piles: int = 6) -> Self:
        return cls(
            tableau=tuple(tuple(card - 1 for card in pile if card) for pile in state.tableau[:piles].tolist()),
            stock=tuple(stock_cards(state)),
            waste=tuple(waste_cards(state)),
            foundations=tuple(state.foundations.tolist()),
            pass_number=int(state.current_pass),
        )

    def options(self, passes: int | None = 1) -> FewPiles:
        return FewPiles(piles=len(self.tableau), passes=passes, information="open", max_moves=None)

    @property
    def state(self) -> Any:
        """A state of the game."""
        engine = _engine(self.options(None))
        engine.imagine(self.observation(is_open=True)[None], np.zeros((1, 0), np.int64))
        return engine.states[0].copy()

    @property
    def start(self) -> Start:
        return start_of(self.state, self.options(None))

    def bitboard(self) -> Bitboard:
        return self.start.board

    def observation(self, redeals: int = 0, *, is_open: bool = False) -> NDArray[np.int16]:
        """Returns what a player with perfect memory sees, or one that sees all."""
        row = np.zeros(GAME.observation_size, np.int16)
        for pile, cards in enumerate(self.tableau):
            row[13 * pile : 13 * pile + len(cards)] = np.array(cards, np.int16) + 1
        row[SLOT["foundations"]] = self.foundations
        for name, cards in (("stock", self.stock), ("waste", self.waste)):
            row[SLOT[name].start : SLOT[name].start + len(cards)] = np.array(cards, np.int16) + 1
        if self.pass_number == 1 and not is_open:
            row[SLOT["stock"].start : SLOT["stock"].start + len(self.stock)] = UNSEEN
            row[SLOT["unseen"]][list(self.stock)] = 1
        row[SLOT["pass"]], row[SLOT["redeals"]] = self.pass_number, redeals
        return row

    def after(self, action: int) -> Self:
        """Returns the position after a legal action, by the rules in words."""
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
            foundations[card // 13] += 1
        else:
            tableau[target] = (*tableau[target], card)
        return replace(self, tableau=tuple(tableau), waste=waste, foundations=tuple(foundations))

    def along(self, line: Sequence[int]) -> list[Self]:
        """Returns the positions before each action of a line, and after the last."""
        seen = [self]
        for action in line:
            seen.append(seen[-1].after(action))
        return seen


@cache
def _engine(options: FewPiles) -> Engine:
    return Engine(GAME, options, 1)
