"""What the exact solver of a game offers to the commands and the report, and what is recorded as labels of its deals.

The stock is always open: a solver knows the order of all cards.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import Deck
from solitaire_envs.game import Game, Options


@dataclass(frozen=True)
class Solved:
    """What a solver finds out about one deal."""

    status: Literal["solved", "impossible", "unknown"]
    """'impossible' is proved; 'unknown': the limit of nodes was reached."""
    value: int | None
    """Best score, or fewest moves; None for other goals."""
    nodes: int
    """States searched."""
    moves: Sequence[str]
    """A line that reaches the goal, in words; empty if none was found."""


@dataclass(frozen=True)
class Verdict:
    """What perfect play can still reach from a position."""

    winnable: bool | None
    """None: not settled."""
    best: int | None
    """The best score; None: not settled, or the solver does not search for it."""


class Solver(ABC):
    """The exact solver of one game."""

    goals: tuple[str, ...]
    """What it can search for; the first is the default."""
    known_options: frozenset[str]
    """Names of the options that it understands."""

    def check(self, options: Options) -> None:
        """Checks that the solver knows all rules.

        Raises:
            ValueError: There is an option that it does not know.
        """
        unknown = [spec.name for spec in fields(options) if spec.name not in self.known_options]
        if unknown:
            known = ", ".join(sorted(self.known_options))
            raise ValueError(f"expected options that the solver knows, of {known}; got also {', '.join(unknown)}")

    @abstractmethod
    def solve(self, deck: Deck, goal: str, options: Any, max_nodes: int | None = None) -> Solved:
        """Solves one deal.

        Args:
            deck: The deck, uint8 [52].
            goal: One of `goals`.
            options: Of the game.
            max_nodes: States to search at most; None: the solver's own limit.

        Raises:
            ValueError: An argument is out of range.
        """

    @abstractmethod
    def replay_options(self, options: Any, goal: str) -> Any:
        """Returns the options under which a line for a goal can be replayed to its end."""

    @abstractmethod
    def verdict(self, state: Any, options: Any, *, lost: bool) -> Verdict | None:
        """Returns what perfect play can still reach, or None if the solver does not answer this under the options.

        Args:
            state: A game in play, a record of the environment.
            options: Of the game.
            lost: It is known that no win is left.
        """


class Labels(ABC):
    """What is recorded of each deal in a table of labels. It is sent to worker processes, and so can be pickled."""

    columns: tuple[str, ...]
    """Names of the columns; the deal number is the first."""
    chunk: int
    """Number of deals that are labelled at a time."""

    @abstractmethod
    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Labels deals, [n] -> [n, columns].

        Raises:
            ValueError: A deal cannot be settled, where every deal has to be.
        """

    @abstractmethod
    def summary(self, rows: NDArray[np.int64]) -> Mapping[str, NDArray[np.bool_] | NDArray[np.int64]]:
        """Returns what a table [n, columns] says about its deals: name -> a value for each, [n].

        Of truth values the share is reported, of numbers the mean.
        """


def _pyramid() -> tuple[Solver, Labels]:
    from solitaire_training.solving._pyramid import PyramidLabels, PyramidSolver  # noqa: PLC0415  # one game is enough

    return PyramidSolver(), PyramidLabels()


def _tour_infernale() -> tuple[Solver, Labels]:
    from solitaire_training.solving._tour_infernale import (  # noqa: PLC0415  # one game is enough
        TourInfernaleLabels,
        TourInfernaleSolver,
    )

    return TourInfernaleSolver(), TourInfernaleLabels()


_KITS: dict[str, Callable[[], tuple[Solver, Labels]]] = {"pyramid": _pyramid, "tour_infernale": _tour_infernale}


@cache
def _find(name: str) -> tuple[Solver, Labels]:
    if name not in _KITS:
        raise ValueError(f"expected a game with a solver, one of {', '.join(_KITS)}; got {name!r}")
    return _KITS[name]()


def find_solver(game: Game) -> Solver:
    """Returns the solver of a game, always the same one.

    Raises:
        ValueError: The game has none.
    """
    return _find(game.name)[0]


def find_labels(game: Game) -> Labels:
    """Returns how deals of a game are labelled.

    Raises:
        ValueError: They are not.
    """
    return _find(game.name)[1]
