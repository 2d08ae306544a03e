"""Pyramid's solver and labels, for the commands `solve` and `label` and for the report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import solitaire_seeds
from solitaire_agents.kit import Labels, Solved, Solver, Status, dealt
from solitaire_agents.pyramid.solver.api import GOALS, Goal, Memory, new_memory, solve, solve_many
from solitaire_agents.pyramid.uses import USES
from solitaire_envs import pyramid
from solitaire_envs.catalogue import LABELLED
from solitaire_envs.pyramid import PyramidOptions

PASSES = (3, 2, 1)
"""Numbers of passes that deals are settled for, the most first."""
RULES = {goal: PyramidOptions(goal=goal) for goal in ("all", "pyramid")}
"""Rules of the labels: for winning, and for clearing the pyramid."""


class PyramidSolver(Solver):
    """The solver of Pyramid, for any number of passes."""

    goals = GOALS
    uses = USES["solver"]
    verdict_nodes = 2_000_000

    def solve(self, state: Any, options: Any, **asked: Any) -> Solved:
        """Solves one position."""
        return solve(state, options, **asked)

    def best_line(self, state: Any, options: Any) -> Solved:
        """Returns a line to what the objective asks for, a win or the best score; to the best score if no win is left.

        With the goal 'pyramid' the game ends once the pyramid is cleared, but the solver's best score also counts cards
        that could be discarded after that. So the score reached may be slightly lower.
        """
        found = self.solve(state, options, goal=options.objective, memory=self.memory)
        return found if found.actions else self.solve(state, options, goal="score", memory=self.memory)

    def finish(self, state: Any, options: Any) -> Sequence[int]:
        """Returns the moves of `best_line`, which settles every position."""
        return self.best_line(state, options).actions

    def new_memory(self) -> Memory:
        """Allocates storage for verdicts."""
        return new_memory(16)

    def replay_options(self, options: Any, goal: str) -> Any:
        """Returns options without a limit of moves; for the score, the game goes on after the pyramid is cleared."""
        return replace(options, max_moves=None, goal="all" if goal == "score" else options.goal)

    def verdict(self, state: Any, options: Any, *, lost: bool) -> Solved | None:
        """Returns whether all cards can be discarded, and the best score; None if the game may end earlier."""
        if options.goal != "all" or options.max_moves is not None:
            return None
        win = super().verdict(state, options, lost=lost) or Solved(Status.IMPOSSIBLE, None, 0)
        best = solve(state, options, goal="score", max_nodes=self.verdict_nodes, memory=self.memory)
        score = best.value if best.status is Status.SOLVED else None
        return Solved(win.status, score, win.nodes + best.nodes, win.actions or best.actions)


class PyramidLabels(Labels):
    """Labels of deals of Pyramid under the default rules; each deal is settled.

    ``winnable_in`` and ``clearable_in`` are the fewest passes in which all 52 cards, and the 28 of the pyramid, can be
    discarded (0: in no number up to three); ``nodes`` the states searched for ``best_score``.
    """

    columns = ("deal", "winnable_in", "clearable_in", "best_score", "nodes")
    chunk = 50

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Labels deals, [n] -> [n, 5].

        Raises:
            ValueError: A deal cannot be settled.
        """
        states, memory = dealt(pyramid.GAME, RULES["all"], deals), new_memory()
        scores = settled(states, RULES["all"], "score", memory)
        columns = [
            deals.astype(np.int64),
            fewest_passes(states, RULES["all"], memory),
            fewest_passes(states, RULES["pyramid"], memory),
            scores[:, 1],
            scores[:, 2],
        ]
        return np.stack(columns, axis=1)

    def summary(self, rows: NDArray[np.int64]) -> dict[str, NDArray[np.bool_] | NDArray[np.int64]]:
        """Returns which deals can be won and cleared in how many passes, and the best scores."""
        inside = {
            f"{name} in {passes} passes or fewer": within(rows[:, column], passes)
            for column, name in ((1, "winnable"), (2, "clearable"))
            for passes in PASSES
        }
        return {**inside, "best score, mean": rows[:, 3]}

    def winnable(self, columns: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """Returns the `Status` of a win for each row."""
        return np.where(columns["winnable_in"] > 0, Status.SOLVED, Status.IMPOSSIBLE)

    def file(self, options: pyramid.PyramidOptions) -> Path | None:
        """Returns the labelled test deals, which are those of the default rules."""
        return solitaire_seeds.FOLDER / "pyramid-test.csv" if LABELLED[pyramid.GAME.name].fits(options) else None


def within(fewest: NDArray[np.int64], passes: int) -> NDArray[np.bool_]:
    """Returns whether a number of passes is enough for each deal, bool [n], given the fewest it needs (0: none is)."""
    enough: NDArray[np.bool_] = (fewest > 0) & (fewest <= passes)
    return enough


def fewest_passes(
    states: Any, options: PyramidOptions, memory: Memory, *, possible: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Returns the fewest passes in which a win can be reached, [n]; 0: not even in three.

    Three passes are tried first: deals that fail there need no further search.

    Args:
        states: Records of `pyramid.STATE`, [n].
        options: The options, but for the passes.
        memory: Storage of the solver.
        possible: The fewest passes for an easier goal, [n]; fewer are not tried.

    Raises:
        ValueError: A deal cannot be settled.
    """
    possible = np.ones(len(states), np.int64) if possible is None else possible
    fewest = np.zeros(len(states), np.int64)
    chosen = np.flatnonzero(possible)
    for passes in PASSES:
        chosen = chosen[possible[chosen] <= passes]
        found = settled(states[chosen], replace(options, passes=passes), "win", memory)
        chosen = chosen[found[:, 0] == Status.SOLVED]
        fewest[chosen] = passes
    return fewest


def settled(states: Any, options: PyramidOptions, goal: Goal, memory: Memory) -> NDArray[np.int64]:
    """Settles positions as `solve_many` does.

    Raises:
        ValueError: One cannot be settled.
    """
    results = solve_many(states, options, goal=goal, memory=memory)
    if (results[:, 0] == Status.UNKNOWN).any():
        raise ValueError(f"expected every deal to be settled, got {Status.UNKNOWN} for goal {goal!r}")
    return results
