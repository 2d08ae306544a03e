"""The planner of Klondike: `TreePlanner`, and the exact solver once all cards are known."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.klondike.position import Position
from solitaire_agents.klondike.solver.api import Rules, new_memory, solve
from solitaire_agents.tree_planner import Finish
from solitaire_envs.klondike import AT, GAME, STOCK_SIZE, KlondikeOptions
from solitaire_envs.klondike_table import DRAW, EMPTY, REDEAL

NODES: Final = 20_000
"""Most components that the solver looks at."""
_STOCK, _WASTE = GAME.slots("stock"), GAME.slots("waste")


def exact_play(options: KlondikeOptions) -> Finish:
    """Returns the moves that win; where the game is proved lost, those through one pass."""
    rules, memory = Rules.of(options), new_memory(1)

    def finish(observation: NDArray[np.int16]) -> list[int] | None:
        row = observation.tolist()
        found = solve(Position.of_observation(row), rules, max_nodes=NODES, memory=memory)
        if found.status == "impossible":
            return draw_on(row)
        return list(found.actions) if found.status == "solved" else None

    return finish


def draw_on(row: list[int]) -> list[int]:
    """Returns the moves through the rest of the stock, and the redeal after them if one is left."""
    stock, waste = (STOCK_SIZE - row[slots].count(EMPTY) for slots in (_STOCK, _WASTE))
    redeal = stock + waste > 0 and row[AT.redeals] != 0
    return [DRAW] * -(-stock // row[AT.draw]) + [REDEAL] * redeal
