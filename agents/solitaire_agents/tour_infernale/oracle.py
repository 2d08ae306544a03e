"""Play of La tour infernale with the stock open. No fair player can reach it, but fair players are measured by it."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.line_follower import LineFollower
from solitaire_agents.tour_infernale.beam_search import beam_search
from solitaire_agents.tour_infernale.solver.api import new_memory, solve
from solitaire_agents.tour_infernale.uses import USES
from solitaire_agents.uses import check_uses
from solitaire_envs import tour_infernale
from solitaire_envs.cards import NUM_CARDS

NODES: Final = 3_000_000
"""Most configurations that the solver looks at for a new deal."""
NODES_LATER: Final = 20_000
"""The limit later in a game, when no line is left to follow."""
BEAM: Final = 100
"""Positions that the beam search keeps from draw to draw."""


class TourInfernaleOracle(LineFollower):
    """Plays La tour infernale to win; in few moves where passes have no limit, because every deal can be won then.

    It is not perfect. The solver may find no line within its limit, and the beam search may not find the shortest.

    Args:
        options: The options of the games to play.

    Raises:
        ValueError: It does not play under the options.
    """

    name = "oracle"
    fair = False

    def __init__(self, options: tour_infernale.TourInfernaleOptions) -> None:
        check_uses(USES["oracle"], options, self.name)
        super().__init__(tour_infernale.GAME, options)
        self._options = options
        self._memory = new_memory()

    def _best_line(self, observation: NDArray[np.int16]) -> Sequence[int]:
        state, options = self._imagine(observation), self._options
        if options.passes is None:
            return beam_search(state, options, width=BEAM)
        limit = NODES if state.stock_size == NUM_CARDS - options.piles else NODES_LATER
        return solve(state, options, max_nodes=limit, memory=self._memory).actions
