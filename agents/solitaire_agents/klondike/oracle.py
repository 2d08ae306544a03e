"""Play of Klondike with all cards known. No fair player can reach it, but fair players are measured by it."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.klondike.solver.api import new_memory, solve
from solitaire_agents.klondike.uses import USES
from solitaire_agents.line_follower import LineFollower
from solitaire_agents.uses import check_uses
from solitaire_envs.klondike import GAME, STOCK_SIZE, KlondikeOptions

NODES: Final = 1_000_000
"""Most components that the solver looks at for a new deal."""
NODES_LATER: Final = 20_000
"""The limit later in a game, when no line is left to follow."""


class KlondikeOracle(LineFollower):
    """Plays Klondike to win, all cards known.

    It is not perfect, since the solver may find no line within its limit.

    Args:
        options: The options of the games to play.

    Raises:
        ValueError: It does not play under the options.
    """

    name = "oracle"
    fair = False

    def __init__(self, options: KlondikeOptions) -> None:
        check_uses(USES["oracle"], options, self.name)
        super().__init__(GAME, options)
        self._options = options
        self._memory = new_memory(64)

    def _best_line(self, observation: NDArray[np.int16]) -> Sequence[int]:
        state = self._imagine(observation)
        limit = NODES if state.stock_size == STOCK_SIZE else NODES_LATER
        return solve(state, self._options, max_nodes=limit, memory=self._memory).actions
