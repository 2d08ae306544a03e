"""Klondike's solver, for agents, the commands `solve` and `label`, and the report."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from solitaire_agents.kit import FINISH_NODES, Solved, Solver, Status
from solitaire_agents.klondike.solver.api import Memory, new_memory, solve
from solitaire_agents.klondike.uses import USES
from solitaire_envs.klondike import STOCK_SIZE, KlondikeOptions
from solitaire_envs.klondike_table import DRAW, REDEAL


class KlondikeSolver(Solver):
    """The solver of Klondike, for all its rules."""

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

    def label_memory(self, max_nodes: int) -> Memory:
        """Allocates storage for labels; their numbers of nodes depend on its size."""
        return new_memory(128)


def draw_on(state: Any, options: KlondikeOptions) -> list[int]:
    """Returns the moves through the rest of the stock, and the redeal after them if one is left."""
    redeal = state.stock_size + state.waste_size > 0 and options.passes != state.current_pass
    return [DRAW] * -(-int(state.stock_size) // options.draw) + [REDEAL] * bool(redeal)
