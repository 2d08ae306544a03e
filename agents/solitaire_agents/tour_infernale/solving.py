"""La tour infernale's solver and labels, for the commands `solve` and `label` and for the report."""

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import solitaire_seeds
from solitaire_agents.kit import ANSWERS, Solved, Solver, Verdict, WinLabels, tabulate, verdict_in_time
from solitaire_agents.tour_infernale.position import Position
from solitaire_agents.tour_infernale.solver.api import Memory, new_memory, solve
from solitaire_agents.tour_infernale.uses import USES
from solitaire_envs import tour_infernale
from solitaire_envs.cards import Deck, decks_of_deals
from solitaire_envs.catalogue import LABELLED

VERDICT_NODES = 50_000
"""Most configurations to search for one verdict."""


class TourInfernaleSolver(Solver):
    """The solver of La tour infernale, for any number of piles and passes."""

    goals = ("all",)
    uses = USES["solver"]

    @cached_property
    def _memory(self) -> Memory:
        return new_memory(64)

    def solve(self, deck: Deck, goal: str, options: Any, max_nodes: int | None = None) -> Solved:
        """Solves one deal."""
        return solve(Position.dealt(deck, options.piles), passes=options.passes, max_nodes=max_nodes)

    def verdict(self, state: Any, options: Any, *, lost: bool) -> Verdict | None:
        """Returns whether a win is left; None if passes have no limit, since then it always is."""
        if options.passes is None:
            return None
        if lost:
            return Verdict(winnable=False, best=None)
        position = Position.of_state(state, options.piles)
        found = solve(position, passes=options.passes, max_nodes=VERDICT_NODES, memory=self._memory)
        return verdict_in_time(found, options.max_moves, state.moves)


class TourInfernaleLabels(WinLabels):
    """Labels of deals of La tour infernale with six piles and one pass. A node is a configuration."""

    chunk = 5
    max_nodes: int = 75_000_000  # about 20 seconds; unlike a time, it gives the same labels again

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Labels deals, [n] -> [n, 3]."""
        memory, starts = new_memory(), map(Position.dealt, decks_of_deals(deals))
        results = tabulate(solve(start, max_nodes=self.max_nodes, memory=memory) for start in starts)
        return np.stack([deals.astype(np.int64), ANSWERS[results[:, 0]], results[:, 2]], axis=1)

    def file(self, options: tour_infernale.TourInfernaleOptions) -> Path | None:
        """Returns the labelled test deals, for games with six piles, one pass and at least 1,000 moves."""
        fits = LABELLED[tour_infernale.GAME.name].fits(options)
        return solitaire_seeds.FOLDER / "tour-infernale-one-pass-test.csv" if fits else None
