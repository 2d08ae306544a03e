"""What an agent is, and how one is found by its name."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.jit import entry_point, kernel

Observations = NDArray[np.int16]
"""[B, O], as the environments write them."""
ActionMasks = NDArray[np.bool_]
"""[B, A], True for legal actions; each row has one."""
Actions = NDArray[np.int64]
"""[B]"""


class Agent(ABC):
    """Chooses moves for any number of games at once, from what a fair player sees of them."""

    name: str
    """As it is asked for, and told in results."""
    fair: bool = True
    """False: it is given more than a player with perfect memory knows."""

    def seed(self, seed: int) -> None:  # noqa: B027  # most agents draw no random numbers
        """Restarts the agent's random numbers."""

    @abstractmethod
    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row."""


class RuleAgent(Agent):
    """An agent that is one kernel, (observation [O], action mask [A]) -> action, applied to each row."""

    def __init__(self, name: str, choose: Callable[[Any, Any], int]) -> None:
        self.name = name
        self._choose_all = _over_rows(name, choose)

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row."""
        actions = np.empty(len(observations), np.int64)
        self._choose_all(observations, action_masks, actions)
        return actions


def _over_rows(name: str, choose: Callable[[Any, Any], int]) -> Callable[[Observations, ActionMasks, Actions], None]:
    @entry_point(name)
    def choose_all(observations: Any, action_masks: Any, actions: Any) -> None:
        for i in range(len(observations)):
            actions[i] = choose(observations[i], action_masks[i])

    return choose_all


@kernel
def first_legal(action_mask: Any) -> int:
    """Returns the lowest legal action."""
    for action in range(len(action_mask)):
        if action_mask[action]:
            return action
    return 0
