"""Perfect play of Pyramid with the stock open. No fair player can reach it, but fair players are measured by it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.line_follower import LineFollower
from solitaire_agents.pyramid.solver.api import Goal, new_memory, solve
from solitaire_agents.pyramid.uses import USES
from solitaire_agents.uses import check_uses
from solitaire_envs.pyramid import GAME, PyramidOptions


class PyramidOracle(LineFollower):
    """Plays Pyramid perfectly.

    Args:
        options: Their goal and objective say what it plays for: a win, or the best score. If no win is left, it plays
            for the score. With the goal 'pyramid' the game ends once the pyramid is cleared, but the solver's best
            score also counts cards that could be discarded after that. So the score reached may be slightly lower.

    Raises:
        ValueError: It does not play under the options.
    """

    name = "oracle"
    fair = False

    def __init__(self, options: PyramidOptions) -> None:
        check_uses(USES["oracle"], options, self.name)
        super().__init__(GAME, options)
        self._options = options
        self._goal: Goal = "score" if options.objective == "score" else "win"
        self._memory = new_memory()

    def _best_line(self, observation: NDArray[np.int16]) -> Sequence[int]:
        state = self._imagine(observation)
        goals: tuple[Goal, Goal] = (self._goal, "score")
        for goal in goals:
            found = solve(state, self._options, goal=goal, memory=self._memory)
            if found.actions:
                break
        return found.actions
