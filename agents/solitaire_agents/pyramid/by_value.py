"""An agent for Pyramid that takes the move of the highest learned value, and looks no further.

Once nothing is hidden, the solver's bounds prove of many moves that they put out of reach what others may still reach:
a win, or the bonus for an early clearing. Such moves are left out. The bounds look at the position after a move,
and search nothing.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Judgement, Observations, judge_by
from solitaire_agents.pyramid.hindsight import rate_moves
from solitaire_agents.pyramid.position import imagine
from solitaire_agents.pyramid.solver.api import new_memory
from solitaire_agents.pyramid.values import new_chooser, value_after
from solitaire_agents.value_network import ValueNetwork
from solitaire_envs import pyramid
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.pyramid import NO_PLACE, REDEAL, SECOND, PyramidOptions

_STATES: Final = 1
"""The solver looks at so many for each move: at the one after it, by its bounds."""
_UNSEEN = pyramid.GAME.slots("unseen")


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
        self.chooser = new_chooser(network)
        """The network, and storage."""
        self._options, self._memory = options, new_memory(1)

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row."""
        actions = np.empty(len(observations), np.int64)
        _act_all(self.chooser, observations, self.without_lost(observations, action_masks), actions)
        return actions

    def without_lost(self, observations: Observations, action_masks: ActionMasks) -> ActionMasks:
        """Returns the legal moves that, by the solver's bounds, may still reach the most; all where cards are hidden.

        Args:
            observations: int16 [B, O].
            action_masks: bool [B, A].
        """
        kept = action_masks.copy()
        known = np.flatnonzero((observations[:, _UNSEEN].sum(axis=1) == 0) & (action_masks.sum(axis=1) > 1))
        if len(known):
            decks, positions = imagine(observations[known])
            ratings = rate_moves(decks, positions, action_masks[known], self._options, _STATES, self._memory)
            best = ratings.max(axis=1, keepdims=True)
            kept[known] &= (ratings == best) | (best == 0)
        return kept

    def judge(self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_], samples: int) -> Judgement:
        """Returns what is learned of each move: the chance to win, or the score as a share of the way to the best one.

        A move that is left out has 0. There is no error, for nothing is sampled.
        """
        values, kept = np.zeros((1, len(action_mask))), self.without_lost(observation[None], action_mask[None])[0]
        _ask_all(self.chooser, observation, kept, values[0])
        return judge_by("chance" if self._options.objective == "win" else "worth", values, action_mask)


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
def choose(chooser: Any, observation: Any, legal: Any) -> tuple[int, float]:
    """Returns the move of the highest value, and that value as a logit."""
    best, highest = -1, -np.inf
    for action in range(len(legal)):
        if legal[action]:
            value = value_after(chooser, observation, action)
            if best < 0 or value > highest:
                best, highest = action, value
    return best, highest


@entry_point("pyramid by value")
def _act_all(chooser: Any, observations: Any, action_masks: Any, actions: Any) -> None:
    for i in range(len(observations)):
        actions[i] = sole_choice(action_masks[i])
        if actions[i] < 0:
            actions[i] = choose(chooser, observations[i], action_masks[i])[0]


@entry_point("pyramid values")
def _ask_all(chooser: Any, observation: Any, legal: Any, values: Any) -> None:
    for action in range(len(legal)):
        if legal[action]:
            values[action] = 1 / (1 + np.exp(-value_after(chooser, observation, action)))
