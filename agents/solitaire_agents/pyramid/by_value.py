"""An agent for Pyramid that takes the move of the highest learned value, and looks no further."""

from typing import Any

import numpy as np

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_agents.pyramid.values import new_judge, value_after
from solitaire_agents.value_network import ValueNetwork
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.pyramid import NO_PLACE, REDEAL, SECOND, PyramidOptions


def check_by_value(options: PyramidOptions) -> None:
    """Checks that a game shows what the values are about.

    Raises:
        ValueError: It does not.
    """
    if options.information == "table":
        raise ValueError("expected information='memory', of which values are learned; got 'table'")


class PyramidByValue(Agent):
    """Takes the move after which the position has the highest learned value; discards kings at once.

    Args:
        options: The options of the games to play.
        network: The value network.

    Raises:
        ValueError: As `check_by_value`.
    """

    name = "values"
    memoryless = True
    quick = True

    def __init__(self, options: PyramidOptions, network: ValueNetwork) -> None:
        check_by_value(options)
        self._judge = new_judge(network)

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row."""
        actions = np.empty(len(observations), np.int64)
        _act_all(self._judge, observations, action_masks, actions)
        return actions


@kernel
def sole_choice(legal: Any) -> int:
    """Returns the move where there is nothing to choose: the only one, or the discard of a king; else -1."""
    moves, last = 0, -1
    for action in range(len(legal)):
        if legal[action]:
            if action > REDEAL and SECOND[action] == NO_PLACE:
                return action  # never a loss
            moves, last = moves + 1, action
    return last if moves == 1 else -1


@kernel
def choose(judge: Any, observation: Any, legal: Any) -> tuple[int, float]:
    """Returns the move of the highest value, and that value as a logit."""
    best, highest = -1, -np.inf
    for action in range(len(legal)):
        if legal[action]:
            value = value_after(judge, observation, action)
            if best < 0 or value > highest:
                best, highest = action, value
    return best, highest


@entry_point("pyramid by value")
def _act_all(judge: Any, observations: Any, action_masks: Any, actions: Any) -> None:
    for i in range(len(observations)):
        actions[i] = sole_choice(action_masks[i])
        if actions[i] < 0:
            actions[i] = choose(judge, observations[i], action_masks[i])[0]
