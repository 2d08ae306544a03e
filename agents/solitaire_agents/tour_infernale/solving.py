"""La tour infernale's solver and labels, for the commands `solve` and `label` and for the report."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import solitaire_seeds
from solitaire_agents.kit import ANSWERS, LOST, OPEN, WINNABLE, Labels, Solved, Solver, Verdict
from solitaire_agents.tour_infernale.position import Position
from solitaire_agents.tour_infernale.solver.api import (
    Memory,
    check_options,
    new_memory,
    solve,
    solve_many,
)
from solitaire_envs import tour_infernale
from solitaire_envs.cards import Deck, decks_of_deals
from solitaire_envs.catalogue import LABELLED

VERDICT_NODES = 50_000
"""Most configurations to search for one verdict."""


class TourInfernaleSolver(Solver):
    """The solver of La tour infernale, for any number of piles and passes."""

    goals = ("all",)

    def check(self, options: Any) -> None:
        """Checks that the solver knows all rules that the options choose."""
        check_options(options)

    @cached_property
    def _memory(self) -> Memory:
        return new_memory(64)

    def solve(self, deck: Deck, goal: str, options: Any, max_nodes: int | None = None) -> Solved:
        """Solves one deal."""
        return solve(deck, piles=options.piles, passes=options.passes, max_nodes=max_nodes)

    def replay_options(self, options: Any, goal: str) -> Any:
        """Returns options without a limit of moves."""
        return replace(options, max_moves=None)

    def verdict(self, state: Any, options: Any, *, lost: bool) -> Verdict | None:
        """Returns whether a win is left; None if passes have no limit, since then it always is."""
        if options.passes is None:
            return None
        if lost:
            return Verdict(winnable=False, best=None)
        found = solve(
            position=Position.of_state(state, options.piles),
            piles=options.piles,
            passes=options.passes,
            max_nodes=VERDICT_NODES,
            memory=self._memory,
        )
        moves_left = math.inf if options.max_moves is None else options.max_moves - state.moves
        if found.status == "unknown" or len(found.actions) > moves_left:
            return Verdict(winnable=None, best=None)
        return Verdict(winnable=found.status == "solved", best=None, actions=found.actions)


class TourInfernaleLabels(Labels):
    """Labels of deals of La tour infernale with six piles and one pass.

    ``winnable`` is 1 if a win is known, 0 if a loss is proved, else -1; ``nodes`` is the number of configurations
    searched.
    """

    columns = ("deal", "winnable", "nodes")
    chunk = 5
    max_nodes: int = 75_000_000  # about 20 seconds; unlike a time, it gives the same labels again

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Labels deals, [n] -> [n, 3]."""
        results = solve_many(decks_of_deals(deals), max_nodes=self.max_nodes, memory=new_memory())
        return np.stack([deals.astype(np.int64), ANSWERS[results[:, 0]], results[:, 2]], axis=1)

    def summary(self, rows: NDArray[np.int64]) -> dict[str, NDArray[np.bool_] | NDArray[np.int64]]:
        """Returns which deals can be won, which are lost, and which are open."""
        names = {WINNABLE: "winnable", LOST: "proved lost", OPEN: "open"}
        return {name: rows[:, 1] == number for number, name in names.items()}

    def winnable(self, columns: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """Returns `WINNABLE`, `LOST` or `OPEN` for each row."""
        return columns["winnable"]

    def file(self, options: tour_infernale.TourInfernaleOptions) -> Path | None:
        """Returns the labelled test deals, for games with six piles, one pass and at least 1,000 moves."""
        fits = LABELLED[tour_infernale.GAME.name].fits(options)
        return solitaire_seeds.FOLDER / "tour-infernale-one-pass-test.csv" if fits else None
