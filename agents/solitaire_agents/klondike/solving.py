"""Klondike's solver and labels, for the commands `solve` and `label` and for the report."""

from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import solitaire_seeds
from solitaire_agents.kit import ANSWERS, UNSETTLED, Solved, Solver, Verdict, WinLabels, tabulate, verdict_in_time
from solitaire_agents.klondike.position import Position
from solitaire_agents.klondike.solver.api import Memory, Rules, new_memory, solve
from solitaire_agents.klondike.uses import MOVES_ENOUGH, USES
from solitaire_agents.uses import allows
from solitaire_envs.cards import Deck, decks_of_deals
from solitaire_envs.klondike import KlondikeOptions

VERDICT_NODES = 100_000
"""Most components to search for one verdict."""
LABEL_MEGABYTES = 128
"""Size of the solver's memory for labels. The numbers of nodes depend on it."""
FILES = {3: "klondike-test.csv", 1: "klondike-draw-one-test.csv"}
"""Cards a draw -> the file of the labelled test deals."""


class KlondikeSolver(Solver):
    """The solver of Klondike, for all its rules."""

    goals = ("win",)
    uses = USES["solver"]

    @cached_property
    def _memory(self) -> Memory:
        return new_memory(64)

    def solve(self, deck: Deck, goal: str, options: Any, max_nodes: int | None = None) -> Solved:
        """Solves one deal."""
        return solve(Position.dealt(deck), Rules.of(options), max_nodes=max_nodes)

    def verdict(self, state: Any, options: Any, *, lost: bool) -> Verdict:
        """Returns whether a win is left; None as `winnable` if the line found has more moves than are left."""
        if lost:
            return Verdict(winnable=False, best=None)
        position = Position.of_state(state)
        found = solve(position, Rules.of(options), max_nodes=VERDICT_NODES, memory=self._memory)
        return verdict_in_time(found, options.max_moves, state.moves)


class KlondikeLabels(WinLabels):
    """Labels of deals of Klondike with one or three cards a draw, and the default of all other options.

    A node is a component.

    Args:
        draw: Cards that a draw turns over.
    """

    chunk = 10
    max_nodes: int = 5_000_000  # about 20 seconds; unlike a time, it gives the same labels again

    def __init__(self, draw: Literal[1, 3] = 3) -> None:
        self._draw = draw

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Labels deals, [n] -> [n, 3]."""
        rules, memory = Rules(self._draw), new_memory(LABEL_MEGABYTES)
        starts = map(Position.dealt, decks_of_deals(deals))
        results = tabulate(solve(start, rules, max_nodes=self.max_nodes, memory=memory) for start in starts)
        answers = np.where(results[:, 1] > MOVES_ENOUGH, UNSETTLED, ANSWERS[results[:, 0]])
        return np.stack([deals.astype(np.int64), answers, results[:, 2]], axis=1)

    def under(self, options: KlondikeOptions) -> "KlondikeLabels":
        """Returns the labels for the number of cards that a draw turns over."""
        return KlondikeLabels(options.draw)

    def file(self, options: KlondikeOptions) -> Path | None:
        """Returns the labelled test deals, for games with returns, no limit of passes and at least 1,000 moves."""
        return solitaire_seeds.FOLDER / FILES[options.draw] if allows(USES["labels"], options) else None
