"""The declared games, each a record. A record here is all that a game needs: the catalogue registers every one."""

from functools import partial
from typing import Any, Final

from solitaire_envs.game import Game
from solitaire_envs.piles.declaration import Build, Cells, Foundations, Hole, PileGame, Reserve, Stock, Tableau
from solitaire_envs.piles.making import make_game
from solitaire_envs.register import Register

ANY, ALTERNATING, SUIT, NO = (Build(suits=suits) for suits in ("any", "alternating", "same", "none"))
EIGHT, STAIRS = (7, 7, 7, 7, 6, 6, 6, 6), tuple(range(1, 8))
ACES, RETURNS, RUNS = Foundations(start="aces"), Foundations(returns=True), Foundations(takes="runs")

DECLARED = (
    PileGame(title="FreeCell", tableau=Tableau(deal=EIGHT, build=ALTERNATING), cells=Cells(number=4)),
    PileGame(title="Baker's Game", tableau=Tableau(deal=EIGHT, build=SUIT), cells=Cells(number=4)),
    PileGame(
        title="Eight Off",
        tableau=Tableau(deal=(6,) * 8, build=SUIT, spaces="kings"),
        cells=Cells(number=8, filled=4),
    ),
    PileGame(
        title="Seahaven Towers",
        tableau=Tableau(deal=(5,) * 10, build=SUIT, spaces="kings"),
        cells=Cells(number=4, filled=2),
    ),
    PileGame(
        title="Fore Cell",
        tableau=Tableau(deal=(6,) * 8, build=ALTERNATING, spaces="kings"),
        cells=Cells(number=4, filled=4),
    ),
    PileGame(title="Beleaguered Castle", tableau=Tableau(deal=(6,) * 8, build=ANY), goal=ACES),
    PileGame(title="Streets and Alleys", tableau=Tableau(deal=EIGHT, build=ANY)),
    PileGame(title="Siegecraft", tableau=Tableau(deal=(6,) * 8, build=ANY), cells=Cells(number=1), goal=ACES),
    PileGame(title="Stronghold", tableau=Tableau(deal=EIGHT, build=ANY), cells=Cells(number=1)),
    PileGame(title="Fan", tableau=Tableau(deal=(*(3,) * 17, 1), build=SUIT, spaces="kings"), goal=RETURNS),
    PileGame(
        title="King Albert",
        tableau=Tableau(deal=tuple(range(1, 10)), build=ALTERNATING),
        reserve=Reserve(cards=7),
        goal=RETURNS,
    ),
    PileGame(
        title="Raglan",
        tableau=Tableau(deal=(1, 2, 3, 4, 5, 6, 7, 7, 7), build=ALTERNATING),
        reserve=Reserve(cards=6),
        goal=Foundations(start="aces", returns=True),
    ),
    PileGame(title="Somerset", tableau=Tableau(deal=(*STAIRS, 8, 8, 8), build=ALTERNATING), goal=RETURNS),
    PileGame(title="Alpha Star", tableau=Tableau(deal=(4,) * 12, build=SUIT, moves="runs"), goal=ACES),
    PileGame(title="Baker's Dozen", tableau=Tableau(deal=(4,) * 13, sunk="kings", build=ANY, spaces="none")),
    PileGame(title="Delta Star", tableau=Tableau(deal=(4,) * 12, build=SUIT), goal=ACES),
    PileGame(title="American Canister", tableau=Tableau(deal=EIGHT, build=ALTERNATING, moves="runs")),
    PileGame(
        title="Simple Simon",
        tableau=Tableau(deal=(8, 8, 8, 7, 6, 5, 4, 3, 2, 1), build=ANY, moves="runs", run=SUIT),
        goal=RUNS,
    ),
    PileGame(
        title="Trigon",
        tableau=Tableau(deal=STAIRS, face_up=1, build=SUIT, moves="runs", spaces="kings"),
        stock=Stock(passes=None),
    ),
    PileGame(
        title="Canfield",
        tableau=Tableau(
            deal=(1,) * 4,
            build=Build(suits="alternating", wrap=True),
            moves="runs",
            refill=("reserve",),
            whole_piles=False,
        ),
        reserve=Reserve(cards=13, stacked=True),
        stock=Stock(draw=3, passes=None),
        goal=Foundations(start="base"),
    ),
    PileGame(
        title="East Haven",
        tableau=Tableau(deal=(3,) * 7, face_up=1, build=ALTERNATING, moves="runs"),
        stock=Stock(to="tableau"),
        goal=RETURNS,
    ),
    PileGame(
        title="Northwest Territory",
        tableau=Tableau(deal=tuple(range(1, 9)), face_up=1, build=ALTERNATING, moves="runs", spaces="kings"),
        reserve=Reserve(cards=16),
        goal=RETURNS,
    ),
    PileGame(
        title="Fortune's Favor",
        tableau=Tableau(deal=(1,) * 12, build=SUIT, spaces="none", refill=("waste", "stock")),
        stock=Stock(),
        goal=ACES,
    ),
    PileGame(title="Thirty-Six", tableau=Tableau(deal=(6,) * 6, build=ANY, moves="runs"), stock=Stock()),
    PileGame(
        title="Spiderette",
        tableau=Tableau(deal=STAIRS, face_up=1, build=ANY, moves="runs", run=SUIT),
        stock=Stock(to="tableau"),
        goal=RUNS,
    ),
    PileGame(
        title="Will o' the Wisp",
        tableau=Tableau(deal=(3,) * 7, face_up=1, build=ANY, moves="runs", run=SUIT),
        stock=Stock(to="tableau"),
        goal=RUNS,
    ),
    PileGame(
        title="Golf",
        tableau=Tableau(deal=(5,) * 7, build=NO, spaces="none"),
        stock=Stock(to="hole"),
        goal=Hole(),
    ),
    PileGame(
        title="Black Hole",
        tableau=Tableau(deal=(3,) * 17, build=NO, spaces="none"),
        goal=Hole(start="ace of spades", wrap=True),
    ),
    PileGame(
        title="Worm Hole",
        tableau=Tableau(deal=(3,) * 17, build=NO, spaces="none"),
        cells=Cells(number=1),
        goal=Hole(start="ace of spades", wrap=True),
    ),
    PileGame(
        title="Yukon",
        tableau=Tableau(deal=(1, 6, 7, 8, 9, 10, 11), face_up=5, build=ALTERNATING, moves="groups", spaces="kings"),
        goal=RETURNS,
    ),
    *(
        PileGame(
            title=title,
            tableau=Tableau(deal=(*(6,) * 4, *(5,) * 6), face_up=1, build=ANY, moves="runs", run=SUIT),
            stock=Stock(to="tableau", over_spaces=False),
            goal=RUNS,
            packs=2,
            suits=suits,
        )
        for title, suits in (("Spider", 4), ("Spider Two Suits", 2), ("Spider One Suit", 1))
    ),
    PileGame(title="Forty Thieves", tableau=Tableau(deal=(4,) * 10, build=SUIT), stock=Stock(), packs=2),
)

PILE_GAMES: Final = Register[Game]()
"""Environment id -> game."""
for _declared in DECLARED:
    PILE_GAMES.later(_declared.env_id, partial(make_game, _declared, __name__))


def __getattr__(name: str) -> Any:
    """Returns a game's class of options, which pickles look for here."""
    for declared in DECLARED:
        if name == f"{declared.title_words}Options":
            return PILE_GAMES[declared.env_id].options
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
