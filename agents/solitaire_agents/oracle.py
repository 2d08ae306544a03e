"""Play with all cards known, by the solver of any game. Fair players are measured by it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_agents.kit import Solver
from solitaire_agents.line_follower import LineFollower
from solitaire_envs.game import Game, Options


class Oracle(LineFollower):
    """Plays by the exact solver, all cards known.

    It is perfect only where the solver settles every position within its limits.

    Args:
        game: The game; not a series.
        options: The options of the games to play.
        solver: The solver, for this agent alone.
        otherwise: Chooses where the solver finds no line; None: the first legal action.
        fair: Whether it is shown what a fair player sees, and has to be asked only where that is all there is; None: in
            games that hide no card.
    """

    name = "oracle"

    def __init__(
        self, game: Game, options: Options, solver: Solver, otherwise: Agent | None = None, *, fair: bool | None = None
    ) -> None:
        self.fair = not game.unseen.stop if fair is None else fair
        super().__init__(game, options)
        self._options, self._solver, self._otherwise = options, solver, otherwise

    def _best_line(self, observation: NDArray[np.int16]) -> Sequence[int]:
        return self._solver.best_line(self._imagine(observation), self._options)

    def _without_line(self, observation: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
        if self._otherwise is None:
            return super()._without_line(observation, mask)
        return int(self._otherwise.act(observation[None], mask[None])[0])
