"""Klondike and La tour infernale once more, as declarations: they and the package's own kernels check each other."""

from solitaire_envs.piles.declaration import Build, Foundations, PileGame, Stock, Tableau
from solitaire_envs.piles.making import make_game

KLONDIKE = make_game(
    PileGame(
        title="Twin of Klondike",
        tableau=Tableau(
            deal=tuple(range(1, 8)), face_up=1, build=Build(suits="alternating"), moves="runs", spaces="kings"
        ),
        stock=Stock(draw=3, passes=None),
        goal=Foundations(returns=True),
    ),
    __name__,
)
TOUR = make_game(
    PileGame(
        title="Twin of La tour infernale",
        tableau=Tableau(deal=(1,) * 6, build=Build(suits="any")),
        stock=Stock(passes=None),
    ),
    __name__,
)
