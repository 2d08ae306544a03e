"""Positions of Klondike in words, with any cards, and the states that show them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, Self

import numpy as np

from solitaire_envs.engine import Engine
from solitaire_envs.klondike import AT, FACE_DOWN, FIRST_DOWN, GAME, KlondikeOptions
from solitaire_envs.klondike_table import PILES
from tests.envs.klondike_moves import stock_cards, waste_cards

Piles = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Position:
    """A position in play. Cards are numbers 0..51. A game may lack some of them."""

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

    @classmethod
    def of_state(cls, state: Any) -> Self:
        down, up = state.face_down.tolist(), state.tableau.tolist()
        return cls(
            face_down=tuple(_cards(down[start:end]) for start, end in pairwise([*FIRST_DOWN.tolist(), FACE_DOWN])),
            face_up=tuple(_cards(up[13 * pile : 13 * pile + 13]) for pile in range(PILES)),
            stock=tuple(stock_cards(state)),
            waste=tuple(waste_cards(state)),
            foundations=tuple(state.foundations.tolist()),
            pass_number=int(state.current_pass),
        )

    @property
    def state(self) -> Any:
        """A state of the game."""
        row = np.zeros(GAME.observation_size, np.int16)
        for pile in range(PILES):
            _put(row, AT.face_down + FIRST_DOWN[pile], self.face_down[pile])
            _put(row, AT.tableau + 13 * pile, self.face_up[pile])
        _put(row, AT.stock, self.stock)
        _put(row, AT.waste, self.waste)
        row[GAME.slots("foundations")], row[AT.pass_] = self.foundations, self.pass_number
        engine = _engine()
        engine.imagine(row[None], np.zeros((1, 0), np.int64))
        return engine.states[0].copy()


@cache
def _engine() -> Engine:
    return Engine(GAME, KlondikeOptions(information="open"), 1)


def _cards(slots: Iterable[int]) -> tuple[int, ...]:
    return tuple(slot - 1 for slot in slots if slot)


def _put(row: Any, first: int, cards: tuple[int, ...]) -> None:
    row[first : first + len(cards)] = np.array(cards, np.int16) + 1


def fits(card: int, below: int) -> bool:
    """Returns whether a card may lie on another one of the tableau."""
    red, red_below = (each // 13 in (1, 2) for each in (card, below))
    return card % 13 + 1 == below % 13 and red != red_below
