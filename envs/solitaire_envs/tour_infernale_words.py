"""La tour infernale in words for people who play: those of its declaration, and those of a sprint."""

from dataclasses import replace
from typing import Final

from solitaire_envs.piles.declaration import Build, PileGame, Stock, Tableau
from solitaire_envs.piles.shape import PileShape
from solitaire_envs.piles.words import pile_words
from solitaire_envs.words import LANGUAGES, OptionWords

TOUR_INFERNALE: Final = PileGame(
    title="La tour infernale",
    tableau=Tableau(deal=(1,) * 6, build=Build(suits="any")),
    stock=Stock(passes=None),
)
"""The game as a declaration: the tests play it beside the game's own kernels, which are faster."""
_DECLARED: Final = pile_words(PileShape(TOUR_INFERNALE))
WORDS: Final = replace(
    _DECLARED,
    options={
        **_DECLARED.options,
        "piles": OptionWords(label="Piles"),
        "budget": OptionWords(label="Moves in a sprint"),
    },
    languages=(LANGUAGES / "tour_infernale", *_DECLARED.languages),
)
SPRINT_WORDS: Final = replace(
    WORDS,
    title="La tour infernale, a sprint",
    about="Win as many deals as you can within the moves of the sprint.",
    rules=(
        *WORDS.rules[:-1],
        "In a sprint, a new deal follows each one that you have won. The score is the number of deals that you win "
        "within the moves of the sprint.",
    ),
)
