"""A kit: everything for one game except its rules. It stands in the `kit.py` of the game's folder.

It has the game's agents, choices, solver and labels. Each part is optional: the uniform agent can play a game without a
kit.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent, RuleAgent
from solitaire_agents.choices import Choices
from solitaire_agents.uses import Uses, check_uses
from solitaire_envs.cards import Deck
from solitaire_envs.game import Game

MakeAgent = Callable[[Any], Agent]
"""options of the game -> the agent"""
Status = Literal["solved", "impossible", "unknown"]
STATUSES: Final[tuple[Status, ...]] = ("solved", "impossible", "unknown")
LOST, WINNABLE, UNSETTLED = 0, 1, -1
"""What a label says about a deal: it is proved lost, a win is known, or neither."""
ANSWERS: Final = np.array([WINNABLE, LOST, UNSETTLED])
"""Index into `STATUSES` -> what a label says about the deal."""


@dataclass(frozen=True)
class Solved:
    """A solver's result for one deal or one position."""

    status: Status
    """'impossible' is proved; 'unknown': a limit ended the search."""
    value: int | None
    """Best score, or fewest moves (if unknown, the best found); None for other goals."""
    nodes: int
    """Positions searched."""
    actions: Sequence[int] = ()
    """A line of play that reaches the goal, or the best line found; empty if none was found."""


@dataclass(frozen=True)
class Verdict:
    """What perfect play with the stock open can still reach from a position."""

    winnable: bool | None
    """None: not settled."""
    best: int | None
    """The best final score; None: not settled, or the solver does not search for it."""
    actions: Sequence[int] = ()
    """A line of play to a win, else to that score; empty: none is known."""


class Solver(ABC):
    """The solver of one game. The stock is always open: it knows the order of all cards."""

    goals: Sequence[str]
    """The goals that it can search for; the first is the default."""
    uses: Uses = {}  # noqa: RUF012  # read-only
    """How it treats the options of its game."""

    def check(self, options: Any) -> None:
        """Checks that the solver knows all rules that the options choose.

        Raises:
            ValueError: It does not know a rule; the message names the option.
        """
        check_uses(self.uses, options, "the solver")

    @abstractmethod
    def solve(self, deck: Deck, goal: str, options: Any, max_nodes: int | None = None) -> Solved:
        """Solves one deal.

        Args:
            deck: The deck, uint8 [52].
            goal: One of `goals`.
            options: Options that `check` allows.
            max_nodes: Most positions to search; None: the solver's own limit.

        Raises:
            ValueError: An argument is out of range.
        """

    def replay_options(self, options: Any, goal: str) -> Any:
        """Returns the options under which a line for a goal can be played to its end: without a limit of moves."""
        return replace(options, max_moves=None)

    def verdict(self, state: Any, options: Any, *, lost: bool) -> Verdict | None:
        """Returns what perfect play can still reach; None: the solver does not answer this under the options.

        Args:
            state: A game in play, one record.
            options: Options that `check` allows.
            lost: It is known that no win is left.
        """
        return None


def tabulate(results: Iterable[Solved]) -> NDArray[np.int64]:
    """Returns a row for each result, [n, 3]: status (index into `STATUSES`), moves of the line (0: none), nodes."""
    rows = [(STATUSES.index(found.status), len(found.actions), found.nodes) for found in results]
    return np.array(rows, np.int64).reshape(-1, 3)


def verdict_in_time(found: Solved, max_moves: int | None, moves: int) -> Verdict:
    """Returns the verdict of a solver that does not count moves: open if its line has more moves than are left.

    Args:
        found: The solver's result.
        max_moves: Most moves of a game; None: no limit.
        moves: Moves played so far.
    """
    moves_left = math.inf if max_moves is None else max_moves - moves
    if found.status == "unknown" or len(found.actions) > moves_left:
        return Verdict(winnable=None, best=None)
    return Verdict(winnable=found.status == "solved", best=None, actions=found.actions)


class DealTable(ABC):
    """A table of facts about deals. It is sent to worker processes, so it can be pickled."""

    columns: tuple[str, ...]
    """Names of the columns; the deal number is the first."""
    chunk: int
    """Number of deals that are labelled at a time."""

    @abstractmethod
    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Labels deals, [n] -> [n, columns].

        Raises:
            ValueError: A deal cannot be settled, and the table needs every deal settled.
        """


class Labels(DealTable):
    """The table of labels. Results are stratified by it, and regret is measured against it."""

    max_nodes: int | None = None
    """Most nodes to search for one deal, which is left open then; None: the table needs every deal settled."""

    def limited(self, max_nodes: int) -> "Labels":
        """Returns labels with another limit of nodes.

        Raises:
            ValueError: The table needs every deal settled.
        """
        if self.max_nodes is None:
            raise ValueError(f"expected no max_nodes, since every deal of this table is settled; got {max_nodes}")
        labels = copy(self)
        labels.max_nodes = max_nodes
        return labels

    @abstractmethod
    def summary(self, rows: NDArray[np.int64]) -> Mapping[str, NDArray[np.bool_] | NDArray[np.int64]]:
        """Returns what a table [n, columns] says about its deals: name -> a value for each, [n].

        Truth values are reported as a share, numbers as a mean.
        """

    def under(self, options: Any) -> "Labels":
        """Returns the labels for some options, if the game has several tables of labels; else this one."""
        return self

    @abstractmethod
    def winnable(self, columns: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """Returns `WINNABLE`, `LOST` or `UNSETTLED` for each row of a table, given its columns by name."""

    @abstractmethod
    def file(self, options: Any) -> Path | None:
        """Returns the labelled test deals for a game's options; None: there are none for these rules."""


class WinLabels(Labels):
    """Labels that say whether a deal can be won.

    ``winnable`` is 1 if a win is known, 0 if a loss is proved, else -1; ``nodes`` is the number of nodes searched.
    """

    columns = ("deal", "winnable", "nodes")

    def summary(self, rows: NDArray[np.int64]) -> dict[str, NDArray[np.bool_] | NDArray[np.int64]]:
        """Returns which deals can be won, which are lost, and which are open."""
        names = {WINNABLE: "winnable", LOST: "proved lost", UNSETTLED: "open"}
        return {name: rows[:, 1] == number for number, name in names.items()}

    def winnable(self, columns: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """Returns `WINNABLE`, `LOST` or `UNSETTLED` for each row."""
        return columns["winnable"]


@dataclass(frozen=True, kw_only=True)
class Kit:
    """Everything for one game except its rules."""

    game: Game
    """The game; not a series, which uses the kit of its `Game.base`."""
    agents: Mapping[str, MakeAgent] = field(default_factory=dict)
    """Name -> how to build the agent; the docstring's first sentence describes it. Every game also has 'uniform'."""
    advisers: Callable[[Any], Sequence[str]] = lambda options: ()
    """options -> names of the agents that give a person hints, the strongest first."""
    uses: Mapping[str, Uses] = field(default_factory=dict)
    """Name of an agent, 'solver' or 'labels' -> how it treats the options of the game and of its series. 'best' and
    'trained', for agents that have learned: what differs from `OF_LEARNERS` and `Choices.rules`. An agent without an
    entry refuses options by itself."""
    choices: Callable[[Any], Choices] | None = None
    """options -> how learners see the game under them; ValueError if they cannot. None: no agent can be trained."""
    trained: Sequence[str] = ()
    """Names of the trained agents that come with the package; 'best' is the first that has learned the rules played."""
    solver: Callable[[], Solver] | None = None
    """Builds the solver."""
    labels: Callable[[], Labels] | None = None
    """Builds the labels."""
    difficulty: Mapping[str, Callable[[NDArray[np.uint8]], NDArray[np.int64]]] = field(default_factory=dict)
    """Name -> a function from decks, uint8 [n, 52], to numbers that results are stratified by, int64 [n]."""
    languages: Sequence[Path] = ()
    """Folders of catalogues, as of `read_catalogue`, with the first sentences of the agents' docstrings."""


def rule_agents(rules: Mapping[str, Callable[[Any, Any], int]]) -> dict[str, MakeAgent]:
    """Returns agents that are one kernel each, by name; see `RuleAgent`."""

    def make(name: str, choose: Callable[[Any, Any], int]) -> MakeAgent:
        def build(options: Any) -> Agent:
            return RuleAgent(name, choose)

        build.__doc__ = getattr(choose, "py_func", choose).__doc__
        return build

    return {name: make(name, choose) for name, choose in rules.items()}
