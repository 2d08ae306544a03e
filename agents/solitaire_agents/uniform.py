"""The agent that plays random legal moves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_envs.cards import random_below
from solitaire_envs.jit import entry_point


class UniformAgent(Agent):
    """Plays every legal action with the same probability."""

    name = "uniform"
    stochastic = True
    quick = True

    def __init__(self, seed: int = 0) -> None:
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restarts the agent's random numbers."""
        self._random = np.array([seed], dtype=np.uint64)

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row."""
        return choose_uniformly(action_masks, self._random)


def choose_uniformly(action_masks: ActionMasks, random: NDArray[np.uint64]) -> Actions:
    """Draws a legal action for each row of bool [B, A]; ``random`` is SplitMix64's state, uint64 [1]."""
    actions = np.zeros(len(action_masks), np.int64)
    _choose_all(action_masks, random, actions)
    return actions


@entry_point("uniform")
def _choose_all(action_masks: Any, random: Any, actions: Any) -> None:
    for i in range(len(action_masks)):
        mask = action_masks[i]
        count = 0
        for action in range(len(mask)):
            count += mask[action]
        if count > 0:
            random[0], skip = random_below(random[0], count)
            for action in range(len(mask)):
                skip -= mask[action]
                if skip < 0:
                    actions[i] = action
                    break
