"""The planner of Klondike: `TreePlanner`, and the exact solver once all cards are known."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.kit import Finish, Status
from solitaire_agents.klondike.solver.api import new_memory, solve
from solitaire_envs.klondike import AT, GAME, STOCK_SIZE, KlondikeOptions
from solitaire_envs.klondike_table import DRAW, EMPTY, REDEAL

NODES: Final = 20_000
"""Most components that the solver looks at."""
_STOCK, _WASTE = GAME.slots("stock"), GAME.slots("waste")


def exact_play(options: KlondikeOptions) -> Finish:
    """Returns the moves that win; where the game is proved lost, those through one pass."""
    memory = new_memory(1)

    def finish(state: Any, observation: NDArray[np.int16]) -> Sequence[int] | None:
        found = solve(state, options, max_nodes=NODES, memory=memory)
        if found.status is Status.IMPOSSIBLE:
            return draw_on(observation.tolist())
        return found.actions if found.status is Status.SOLVED else None

    return finish


def draw_on(row: list[int]) -> list[int]:
    """Returns the moves through the rest of the stock, and the redeal after them if one is left."""
    stock, waste = (STOCK_SIZE - row[slots].count(EMPTY) for slots in (_STOCK, _WASTE))
    redeal = stock + waste > 0 and row[AT.redeals] != 0
    return [DRAW] * -(-stock // row[AT.draw]) + [REDEAL] * redeal
