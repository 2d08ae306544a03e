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
        # Where nothing is left to gain, a game comes back to its positions, unless it counts its passes.
        self._comes_back = self.plans and all(slots.name != "pass" for slots in choices.game.observation)
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
        # What a series shows more, such as the moves that are left, is no part of a position.
        observations = np.ascontiguousarray(observations[:, : self.choices.game.observation_size])
        asked = np.arange(len(actions))
        if self.plans:
            planned = np.array([self._plan.get(hash(row.tobytes()), -1) for row in observations], np.int64)
            actions, asked = np.where(planned < 0, actions, planned), np.flatnonzero(planned < 0)
        for start in range(0, len(asked), BATCH):
            rows = asked[start : start + BATCH]
            lines, lengths = self._choose(observations[rows], action_masks[rows])
            actions[rows] = np.where(lengths > 0, lines[:, 0], actions[rows])
            longer = lengths > 1
            if longer.any():
                self._keep_lines(observations[rows[longer]], lines[longer], lengths[longer])
            if self._comes_back:
                self._plan.add((hash(observations[row].tobytes()), int(actions[row])) for row in rows[lengths == 0])
        return actions

    def _keep_lines(self, observations: Observations, lines: NDArray[np.int16], lengths: NDArray[np.int64]) -> None:
        """Plans the moves of lines, [n, M], from the positions where they begin."""
        seen = np.zeros((lengths.sum(), self.choices.game.observation_size), np.int16)
        self._kernels.follow(self._steps, observations, lines, lengths, seen)
        moves = lines[np.arange(lines.shape[1]) < lengths[:, None]]
        self._plan.add(zip([hash(row.tobytes()) for row in seen], moves.tolist(), strict=True))

    @abstractmethod
    def _choose(
        self, observations: Observations, action_masks: ActionMasks
    ) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Returns the moves to the chosen candidate of each game, [n, M], and their number, [n]; 0: nothing to gain."""
