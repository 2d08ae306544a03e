"""Klondike's moves against those of OpenSpiel's `solitaire`, position by position, on the same decks.

OpenSpiel's rules of the tableau and the foundations are the same. Known differences:

- Its waste shows the whole talon, of which every third card may be played; which ones these are differs from a draw of
  three once a card has been played. Here the cards that it offers are reached by draws of one card.
- It offers one empty pile where there are several, and no king that comes back from a foundation to an empty pile.
- It leaves out a move that leads back to an earlier position.
"""

import random
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

import numpy as np
import pytest

from solitaire_envs import klondike
from solitaire_envs.cards import card_text
from solitaire_envs.engine import Engine
from solitaire_envs.klondike_table import PILES, TO_FOUNDATION

pyspiel = pytest.importorskip("pyspiel")

SUITS = {"♠": "S", "♥": "H", "♣": "C", "♦": "D"}
NO_CARD = "🂿"
OPTIONS = klondike.KlondikeOptions(draw=1, max_moves=None)


def move_in_words(text: str) -> str:
    """Returns a move of OpenSpiel, such as ``9♠ ← 8♥``, as the environment's text, ``8H>9S``."""
    target, source = (part[:-1] + SUITS.get(part[-1], part[-1]) for part in text.split(" ← "))
    if target == NO_CARD:
        return f"{source}>empty"
    return f"{source}>F" if target[-1] == source[-1] else f"{source}>{target}"


def playable(state: Any) -> set[str]:
    """Returns the cards of the talon that OpenSpiel offers."""
    waste = str(state).splitlines()[0].partition(":")[2].split()
    return {card[:-1] + SUITS[card[-1]] for card in waste[::3]}


class Both:
    """A game of the engine and the same game of OpenSpiel."""

    def __init__(self, deal: int) -> None:
        self.engine = Engine(klondike.GAME, OPTIONS, 1)
        self.engine.deal_numbers([deal])
        self.state = self.engine.states[0]
        self.theirs = pyspiel.load_game("solitaire(is_colored=false,depth_limit=100000)").new_initial_state()
        self._card = {self.theirs.action_to_string(-1, each)[-2:]: each for each in self.theirs.legal_actions()}
        tops = [self.state.tops[pile] - 1 for pile in range(PILES)]
        self._turn_up([*tops, *self.state.deck[klondike.TABLEAU_SIZE :]])
        self._met: set[tuple[bytes, bytes, int]] = set()

    def _turn_up(self, cards: Iterable[int]) -> None:
        for card in cards:
            assert self.theirs.is_chance_node()
            rank, suit = card_text(int(card))
            self.theirs.apply_action(self._card[rank + next(sign for sign in SUITS if SUITS[sign] == suit)])
        assert not self.theirs.is_chance_node()

    def _table(self) -> tuple[bytes, bytes, int]:
        """Returns the tableau, the foundations, and the size of the talon."""
        return self.state.tableau.tobytes(), self.state.foundations.tobytes(), _talon_size(self.state)

    def _find_lines(self) -> dict[str, list[int]]:
        """Goes once through the talon; returns the actions that lead to each move that can be reached by draws."""
        lines: dict[str, list[int]] = {}
        drawn: list[int] = []
        for _ in range(_talon_size(self.state) + 2):
            draws = [each for each in self.engine.legal_actions(0) if each < TO_FOUNDATION]
            for action in set(self.engine.legal_actions(0)) - set(draws):
                lines.setdefault(self.engine.move_text(0, action), [*drawn, action])
            drawn += draws
            self._play(draws)
        return lines

    def _play(self, line: Iterable[int]) -> None:
        for action in line:
            self.engine.step(np.array([action]))

    def play(self, rng: random.Random) -> bool:
        """Compares the legal moves, then plays one of them at random; returns whether there was one."""
        start, ups, downs = self.engine.get_state(0), int(self.state.foundations.sum()), self.state.downs.copy()
        self._met.add(self._table())
        lines = self._find_lines()
        self.engine.set_state(0, start)
        theirs = {
            move_in_words(self.theirs.action_to_string(0, each)): each for each in self.theirs.legal_actions() if each
        }
        talon = {card_text(card - 1) for card in self.state.talon.tolist() if card}
        ours = {move for move in lines if move[:2] not in talon - playable(self.theirs)}
        assert set(theirs) <= ours
        for move in ours - set(theirs):
            self._play(lines[move])
            is_king_back = move[0] == "K" and self.state.foundations.sum() < ups
            assert is_king_back or self._table() in self._met, move
            self.engine.set_state(0, start)
        if not theirs:
            return False
        move = rng.choice(sorted(theirs))
        self._play(lines[move])
        self.theirs.apply_action(theirs[move])
        turned = np.flatnonzero(self.state.downs < downs)
        self._turn_up(self.state.tops[turned] - 1)
        return True


def _talon_size(state: Any) -> int:
    return int(state.waste_size + state.stock_size)


def compare(deals: range) -> int:
    """Plays random moves on each deal until none is left, 300 at most; returns how many positions were compared."""
    positions = 0
    for deal in deals:
        both, rng = Both(deal), random.Random(deal)
        positions += 1 + sum(1 for _ in takewhile(bool, (both.play(rng) for _ in range(300))))
    return positions


def test_moves_are_those_of_open_spiel() -> None:
    assert compare(range(20)) > 1_000


@pytest.mark.slow
def test_moves_are_those_of_open_spiel_for_long() -> None:
    assert compare(range(2_000)) > 100_000
