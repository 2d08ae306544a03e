"""A kit: all that there is for one game besides its rules. One for each game, in the `kit.py` of its folder.

The agents of a game, how its network sees it, its solver, and what is known of its deals. Each part is optional: a game
without a kit can be played by the uniform agent.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent, RuleAgent
from solitaire_envs.cards import Deck
from solitaire_envs.game import Game

if TYPE_CHECKING:
    from solitaire_agents.networks import View

MakeAgent = Callable[[Any], Agent]
"""options of the game -> the agent"""
Status = Literal["solved", "impossible", "unknown"]
LOST, WINNABLE, OPEN = 0, 1, -1
"""What a label says of a deal: a loss is proved, a win is known, neither."""


@dataclass(frozen=True, kw_only=True)
class Solved:
    """What a solver says of one deal."""

    status: Status
    """'impossible' is proved; 'unknown': a limit ended the search."""
    value: int | None
    """Best score, or fewest moves; None for other goals."""
    nodes: int
    """Positions searched."""
    moves: Sequence[str]
    """A line of play that reaches the goal, in words; empty if there is none."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What perfect play with the stock open can still reach from a position."""

    winnable: bool | None
    """None: the solver could not settle it."""
    best: int | None
    """Best final score; None: not known."""


class Solver(ABC):
    """Finds the best play of one game with the stock open, for the commands `solve` and `label` and the report."""

    goals: Sequence[str]
    """What may be asked for; the first is meant where nothing else is said."""

    @abstractmethod
    def check(self, options: Any) -> None:
        """Checks that the solver knows all the rules that options choose.

        Raises:
            ValueError: It does not; the message names the option.
        """

    @abstractmethod
    def solve(self, deck: Deck, goal: str, options: Any, max_nodes: int | None) -> Solved:
        """Solves one deal.

        Args:
            deck: The deck, uint8 [52].
            goal: One of `goals`.
            options: Options that `check` allows.
            max_nodes: Positions to search at most; None: the solver's own limit.
        """

    def replayed(self, options: Any, goal: str) -> Any:
        """Returns the options under which a line for a goal can be played to its very end."""
        return options

    def verdict(self, state: Any, options: Any, *, lost: bool) -> Verdict | None:
        """Returns what can still be reached from a position; None: the solver does not judge positions.

        Args:
            state: The game in play, one record.
            options: Its options, which `check` allows.
            lost: No win was left before already.
        """
        return None


class Labels(ABC):
    """What is kept of each deal of a list: one row of whole numbers, the deal number first."""

    columns: Sequence[str]
    """Names of the columns."""
    chunk: int
    """Deals labelled at a time."""

    @abstractmethod
    def make(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Labels some deals, [n] -> [n, columns].

        Raises:
            ValueError: A deal could not be settled, where all have to be.
        """

    @abstractmethod
    def file(self, options: Any) -> str | None:
        """Returns the name of the list of labelled test deals for a game's options; None: there is none."""

    @abstractmethod
    def winnable(self, rows: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """Returns `WINNABLE`, `LOST` or `OPEN` for each row, given the columns by name."""

    @abstractmethod
    def summary(self, rows: Mapping[str, NDArray[np.int64]]) -> Iterator[tuple[str, NDArray[Any]]]:
        """Yields what a list says of perfect play: a name, and bool [n] for a share or numbers [n] for a mean."""


@dataclass(frozen=True, kw_only=True)
class Kit:
    """What there is for one game."""

    game: Game
    """The game; not a series, whose agents are those of its `Game.base`."""
    agents: Mapping[str, MakeAgent] = field(default_factory=dict)
    """Name -> how to build the agent. Every game has 'uniform' besides."""
    view: "Callable[[], type[View]] | None" = None
    """Imports and returns how a network sees the game; None: no network can be trained."""
    solver: Callable[[], Solver] | None = None
    """Imports and builds the solver."""
    labels: Callable[[], Labels] | None = None
    """Imports and builds what labels deals."""
    difficulty: Mapping[str, Callable[[NDArray[np.uint8]], NDArray[np.int64]]] = field(default_factory=dict)
    """Name -> decks, uint8 [n, 52] -> a number for each by which results are stratified, int64 [n]."""


def rule_agents(
    rules: Mapping[str, Callable[[Any, Any], int]], saturates: Mapping[str, int] | None = None
) -> dict[str, MakeAgent]:
    """Returns agents that are one kernel each, by name; see `RuleAgent`."""

    def make(name: str, choose: Callable[[Any, Any], int]) -> MakeAgent:
        return lambda options: RuleAgent(name, choose, saturates)

    return {name: make(name, choose) for name, choose in rules.items()}


def shipped_policy(kit: Kit, name: str, options: Any) -> Agent:
    """Loads a policy that comes with the package."""
    from solitaire_agents.policy import load_shipped  # noqa: PLC0415  # only a policy needs torch

    return load_shipped(name, kit, kit.game.num_actions(options))
