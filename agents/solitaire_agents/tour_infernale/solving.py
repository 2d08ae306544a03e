"""La tour infernale's solver and labels, for the commands `solve` and `label` and for the report."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import solitaire_seeds
from solitaire_agents.kit import Solved, Solver, WinLabels, dealt, tabulate
from solitaire_agents.tour_infernale.solver.api import GOALS, Memory, new_memory, solve
from solitaire_agents.tour_infernale.uses import USES
from solitaire_envs import tour_infernale
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.catalogue import LABELLED

RULES = tour_infernale.TourInfernaleOptions(passes=1)
"""The rules of the labels."""


class TourInfernaleSolver(Solver):
    """The solver of La tour infernale, for any number of piles and passes."""

    goals = GOALS
    uses = USES["solver"]
    verdict_nodes = 50_000

    def solve(self, state: Any, options: Any, **asked: Any) -> Solved:
        """Solves one position."""
        return solve(state, options, **asked)

    def best_line(self, state: Any, options: Any) -> Solved:
        """Returns a line to a win, where passes have no limit one of few moves; most effort goes into a new deal."""
        limit = 3_000_000 if state.stock_size == NUM_CARDS - options.piles else 20_000
        return self.solve(state, options, max_nodes=limit, memory=self._lines)

    def finish(self, state: Any, options: Any) -> Sequence[int] | None:
        """Returns the moves of `best_line` where passes have no limit; else moves to a win; None: none was found."""
        return self.best_line(state, options).actions or None

    @cached_property
    def _lines(self) -> Memory:
        """Storage for lines, much larger than that for verdicts."""
        return new_memory()

    def new_memory(self) -> Memory:
        """Allocates storage for verdicts."""
        return new_memory(64)

    def verdict(self, state: Any, options: Any, *, lost: bool) -> Solved | None:
        """Returns whether a win is left; None if passes have no limit, since then it always is."""
        return None if options.passes is None else super().verdict(state, options, lost=lost)


class TourInfernaleLabels(WinLabels):
    """Labels of deals of La tour infernale with six piles and one pass. A node is a configuration."""

    chunk = 5
    max_nodes: int = 75_000_000  # about 20 seconds; unlike a time, it gives the same labels again

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Labels deals, [n] -> [n, 3]."""
        memory, states = new_memory(), dealt(tour_infernale.GAME, RULES, deals)
        results = tabulate(solve(state, RULES, max_nodes=self.max_nodes, memory=memory) for state in states)
        return np.stack([deals.astype(np.int64), results[:, 0], results[:, 2]], axis=1)

    def file(self, options: tour_infernale.TourInfernaleOptions) -> Path | None:
        """Returns the labelled test deals, for games with six piles, one pass and at least 1,000 moves."""
        fits = LABELLED[tour_infernale.GAME.name].fits(options)
        return solitaire_seeds.FOLDER / "tour-infernale-one-pass-test.csv" if fits else None
