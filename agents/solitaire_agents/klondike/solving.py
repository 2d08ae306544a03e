"""Klondike's solver and labels, for the commands `solve` and `label` and for the report."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import solitaire_seeds
from solitaire_agents.kit import FINISH_NODES, Solved, Solver, Status, WinLabels, dealt, tabulate
from solitaire_agents.klondike.solver.api import GOALS, Memory, new_memory, solve
from solitaire_agents.klondike.uses import MOVES_ENOUGH, USES
from solitaire_agents.uses import allows
from solitaire_envs.klondike import GAME, STOCK_SIZE, KlondikeOptions
from solitaire_envs.klondike_table import DRAW, REDEAL

LABEL_MEGABYTES = 128
"""Size of the solver's memory for labels. The numbers of nodes depend on it."""
FILES = {3: "klondike-test.csv", 1: "klondike-draw-one-test.csv"}
"""Cards a draw -> the file of the labelled test deals."""
DEFAULT_OPTIONS = KlondikeOptions()


class KlondikeSolver(Solver):
    """The solver of Klondike, for all its rules."""

    goals = GOALS
    uses = USES["solver"]
    verdict_nodes = 100_000

    def solve(self, state: Any, options: Any, **asked: Any) -> Solved:
        """Solves one position."""
        return solve(state, options, **asked)

    def best_line(self, state: Any, options: Any) -> Solved:
        """Returns a line to a win; most effort goes into a new deal."""
        limit = 1_000_000 if state.stock_size == STOCK_SIZE else 20_000
        return self.solve(state, options, max_nodes=limit, memory=self.memory)

    def finish(self, state: Any, options: Any) -> Sequence[int] | None:
        """Returns the moves that win; where the game is proved lost, those through one pass; None: unsettled."""
        found = self.solve(state, options, max_nodes=FINISH_NODES, memory=self._little)
        return draw_on(state, options) if found.status is Status.IMPOSSIBLE else found.actions or None

    @cached_property
    def _little(self) -> Memory:
        return new_memory(1)

    def new_memory(self) -> Memory:
        """Allocates storage for verdicts."""
        return new_memory(64)


def draw_on(state: Any, options: KlondikeOptions) -> list[int]:
    """Returns the moves through the rest of the stock, and the redeal after them if one is left."""
    redeal = state.stock_size + state.waste_size > 0 and options.passes != state.current_pass
    return [DRAW] * -(-int(state.stock_size) // options.draw) + [REDEAL] * bool(redeal)


class KlondikeLabels(WinLabels):
    """Labels of deals of Klondike, under any of its rules. A node is a component.

    Args:
        options: The rules.
    """

    chunk = 10
    max_nodes: int = 5_000_000  # about 20 seconds; unlike a time, it gives the same labels again

    def __init__(self, options: KlondikeOptions = DEFAULT_OPTIONS) -> None:
        self._options = options

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Labels deals, [n] -> [n, 3]."""
        options, memory = self._options, new_memory(LABEL_MEGABYTES)
        states = dealt(GAME, options, deals)
        results = tabulate(solve(state, options, max_nodes=self.max_nodes, memory=memory) for state in states)
        answers = np.where(results[:, 1] > MOVES_ENOUGH, Status.UNKNOWN, results[:, 0])
        return np.stack([deals.astype(np.int64), answers, results[:, 2]], axis=1)

    def under(self, options: KlondikeOptions) -> "KlondikeLabels":
        """Returns the labels for some rules."""
        return KlondikeLabels(options)

    def file(self, options: KlondikeOptions) -> Path | None:
        """Returns the labelled test deals, for games with returns, no limit of passes and at least 1,000 moves."""
        return solitaire_seeds.FOLDER / FILES[options.draw] if allows(USES["labels"], options) else None
