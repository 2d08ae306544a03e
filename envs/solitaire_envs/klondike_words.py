"""Klondike in words for people who play: those of its declaration."""

from dataclasses import replace
from typing import Final

from solitaire_envs.piles.declaration import Build, Foundations, PileGame, Stock, Tableau
from solitaire_envs.piles.shape import PileShape
from solitaire_envs.piles.words import pile_words
from solitaire_envs.words import OptionWords

KLONDIKE: Final = PileGame(
    title="Klondike",
    tableau=Tableau(deal=tuple(range(1, 8)), face_up=1, build=Build(suits="alternating"), moves="runs", spaces="kings"),
    stock=Stock(draw=3, passes=None),
    goal=Foundations(returns=True),
)
"""The game as a declaration: the tests play it beside the game's own kernels, which are faster."""
_DECLARED: Final = pile_words(PileShape(KLONDIKE))
_DRAW: Final = OptionWords(label="A draw turns over", choices={1: "one card", 3: "three cards"})
WORDS: Final = replace(_DECLARED, options={**_DECLARED.options, "draw": _DRAW})
