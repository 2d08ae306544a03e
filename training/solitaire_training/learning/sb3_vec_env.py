"""The batched engine as a stable-baselines3 ``VecEnv``, without a Python loop over environments in a step.

A *referee* may watch the games: an agent that rates moves and sees what is hidden, such as a solver. It teaches in two
ways. A mistake costs at once what it makes the game worth less, in place of at the end: rewards are shaped by the
potential 'what the position is worth' (Ng, Harada, Russell 1999), which changes no best policy. And a game that the
referee proves lost ends, as nothing can be learned from it.
"""

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from solitaire_agents.base import Agent
from solitaire_envs.engine import Buffers, Engine
from solitaire_envs.game import NO_LIMIT, Game, Options
from solitaire_envs.gym_env import observation_space

WAIT: Final = -1
"""No action: it leaves a game as it is."""


class SolitaireVecEnv(VecEnv):
    """Many games of one kind, for stable-baselines3 and sb3-contrib.

    Infos of ended episodes hold ``terminal_observation``, ``TimeLimit.truncated``, ``episode`` (``r``, ``l``, as a
    ``VecMonitor`` would add them), ``is_success`` and the game's outcome; other infos are empty.

    Args:
        game: The game.
        options: Its options.
        num_envs: B.
        reward_scale: Rewards are multiplied by it; ``episode["r"]`` is not.
        gamma: The learner's discount. At 1 an episode that was cut off is reported as one that has ended, so that no
            value is added for what would follow. Otherwise the policy learns to go round in circles until the cut, for
            that would be worth the same as the best that might still come.
        decisions_only: Play a move that is the only one without asking; its reward adds to that of the step before it.
        referee: Rates the moves, in `ratings`; and ends lost games if it is `Agent.complete`.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        num_envs: int,
        *,
        reward_scale: float = 1.0,
        gamma: float = 1.0,
        decisions_only: bool = False,
        referee: Agent | None = None,
    ) -> None:
        illegal_actions = {"max_illegal_actions": NO_LIMIT - 1} if decisions_only else {}  # who waits plays none
        self.engine = Engine(game, options, num_envs, autoreset="same_step", **illegal_actions)
        self.referee = referee
        self._engines = [self.engine]  # the same games, as the learner sees them and last as the referee does
        if referee is not None:
            shown = referee.shown(options)
            self._engines.append(Engine(game, shown, num_envs, autoreset="same_step", **illegal_actions))
        self._reward_scale, self._gamma, self._decisions_only = reward_scale, gamma, decisions_only
        self.returns = np.zeros(num_envs)
        """[B] unscaled rewards of the episodes so far."""
        self.ratings = np.zeros((num_envs, self.engine.num_actions), dtype=np.float32)
        """[B, A] of 0..1, of the legal moves by the referee; all 0 where there is none, or nothing left to gain."""
        self._actions = np.zeros(num_envs, dtype=np.int64)
        self._everywhere = np.arange(num_envs)
        super().__init__(num_envs, observation_space(game), spaces.Discrete(self.engine.num_actions))
        self.seed()

    @property
    def games(self) -> list[NDArray[Any]]:
        """All that changes as games are played, themselves; each array has a row for each game."""
        return [*(array for engine in self._engines for array in engine.arrays), self.returns, self.ratings]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Restarts the sequences of deals, from the next reset on; those of two seeds have no deal in common."""
        if seed is None:
            seed = int(np.random.default_rng().integers(2**62))
        seeds = np.random.SeedSequence(seed).generate_state(self.num_envs, np.uint64).astype(np.uint64)
        for engine in self._engines:
            engine.seed(seeds)
        return cast("list[int | None]", seeds.tolist())

    def reset(self) -> VecEnvObs:
        """Deals every environment anew; returns observations [B, O]."""
        self._deal(self._everywhere)
        self._rate(self._everywhere)
        self._deal_anew_where_lost()
        self.returns[:] = 0.0
        return self.engine.buffers.observations.copy()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions; returns observations, rewards, dones, infos."""
        rewards, dones = np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        actions, waiting = self._actions, dones.copy()
        while not waiting.all():
            buffers = self._play(np.where(waiting, WAIT, actions))
            self.returns += buffers.rewards
            rewards += buffers.rewards
            for index in np.flatnonzero(buffers.terminated | buffers.truncated).tolist():
                infos[index] = self._final_info(index)
                dones[index] = True
            waiting |= dones | ~self._forced()
            actions = buffers.action_masks.argmax(axis=1)
        rewards *= self._reward_scale
        if self.referee is not None:
            self._judge(self.referee, rewards, dones, infos)
        self.returns[dones] = 0.0
        return self.engine.buffers.observations.copy(), rewards.astype(np.float32), dones, infos

    def _forced(self) -> NDArray[np.bool_]:
        """Marks the games whose next move is to be played without asking."""
        if not self._decisions_only:
            return np.zeros(self.num_envs, np.bool_)
        forced: NDArray[np.bool_] = self.engine.buffers.action_masks.sum(axis=1) == 1
        return forced

    def _play(self, actions: NDArray[np.int64]) -> Buffers:
        for engine in self._engines:
            engine.step(actions)
        return self.engine.buffers

    def _judge(
        self, referee: Agent, rewards: NDArray[np.float64], dones: NDArray[np.bool_], infos: list[dict[str, Any]]
    ) -> None:
        """Rates the moves that are possible now, shapes the rewards by them, and ends lost games."""
        worth = self._reward_scale * referee.worth
        rewards -= worth * self.ratings.max(axis=1)
        self._rate(np.flatnonzero(dones | self.ratings.any(axis=1)))
        rewards += self._gamma * worth * self.ratings.max(axis=1) * ~dones
        if referee.complete:
            for index in np.flatnonzero(~self.ratings.any(axis=1) & ~dones).tolist():
                infos[index] = self._info(self.engine.outcome(index), self.engine.buffers.observations[index], index)
                dones[index] = True
            self._deal_anew_where_lost()

    def _deal_anew_where_lost(self) -> None:
        """Deals anew until the referee proves no game lost."""
        while self.referee is not None and self.referee.complete and not self.ratings.any(axis=1).all():
            lost = np.flatnonzero(~self.ratings.any(axis=1))
            self._deal(lost)
            self._rate(lost)

    def _deal(self, indices: NDArray[np.int64]) -> None:
        for engine in self._engines:
            engine.deal_next(indices)

    def _rate(self, indices: NDArray[np.int64]) -> None:
        if self.referee is not None and len(indices):
            shown = self._engines[-1].buffers
            self.ratings[indices] = self.referee.rate(shown.observations[indices], shown.action_masks[indices])

    def _final_info(self, index: int) -> dict[str, Any]:
        buffers = self.engine.buffers
        outcomes = buffers.outcomes
        outcome = {name: outcomes[name][index].item() for name in outcomes.dtype.names or ()}
        truncated = bool(buffers.truncated[index]) and self._gamma < 1
        return self._info(outcome, buffers.final_observations[index], index, truncated=truncated)

    def _info(
        self, outcome: dict[str, Any], observation: NDArray[np.int16], index: int, *, truncated: bool = False
    ) -> dict[str, Any]:
        return {
            **outcome,
            "terminal_observation": observation.copy(),
            "TimeLimit.truncated": truncated,
            "episode": {"r": float(self.returns[index]), "l": outcome["moves"]},
            "is_success": outcome["won"],
        }

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions, bool [B, A]."""
        return self.engine.buffers.action_masks.copy()

    def close(self) -> None:
        """Does nothing: there is nothing to close."""

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls a method of this class; the list has one entry, for all environments together.

        sb3-contrib stacks the entries of ``action_masks`` and reshapes them to [B, A], which costs one copy.
        """
        return [getattr(self, method_name)(*method_args, **method_kwargs)]

    def has_attr(self, attr_name: str) -> bool:
        """Returns whether this class has an attribute."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Returns an attribute, once for each environment asked for."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuses: the environments share everything.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"the environments of {type(self).__name__} have no attributes of their own: {attr_name}")

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Returns, for each environment asked for, that it is not wrapped."""
        return [False for _ in self._get_indices(indices)]
