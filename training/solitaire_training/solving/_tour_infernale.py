"""The solver and the labels of La tour infernale."""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.tour_infernale.solver.api import (
    IMPOSSIBLE,
    SOLVED,
    Memory,
    new_memory,
    position_of,
    solve,
    solve_many,
)
from solitaire_envs import tour_infernale
from solitaire_envs.cards import Deck, decks_of_deals
from solitaire_envs.engine import Engine
from solitaire_training.solving.solvers import Labels, Solved, Solver, Verdict

VERDICT_NODES = 50_000
"""Configurations searched for one verdict, at most."""
LABEL_NODES = 25_000_000
"""Configurations searched for one label, at most: about ten seconds. A number, unlike a time, can be repeated."""


class TourInfernaleSolver(Solver):
    """The solver of La tour infernale, for any number of piles and passes."""

    goals = ("all",)
    known_options = frozenset({"information", "max_moves", "piles", "passes", "objective"})

    @cached_property
    def _memory(self) -> Memory:
        return new_memory(64)

    def solve(self, deck: Deck, goal: str, options: Any, max_nodes: int | None = None) -> Solved:
        """Solves one deal."""
        found = solve(deck, piles=options.piles, passes=options.passes, max_nodes=max_nodes)
        engine, moves = Engine(tour_infernale.GAME, self.replay_options(options, goal), 1), []
        engine.deal_decks([deck])
        for action in found.actions:
            moves.append(engine.move_text(0, action))
            engine.step(np.array([action]))
        return Solved(found.status, None, found.nodes, moves)

    def replay_options(self, options: Any, goal: str) -> Any:
        """Returns options without a limit of moves."""
        return replace(options, max_moves=None)

    def verdict(self, state: Any, options: Any, *, lost: bool) -> Verdict | None:
        """Returns whether a win is left; None if passes have no limit, for then it always is."""
        if options.passes is None:
            return None
        if lost:
            return Verdict(winnable=False, best=None)
        found = solve(
            position=position_of(state, options.piles),
            piles=options.piles,
            passes=options.passes,
            max_nodes=VERDICT_NODES,
            memory=self._memory,
        )
        return Verdict(winnable=None if found.status == "unknown" else found.status == "solved", best=None)


class TourInfernaleLabels(Labels):
    """Labels of deals of La tour infernale with six piles and one pass.

    ``winnable`` is 1 where a win is known, 0 where a loss is proved, -1 where neither; ``nodes`` the configurations
    searched.
    """

    columns = ("deal", "winnable", "nodes")
    chunk = 5

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Labels deals, [n] -> [n, 3]."""
        results = solve_many(decks_of_deals(deals), max_nodes=LABEL_NODES, memory=new_memory())
        winnable = np.select([results[:, 0] == SOLVED, results[:, 0] == IMPOSSIBLE], [1, 0], -1)
        return np.stack([deals.astype(np.int64), winnable, results[:, 2]], axis=1)

    def summary(self, rows: NDArray[np.int64]) -> dict[str, NDArray[np.bool_] | NDArray[np.int64]]:
        """Returns which deals can be won, which not, and which are open."""
        names = {1: "winnable", 0: "proved lost", -1: "open"}
        return {name: rows[:, 1] == number for number, name in names.items()}
