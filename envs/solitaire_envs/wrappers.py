"""Thin wrappers for libraries that want observations in another form."""

from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from solitaire_envs.checks import short
from solitaire_envs.gym_env import SolitaireEnv
from solitaire_envs.gym_parts import observation_space

MOST_CLASSES = 64
"""A slot with more values than this is a count; it is scaled, not one-hot."""


class MaskInObservation(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Puts the legal actions into the observation, under the keys that RLlib's action-masking module wants.

    The observation is ``{"observations": int16 [O], "action_mask": int8 [A]}``.

    Raises:
        ValueError: It is not an environment of this package, or a wrapper has changed its actions.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        base = _base_of(env)
        actions = spaces.Discrete(base.engine.num_actions)
        if env.action_space != actions:
            raise ValueError(f"expected an environment with the actions of the game, {actions}, got {env.action_space}")
        self.observation_space = spaces.Dict(
            {"observations": env.observation_space, "action_mask": spaces.MultiBinary(int(actions.n))}
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Deals a new game, as `SolitaireEnv.reset`."""
        observation, info = self.env.reset(seed=seed, options=options)
        return {"observations": observation, "action_mask": info["action_mask"]}, info

    def step(self, action: SupportsIndex) -> tuple[dict[str, NDArray[Any]], Any, bool, bool, dict[str, Any]]:
        """Plays one action, as `SolitaireEnv.step`."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        masked = {"observations": observation, "action_mask": info["action_mask"]}
        return masked, reward, terminated, truncated, info


class OneHotObservation(gymnasium.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """Encodes each slot one-hot, for multi-layer perceptrons, as float32; counts are scaled to -1..1.

    Raises:
        ValueError: It is not an environment of this package, or a wrapper has changed its observation.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        base = _base_of(env)
        if env.observation_space != observation_space(base.game):
            raise ValueError(
                f"expected an environment with the observation of the game (MaskInObservation goes outermost), "
                f"got {short(env.observation_space)}"
            )
        slots = [one for one in base.game.observation for _ in range(one.size)]
        self._low = np.array([one.low for one in slots])
        self._classes = np.array([one.high - one.low + 1 for one in slots])
        self._spread = self._classes <= MOST_CLASSES
        widths = np.where(self._spread, self._classes, 1)
        self._start = np.concatenate([[0], np.cumsum(widths)[:-1]])
        self._size = int(widths.sum())
        self.observation_space = spaces.Box(-1.0, 1.0, (self._size,), np.float32)

    def observation(self, observation: NDArray[Any]) -> NDArray[np.float32]:
        """Returns the encoded observation, float32 [size]."""
        spread = np.zeros(self._size, dtype=np.float32)
        above = observation.astype(np.int64) - self._low
        spread[(self._start + above)[self._spread]] = 1.0
        counts = ~self._spread
        spread[self._start[counts]] = observation[counts] / self._classes[counts]
        return spread


def _base_of(env: gymnasium.Env[Any, Any]) -> SolitaireEnv:
    base = env.unwrapped
    if not isinstance(base, SolitaireEnv):
        raise ValueError(f"expected an environment of solitaire_envs, got {type(base).__name__}")
    return base
