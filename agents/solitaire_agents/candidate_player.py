"""The base of quick agents that choose among a game's candidates, each of which may take several moves.

The agent plans the moves to a candidate once and then follows them, so it cannot go in circles.
"""

from abc import abstractmethod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_agents.choices import Choices, new_steps
from solitaire_agents.choosing import kernels_of
from solitaire_agents.line_follower import Plan

BATCH: Final = 1_024
"""Most games in which it chooses at a time."""


class CandidatePlayer(Agent):
    """Plays the candidates that a subclass chooses.

    Args:
        choices: The choices, under the options of the games to play.
    """

    quick = True

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.plans = choices.most_moves > 1
        self.memoryless = not self.plans
        self._kernels, self._steps = kernels_of(choices), new_steps(choices.game, choices.options)
        self._seen = np.zeros((choices.most_moves, choices.game.observation_size), np.int16)
        self._plan = Plan()

    @property
    def modules(self) -> tuple[str, ...]:
        """Names of the agent's module and of those with the kernels of the game and of its choices."""
        return type(self).__module__, *sorted(self.choices.modules)

    def seed(self, seed: int) -> None:
        """Forgets all plans."""
        self._plan = Plan()

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row; the first one where there is nothing left to gain."""
        actions: Actions = action_masks.argmax(axis=1)
        asked = np.arange(len(actions))
        if self.plans:
            planned = np.array([self._plan.get(hash(row.tobytes()), -1) for row in observations], np.int64)
            actions, asked = np.where(planned < 0, actions, planned), np.flatnonzero(planned < 0)
        for start in range(0, len(asked), BATCH):
            rows = asked[start : start + BATCH]
            lines, lengths = self._choose(observations[rows], action_masks[rows])
            actions[rows] = np.where(lengths > 0, lines[:, 0], actions[rows])
            for place in np.flatnonzero(lengths > 1).tolist():
                line, length = lines[place], int(lengths[place])
                self._kernels.follow(self._steps, observations[rows[place]], line, length, self._seen)
                positions = [hash(seen.tobytes()) for seen in self._seen[:length]]
                self._plan.add(zip(positions, line[:length].tolist(), strict=True))
        return actions

    @abstractmethod
    def _choose(
        self, observations: Observations, action_masks: ActionMasks
    ) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Returns the moves to the chosen candidate of each game, [n, M], and their number, [n]; 0: nothing to gain."""
