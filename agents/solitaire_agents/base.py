"""What an agent is, and how one is found by its name."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.game import Options
from solitaire_envs.jit import entry_point, kernel

OptionsT = TypeVar("OptionsT", bound=Options)
Observations = NDArray[np.int16]
"""[B, O], as the environments write them."""
ActionMasks = NDArray[np.bool_]
"""[B, A], True for legal actions; each row has one."""
Actions = NDArray[np.int64]
"""[B]"""
Ratings = NDArray[np.float32]
"""[B, A] of 0..1, 0 for actions that are not legal."""


class Agent(ABC):
    """Chooses moves for any number of games at once, from what a fair player sees of them."""

    name: str
    """As it is asked for, and told in results."""
    fair: bool = True
    """False: it has to be shown more than a player with perfect memory knows, and its results are marked."""
    memoryless: bool = False
    """True: whenever it sees the same, it does the same, and so a game that comes round in a circle goes on in it."""

    @property
    def module(self) -> str:
        """Name of the module that it is made of; with all that this one imports it makes the agent what it is."""
        return type(self).__module__

    def shown(self, options: OptionsT) -> OptionsT:
        """Returns the options under which an environment shows the agent all that it needs."""
        return options if self.fair else replace(options, information="open")

    def seed(self, seed: int) -> None:  # noqa: B027  # most agents draw no random numbers
        """Restarts the agent's random numbers."""

    @abstractmethod
    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row."""

    def rate(self, observations: Observations, action_masks: ActionMasks) -> Ratings:
        """Returns how good each action is, as a teacher tells it: 1 for the one it would choose, 0 for all others."""
        ratings = np.zeros(action_masks.shape, np.float32)
        ratings[np.arange(len(ratings)), self.act(observations, action_masks)] = 1
        return ratings


class RuleAgent(Agent):
    """An agent that is one kernel, (observation [O], action mask [A]) -> action, applied to each row."""

    memoryless = True

    def __init__(self, name: str, choose: Callable[[Any, Any], int]) -> None:
        self.name = name
        self._module = getattr(choose, "py_func", choose).__module__
        self._choose_all = _over_rows(name, choose)

    @property
    def module(self) -> str:
        """Name of the module that holds the rule."""
        return self._module

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


@kernel
def random_state(seed: Any, observation: Any) -> Any:
    """Mixes a seed (uint64) and an observation (int16 [O]) into a state of SplitMix64 (uint64).

    Who draws from it decides by these alone.
    """
    random = seed
    for slot in range(len(observation)):
        random = random * np.uint64(0x100000001B3) + np.uint64(observation[slot])  # as the FNV hash does
    return random
