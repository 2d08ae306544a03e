"""How a patience of piles is declared. `PileGame` has all facts of a game; everything else is made from it."""

import re
from dataclasses import dataclass
from typing import Literal

from solitaire_envs.cards import NUM_CARDS, SUITS


@dataclass(frozen=True, kw_only=True)
class Build:
    """Which cards go on a card: those one rank lower, of these suits."""

    suits: Literal["any", "alternating", "same", "none"]
    """Of any suit, of the other colour, of the same suit; 'none': no card goes on another."""
    wrap: bool = False
    """Whether a king goes on an ace. In games with a base rank: the highest rank on the base rank."""


@dataclass(frozen=True, kw_only=True)
class Tableau:
    """The piles."""

    deal: tuple[int, ...]
    """Cards of each pile. They are dealt row by row, from left to right."""
    face_up: int | None = None
    """How many cards of each pile lie face up, at its top; None: all."""
    sunk: Literal["", "kings"] = ""
    """'kings': at the deal, the kings go to the bottom of their piles, in the order in which they were dealt."""
    build: Build
    spaces: Literal["any", "kings", "none"] = "any"
    """Which cards a player may put on an empty pile."""
    moves: Literal["tops", "runs", "groups"] = "tops"
    """What moves as one: the top card; any part of a run that fits; any face-up card with all that lies on it."""
    run: Build | None = None
    """What holds a run together; None: the same as `build`."""
    refill: tuple[Literal["reserve", "waste", "stock"], ...] = ()
    """Where the card for an empty pile comes from, by itself and at once: the first of them that has one."""
    whole_piles: bool | None = None
    """Default of the option that only whole piles move from pile to pile; None: there is no such option."""


@dataclass(frozen=True, kw_only=True)
class Stock:
    """The cards that are left after the deal, face down."""

    to: Literal["waste", "tableau", "hole"] = "waste"
    """Where a draw puts its cards; 'tableau': one on each pile, as long as there are some."""
    draw: int = 1
    """Default of the option: how many cards a draw turns over to the waste."""
    passes: int | None = 1
    """Default of the option: how often the stock is gone through; None: without limit."""
    over_spaces: bool = True
    """Whether it may be drawn from while a pile is empty."""


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Places that hold one card each."""

    number: int
    filled: int = 0
    """How many of them have a card at the start."""


@dataclass(frozen=True, kw_only=True)
class Reserve:
    """Cards beside the tableau, to which none can be added."""

    cards: int
    stacked: bool = False
    """Whether they are one pile, of which only the top card lies face up and can be taken."""


@dataclass(frozen=True, kw_only=True)
class Foundations:
    """Piles in suit, upwards from the base rank, four to a pack. The game is won when all cards are there."""

    start: Literal["empty", "aces", "base"] = "empty"
    """'aces': the aces lie there at the start; 'base': one card does, and its rank is the base of all."""
    returns: bool = False
    """Whether the top of a foundation may go back to the tableau; if so, it is an option."""
    takes: Literal["cards", "runs"] = "cards"
    """'runs': only a whole run of a suit, king to ace, all at once."""


@dataclass(frozen=True, kw_only=True)
class Hole:
    """One pile of any suits, which takes cards one rank higher or lower. Won when tableau and cells are empty."""

    start: Literal["ace of spades", "first"] = "first"
    """The card that lies there at the start; 'first': the one after the tableau's."""
    wrap: bool = False
    """Whether king and ace are neighbours."""


@dataclass(frozen=True, kw_only=True)
class PileGame:
    """The facts of a game.

    Raises:
        ValueError: They do not fit together.
    """

    title: str
    """Its name in English. The name in the register and the environment id follow from it."""
    tableau: Tableau
    goal: Foundations | Hole = Foundations()
    stock: Stock | None = None
    cells: Cells | None = None
    reserve: Reserve | None = None
    packs: int = 1
    """Packs of 52 cards: 1 or 2."""
    suits: int = 4
    """Suits that its cards have: 4; 2, where clubs are spades, and diamonds hearts; 1: all are spades."""

    def __post_init__(self) -> None:
        alone = isinstance(self.goal, Hole) or self.goal.start == "base" or self.goal.returns
        if self.packs > 1 and alone:
            raise ValueError(f"expected one pack for {self.title}: a hole, a base rank and returns are for one")
        if self.suits < len(SUITS) and (isinstance(self.goal, Hole) or self.goal.takes == "cards"):
            raise ValueError(f"expected four suits for {self.title}, as only whole runs can be of fewer")
        left = self.stock_size
        if left < 0 or (left > 0) != (self.stock is not None):
            expected = "some cards" if self.stock else "no cards"
            raise ValueError(f"expected {expected} to be left for the stock of {self.title}, got {left}")
        if self.tableau.sunk and self.tableau.face_up is not None:
            raise ValueError(f"expected all piles of {self.title} to lie face up, since kings sink")
        if self.cells is not None and self.cells.filled > self.cells.number:
            raise ValueError(f"expected at most {self.cells.number} filled cells in {self.title}")

    @property
    def stock_size(self) -> int:
        """Cards of the stock after the deal."""
        aces = len(SUITS) * self.packs
        aside = 1 if isinstance(self.goal, Hole) else {"empty": 0, "aces": aces, "base": 1}[self.goal.start]
        filled, reserve = self.cells.filled if self.cells else 0, self.reserve.cards if self.reserve else 0
        return NUM_CARDS * self.packs - sum(self.tableau.deal) - aside - filled - reserve

    @property
    def name(self) -> str:
        """The name in the register, such as ``bakers_game``."""
        return re.sub(r"\W+", "_", self.title.replace("'", "").lower())

    @property
    def title_words(self) -> str:
        """The title as a name in code, such as ``BakersGame``."""
        words = re.findall(r"\w+", self.title.replace("'", ""))
        return "".join(word[0].upper() + word[1:] for word in words)

    @property
    def env_id(self) -> str:
        """The id of the environment, such as ``solitaire/BakersGame-v0``."""
        return f"solitaire/{self.title_words}-v0"
