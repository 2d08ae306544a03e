"""Play with all cards known, by the solver of any game. Fair players are measured by it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_agents.kit import Solver, Status
from solitaire_agents.line_follower import CAPACITY, LineFollower
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

    def seed(self, seed: int) -> None:
        """As `LineFollower.seed`; it forgets lost positions, too."""
        super().seed(seed)
        self._lost = set[int]()

    def _best_line(self, observation: NDArray[np.int16]) -> Sequence[int]:
        key = self._key_of(observation)
        if key in self._lost:
            return ()
        found = self._solver.best_line(self._imagine(observation), self._options)
        if found.status is Status.IMPOSSIBLE:
            if len(self._lost) > CAPACITY:
                self._lost.clear()
            self._lost.add(key)
        return found.actions

    def _without_line(self, observation: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
        if self._otherwise is None:
            return super()._without_line(observation, mask)
        action = int(self._otherwise.act(observation[None], mask[None])[0])
        if self._key_of(observation) in self._lost:  # and so is what follows: it need not be searched
            self._imagine(observation)
            self._imagined.step(np.array([action]))
            self._lost.add(self._key_of(self._imagined.buffers.observations[0]))
        return action
