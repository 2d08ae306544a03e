"""A kit: everything for one game except its rules. It stands in the `kit.py` of the game's folder.

It has the game's agents, choices, solver and labels. Each part is optional: the uniform agent can play a game without a
kit.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import solitaire_seeds
from solitaire_agents.base import Agent, RuleAgent
from solitaire_agents.choices import Choices
from solitaire_agents.trained_agent import Calibration
from solitaire_agents.uses import MOVES_ENOUGH, Uses, allows, check_uses
from solitaire_envs.checks import did_you_mean, short
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game
from solitaire_envs.jit import as_records

MakeAgent = Callable[[Any], Agent]
"""options of the game -> the agent"""
FINISH_NODES: Final = 20_000
"""Most positions that a solver looks at for a planner, once at most one card is hidden."""
SIMULATIONS: Final = 1_000
"""Most simulations of a planner for each decision, unless it is told another number."""


class Status(IntEnum):
    """What is known about a goal, such as a win. Labels hold these numbers."""

    IMPOSSIBLE = 0
    """It is proved to be out of reach."""
    SOLVED = 1
    """A line to it is known."""
    UNKNOWN = -1
    """A limit ended the search."""

    def __str__(self) -> str:
        return self.name.lower()

    @property
    def answer(self) -> bool | None:
        """Yes or no; None: not known."""
        return None if self is Status.UNKNOWN else self is Status.SOLVED


@dataclass(frozen=True)
class Solved:
    """A solver's result for one position."""

    status: Status
    value: int | None
    """Best score (if unknown, the best found); None for other goals."""
    nodes: int
    """Positions searched."""
    actions: Sequence[int] = ()
    """A line of play that reaches the goal, or the best line found; empty if none was found."""


class Solver(ABC):
    """The solver of one game. It knows the order of all cards."""

    goals: Sequence[str] = ("win",)
    """The goals that it can search for; the first is the default of the command ``solve``."""
    uses: Uses = {}  # noqa: RUF012  # read-only
    """How it treats the options of its game."""
    verdict_nodes: int | None = None
    """Most positions to search for a verdict; None: its own limit."""

    def check(self, options: Any) -> None:
        """Checks that the solver knows all rules that the options choose.

        Raises:
            ValueError: It does not know a rule; the message names the option.
        """
        check_uses(self.uses, options, "the solver")

    @abstractmethod
    def solve(
        self, state: Any, options: Any, *, goal: str = "win", max_nodes: int | None = None, memory: Any = None
    ) -> Solved:
        """Solves one position.

        Args:
            state: The position, one record of `Game.state`; all its cards must be known.
            options: Options that `check` allows.
            goal: One of `goals`.
            max_nodes: Most positions to search; None: the solver's own limit.
            memory: Storage to use again, of `new_memory`; None: new storage.

        Raises:
            ValueError: An argument is out of range.
        """

    def new_memory(self) -> Any:
        """Allocates storage that `solve` can use again, for verdicts."""
        return None

    def label_memory(self, max_nodes: int) -> Any:
        """Allocates storage for labels with a limit of nodes; the numbers of nodes may depend on its size."""
        return self.new_memory()

    @cached_property
    def memory(self) -> Any:
        """Storage for verdicts."""
        return self.new_memory()

    def best_line(self, state: Any, options: Any) -> Solved:
        """Returns the line that one who knows all cards follows: to the first of `goals`."""
        return self.solve(state, options, goal=self.goals[0], memory=self.memory)

    def finish(self, state: Any, options: Any) -> Sequence[int] | None:
        """Returns the moves of a planner that knows all cards, by the state and the options alone; None: unsettled."""
        found = self.solve(state, options, max_nodes=FINISH_NODES, memory=self.memory)
        return found.actions if found.status is Status.SOLVED else None

    def replay_options(self, options: Any, goal: str) -> Any:
        """Returns the options under which a line for a goal can be played to its end: without a limit of moves."""
        return replace(options, max_moves=None)

    def verdict(self, state: Any, options: Any, *, lost: bool) -> Solved | None:
        """Returns what perfect play with the stock open can still reach.

        Args:
            state: A game in play, one record.
            options: Options that `check` allows.
            lost: It is known that no win is left.

        Returns:
            Whether a win is left; the best final score, if the solver searches for it; a line to a win, else to that
            score. None: the solver does not answer this under the options. It does not count moves: a line that takes
            more than are left proves nothing.
        """
        if lost:
            return Solved(Status.IMPOSSIBLE, None, 0)
        found = self.solve(state, options, max_nodes=self.verdict_nodes, memory=self.memory)
        if options.max_moves is not None and len(found.actions) > options.max_moves - state.moves:
            return Solved(Status.UNKNOWN, None, found.nodes)
        return found


def dealt(game: Game, options: Any, deals: NDArray[np.uint64]) -> Any:
    """Returns the states that deals begin with, a recarray [n] of `Game.state`."""
    engine = Engine(game, options, len(deals))
    engine.deal_numbers(deals)
    return engine.states


def known_states(game: Game, options: Any, states: Any, piles: Sequence[str]) -> NDArray[np.void]:
    """Returns one state, or several, in the form that kernels take, [n].

    Args:
        game: The game.
        options: Its options.
        states: One record of `Game.state`, or an array of them; those of a series have more fields.
        piles: The fields whose cards may be hidden.

    Raises:
        ValueError: They are no states of the game under the options, or a card is not known.
    """
    given = np.atleast_1d(np.asarray(states))
    names = list(game.state.names or ())
    if not set(names) <= set(given.dtype.names or ()):
        raise ValueError(f"expected a state of {game.name}, got {short(states)}")
    known = np.zeros(len(given), game.state)
    for name in names:
        known[name] = given[name]
    if any((known[pile] == game.kinds + 1).any() for pile in piles):
        raise ValueError("expected a state whose cards are all known (information='open'), got hidden cards")
    most = getattr(options, "passes", None)
    if most is not None and (latest := int(known["current_pass"].max(initial=1))) > most:
        raise ValueError(f"expected a state of pass 1 to {most}, got pass {latest}")
    return as_records(known)


def check_goal(goal: str, goals: Sequence[str]) -> None:
    """Checks that a goal is among those that a solver searches for.

    Raises:
        ValueError: It is not.
    """
    if goal not in goals:
        raise ValueError(f"expected a goal among {', '.join(goals)}; got {short(goal)}{did_you_mean(goal, goals)}")


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
        """Returns the labels under some rules, if deals are labelled under any; else this one."""
        return self

    @abstractmethod
    def winnable(self, columns: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """Returns the `Status` of a win for each row of a table, given its columns by name."""

    @abstractmethod
    def file(self, options: Any) -> Path | None:
        """Returns the labelled test deals for a game's options; None: there are none for these rules."""


class WinLabels(Labels):
    """Labels that say whether a deal can be won, under any rules that the solver of its game knows.

    ``winnable`` is a `Status`: 1 if a win in at most `MOVES_ENOUGH` moves is known, 0 if a loss is proved, else -1;
    ``nodes`` is the number of nodes searched: what a node is, the solver of the game says.

    Args:
        game: The game.
        solver: Builds its solver.
        uses: The rules of the labelled test deals.
        file: The name of the file of these deals; an option in braces stands for its value.
        max_nodes: Most nodes to search for one deal. Unlike a time, it gives the same labels again.
        options: The rules; None: the default ones.
    """

    columns = ("deal", "winnable", "nodes")
    chunk = 10
    max_nodes: int

    def __init__(
        self,
        game: Game,
        solver: Callable[[], Solver],
        uses: Uses,
        file: str,
        max_nodes: int,
        options: Any = None,
    ) -> None:
        self._game, self._solver, self._uses, self._file = game, solver, uses, file
        self.max_nodes, self._options = max_nodes, game.options() if options is None else options

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Labels deals, [n] -> [n, 3]."""
        options, solver = self._options, self._solver()
        limit, memory = self.max_nodes, solver.label_memory(self.max_nodes)
        rows = np.repeat(deals.astype(np.int64)[:, None], 3, axis=1)
        for row, state in zip(rows, dealt(self._game, options, deals), strict=True):
            found = solver.solve(state, options, max_nodes=limit, memory=memory)
            row[1:] = Status.UNKNOWN if len(found.actions) > MOVES_ENOUGH else found.status, found.nodes
        return rows

    def summary(self, rows: NDArray[np.int64]) -> dict[str, NDArray[np.bool_] | NDArray[np.int64]]:
        """Returns which deals can be won, which are lost, and which are open."""
        names = {Status.SOLVED: "winnable", Status.IMPOSSIBLE: "proved lost", Status.UNKNOWN: "open"}
        return {name: rows[:, 1] == number for number, name in names.items()}

    def under(self, options: Any) -> "WinLabels":
        """Returns the labels for some rules."""
        return WinLabels(self._game, self._solver, self._uses, self._file, self.max_nodes, options)

    def winnable(self, columns: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """Returns the `Status` of a win for each row."""
        return columns["winnable"]

    def file(self, options: Any) -> Path | None:
        """Returns the labelled test deals."""
        return solitaire_seeds.FOLDER / self._file.format(**vars(options)) if allows(self._uses, options) else None


@dataclass(frozen=True, kw_only=True)
class Kit:
    """Everything for one game except its rules."""

    game: Game
    """The game; not a series, which uses the kit of its `Game.base`."""
    agents: Mapping[str, MakeAgent] = field(default_factory=dict)
    """Name -> how to build the agent; the docstring's first sentence describes it. The first one stands in for the
    oracle where the solver finds no line. Every game also has 'uniform', and 'oracle' if it has a solver."""
    advisers: Callable[[Any], Sequence[str]] = lambda options: ()
    """options -> names of the agents that give a person hints, the strongest first."""
    uses: Mapping[str, Uses] = field(default_factory=dict)
    """Name of an agent, 'solver' or 'labels' -> how it treats the options of the game and of its series. 'best' and
    'trained', for agents that have learned: what differs from `OF_LEARNERS` and `Choices.rules`; the planner that
    'best' guides has the uses of 'best'. An agent without an entry refuses options by itself."""
    choices: Callable[[Any], Choices] | None = None
    """options -> how learners see the game under them; ValueError if they cannot. None: no agent can be trained."""
    trained: Sequence[str] = ()
    """Names of the trained agents that come with the package; 'best' is the first that has learned the rules played. If
    there are any and the kit has no 'planner', 'planner' is a `TreePlanner` guided by 'best'."""
    simulations: int = SIMULATIONS
    """Most simulations of that planner for each decision."""
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)
    """Name of one of `trained` -> the calibration of the searches that it guides, in place of that of its card. It is
    fitted to their games of training deals (`experiments/calibration.py --agents planner --fit`) with `AS_LEARNED`
    here."""
    solver: Callable[[], Solver] | None = None
    """Builds the solver."""
    labels: Callable[[], Labels] | None = None
    """Builds the labels."""
    safe_up: bool = False
    """Whether a card of tableau, cells or reserve loses nothing by going to its foundation once all cards two ranks
    lower are there. The proof is that of `solitaire_agents.piles.dominances.Dominances`."""
    languages: Sequence[Path] = ()
    """Folders of catalogues, as of `read_catalogue`, with the first sentences of the agents' docstrings."""

    def finisher(self, options: Any) -> Solver | None:
        """Returns the solver of a `TreePlanner`; None: it does not know the rules, or no card is ever hidden.

        Where none is hidden, the network would have nothing to do.
        """
        solver = self.solver() if self.solver and self.game.unseen.stop else None
        return solver if solver and allows(solver.uses, replace(options, max_moves=None)) else None


def rule_agents(rules: Mapping[str, Callable[[Any, Any], int]]) -> dict[str, MakeAgent]:
    """Returns agents that are one kernel each, by name; see `RuleAgent`."""

    def make(name: str, choose: Callable[[Any, Any], int]) -> MakeAgent:
        def build(options: Any) -> Agent:
            return RuleAgent(name, choose)

        build.__doc__ = getattr(choose, "py_func", choose).__doc__
        return build

    return {name: make(name, choose) for name, choose in rules.items()}
