"""La tour infernale's solver, for agents, the commands `solve` and `label`, and the report."""

from functools import cached_property
from typing import Any

from solitaire_agents.kit import Solved, Solver
from solitaire_agents.tour_infernale.solver.api import Memory, new_memory, solve
from solitaire_agents.tour_infernale.uses import USES
from solitaire_envs.cards import NUM_CARDS


class TourInfernaleSolver(Solver):
    """The solver of La tour infernale, for any number of piles and passes."""

    uses = USES["solver"]
    verdict_nodes = 50_000

    def solve(self, state: Any, options: Any, **asked: Any) -> Solved:
        """Solves one position."""
        return solve(state, options, **asked)

    def best_line(self, state: Any, options: Any) -> Solved:
        """Returns a line to a win, where passes have no limit one of few moves; most effort goes into a new deal."""
        limit = 3_000_000 if state.stock_size == NUM_CARDS - options.piles else 20_000
        return self.solve(state, options, max_nodes=limit, memory=self._lines if options.passes else None)

    @cached_property
    def _lines(self) -> Memory:
        """Storage for lines, much larger than that for verdicts."""
        return new_memory()

    def new_memory(self) -> Memory:
        """Allocates storage for verdicts."""
        return new_memory(64)

    def label_memory(self, max_nodes: int) -> Memory:
        """Allocates storage for labels."""
        return new_memory()

    def verdict(self, state: Any, options: Any, *, lost: bool) -> Solved | None:
        """Returns whether a win is left; None if passes have no limit, since then it always is."""
        return None if options.passes is None else super().verdict(state, options, lost=lost)
