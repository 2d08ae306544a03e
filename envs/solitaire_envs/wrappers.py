"""Thin wrappers for libraries that want observations or actions in another form."""

import string
from copy import deepcopy
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from solitaire_envs.checks import check_value, short
from solitaire_envs.engine import COUNT
from solitaire_envs.gym_env import SolitaireEnv
from solitaire_envs.gym_parts import observation_space
from solitaire_envs.render import render_ansi

MOST_CLASSES = 64
"""A slot with more values than this is a count; it is scaled, not one-hot."""
LONGEST_ANSWER = 1_000
"""Most characters of an answer in text."""
LONGEST_TABLE = 8_000
"""Most characters of a table as text."""


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


class TextGame(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Plays a game through text, as a language model does.

    An observation is the table as a person sees it and a status line; an action is a move in words, such as ``QH+AC``,
    also as the table or a chat writes it: ``[9♥] -> [T♣]``, or with backticks or ``**`` around it.
    An answer that is not a legal move leaves the game as it is: the reward is 0, ``info["illegal_action"]`` is 1, and
    the next observation begins with what was expected.

    Args:
        env: The environment.
        tell_moves: Whether observations list the legal moves.
        max_illegal_actions: The episode is truncated after this many answers that are not legal moves.

    Raises:
        ValueError: It is not an environment of this package, or ``max_illegal_actions`` is less than 1.
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], *, tell_moves: bool = True, max_illegal_actions: int = 1_000
    ) -> None:
        RecordConstructorArgs.__init__(self, tell_moves=tell_moves, max_illegal_actions=max_illegal_actions)
        super().__init__(env)
        check_value("max_illegal_actions", max_illegal_actions, int, COUNT)
        self._base, self._tell_moves, self._most = _base_of(env), tell_moves, max_illegal_actions
        self._info: dict[str, Any] = {}
        self._illegal, self._ended = 0, True
        self.observation_space = spaces.Text(LONGEST_TABLE, charset=string.printable + "·░○…→♣♦♥♠")
        self.action_space = spaces.Text(LONGEST_ANSWER, min_length=0, charset=string.printable + "→♣♦♥♠")

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Deals a new game, as `SolitaireEnv.reset`."""
        _, info = self.env.reset(seed=seed, options=options)
        self._info, self._illegal, self._ended = deepcopy(info), 0, False
        return self._table(), info

    def step(self, action: str) -> tuple[str, Any, bool, bool, dict[str, Any]]:
        """Plays a move in words.

        Raises:
            TypeError: The action is not a text.
            gymnasium.error.ResetNeeded: The episode is over.
        """
        if not isinstance(action, str):
            raise TypeError(f"expected a move in words, got {short(action)}")
        if self._ended:
            raise gymnasium.error.ResetNeeded("no episode is under way: call reset() before step()")
        try:
            over_as_dealt = not self._base.engine.buffers.action_masks[0].any()
            index = 0 if over_as_dealt else self._base.parse_move(action)
        except ValueError as error:
            self._illegal += 1
            self._ended = self._illegal >= self._most
            said = str(error) if self._tell_moves else "expected a legal move"
            info = {**deepcopy(self._info), "illegal_action": np.int64(1)}
            return f"{said}\n\n{self._table()}", 0.0, False, self._ended, info
        _, reward, terminated, truncated, info = self.env.step(index)
        self._info, self._ended = deepcopy(info), terminated or truncated
        return self._table(), reward, terminated, truncated, info

    def _table(self) -> str:
        return render_ansi(self._base.engine, 0, tell_moves=self._tell_moves)


def _base_of(env: gymnasium.Env[Any, Any]) -> SolitaireEnv:
    base = env.unwrapped
    if not isinstance(base, SolitaireEnv):
        raise ValueError(f"expected an environment of solitaire_envs, got {type(base).__name__}")
    return base
