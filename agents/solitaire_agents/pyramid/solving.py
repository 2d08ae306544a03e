"""Pyramid's solver and labels, for the commands `solve` and `label` and for the report."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import solitaire_seeds
from solitaire_agents.kit import LOST, STATUSES, WINNABLE, Labels, Solved, Solver, Verdict
from solitaire_agents.pyramid.position import from_state
from solitaire_agents.pyramid.solver.api import (
    GOALS,
    SOLVED,
    UNKNOWN,
    Goal,
    Memory,
    new_memory,
    solve,
    solve_many,
)
from solitaire_agents.pyramid.uses import USES
from solitaire_envs import pyramid
from solitaire_envs.cards import Deck, decks_of_deals
from solitaire_envs.catalogue import LABELLED

VERDICT_NODES = 2_000_000
"""Most states to search for one verdict."""
WHOLE_GAME = ("all", "score", "shortest-all")
"""Goals whose lines may go on after the pyramid is cleared."""
PASSES = (3, 2, 1)
"""Numbers of passes that deals are settled for, the most first."""
SETTLED = {"solved": True, "impossible": False, "unknown": None}


class PyramidSolver(Solver):
    """The solver of Pyramid, for any number of passes."""

    goals = ("score", *(goal for goal in GOALS if goal != "score"))
    uses = USES["solver"]

    @cached_property
    def _memory(self) -> Memory:
        return new_memory(16)

    def solve(self, deck: Deck, goal: Any, options: Any, max_nodes: int | None = None) -> Solved:
        """Solves one deal."""
        return solve(deck.tolist(), goal=goal, max_nodes=max_nodes, **_rules(options))

    def replay_options(self, options: Any, goal: str) -> Any:
        """Returns options without a limit of moves, under which clearing the pyramid ends only games with that goal."""
        return replace(options, max_moves=None, goal="all" if goal in WHOLE_GAME else options.goal)

    def verdict(self, state: Any, options: Any, *, lost: bool) -> Verdict | None:
        """Returns whether all cards can be discarded, and the best score; None if the game may end earlier."""
        if options.goal != "all" or options.max_moves is not None:
            return None
        start: Any = {"position": from_state(state), "memory": self._memory, "max_nodes": VERDICT_NODES}
        deck, rules = state.deck.tolist(), _rules(options)
        win = None if lost else solve(deck, goal="all", **start, **rules)
        best = solve(deck, goal="score", **start, **rules)
        score = best.value if best.status == "solved" else None
        line = win.actions if win and win.actions else best.actions
        return Verdict(winnable=SETTLED[win.status] if win else False, best=score, actions=line)


def _rules(options: Any) -> dict[str, Any]:
    return {"passes": options.passes, "stock_waste_pairs": options.stock_waste_pairs}


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
        decks, memory = decks_of_deals(deals), new_memory()
        scores = settled(decks, "score", 3, memory)
        columns = [
            deals.astype(np.int64),
            fewest_passes(decks, "all", memory),
            fewest_passes(decks, "pyramid", memory),
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
        """Returns `WINNABLE` or `LOST` for each row."""
        return np.where(columns["winnable_in"] > 0, WINNABLE, LOST)

    def file(self, options: pyramid.PyramidOptions) -> Path | None:
        """Returns the labelled test deals, which are those of the default rules."""
        return solitaire_seeds.FOLDER / "pyramid-test.csv" if LABELLED[pyramid.GAME.name].fits(options) else None


def within(fewest: NDArray[np.int64], passes: int) -> NDArray[np.bool_]:
    """Returns whether a number of passes is enough for each deal, bool [n], given the fewest it needs (0: none is)."""
    enough: NDArray[np.bool_] = (fewest > 0) & (fewest <= passes)
    return enough


def fewest_passes(
    decks: NDArray[np.uint8],
    goal: Goal,
    memory: Memory,
    *,
    possible: NDArray[np.int64] | None = None,
    pairs: bool = True,
) -> NDArray[np.int64]:
    """Returns the fewest passes in which a goal can be reached, [n]; 0: not even in three.

    Three passes are tried first: deals that fail there need no further search.

    Args:
        decks: uint8 [n, 52].
        goal: The goal.
        memory: Storage of the solver.
        possible: The fewest passes for an easier goal, [n]; fewer are not tried.
        pairs: Whether the tops of stock and waste may be paired.

    Raises:
        ValueError: A deal cannot be settled.
    """
    possible = np.ones(len(decks), np.int64) if possible is None else possible
    fewest = np.zeros(len(decks), np.int64)
    chosen = np.flatnonzero(possible)
    for passes in PASSES:
        chosen = chosen[possible[chosen] <= passes]
        chosen = chosen[settled(decks[chosen], goal, passes, memory, pairs)[:, 0] == SOLVED]
        fewest[chosen] = passes
    return fewest


def settled(
    decks: NDArray[np.uint8], goal: Goal, passes: int, memory: Memory, stock_waste_pairs: bool = True
) -> NDArray[np.int64]:
    """Settles deals as `solve_many` does.

    Raises:
        ValueError: A deal cannot be settled.
    """
    results = solve_many(decks, goal=goal, passes=passes, stock_waste_pairs=stock_waste_pairs, memory=memory)
    if (results[:, 0] == UNKNOWN).any():
        raise ValueError(f"expected every deal to be settled, got {STATUSES[UNKNOWN]} for goal {goal!r}")
    return results
