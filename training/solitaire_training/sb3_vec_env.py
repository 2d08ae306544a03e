"""The batched engine as a stable-baselines3 ``VecEnv``, without a Python loop over environments in a step."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from solitaire_envs.catalogue import choose_deals
from solitaire_envs.checks import check_seed, check_value
from solitaire_envs.deals import Deals
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options
from solitaire_envs.gym_parts import both_parts, check_actions, observation_space


class BatchedVecEnv(VecEnv):
    """The common base of the engine's ``VecEnv`` classes. Environments have no attributes of their own."""

    @abstractmethod
    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions, bool [B, A]."""

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Keeps the actions for `step_wait`.

        Raises:
            ValueError: They are not [B] integers of the action space.
        """
        self._actions = check_actions(actions, self.num_envs, int(cast("spaces.Discrete", self.action_space).n))

    @staticmethod
    def final_info(
        engine: Engine, index: int, total: float, *, length: int | None = None, truncated: bool = False
    ) -> dict[str, Any]:
        """Returns the info of an episode that ended in the latest step.

        Args:
            engine: The engine, which has dealt the next episode since.
            index: Index of the environment.
            total: Sum of the episode's rewards.
            length: Number of its steps; None: its number of moves.
            truncated: Whether a learner has to bootstrap: to add the value of what would follow.
        """
        outcomes = engine.buffers.outcomes
        outcome = {name: outcomes[name][index].item() for name in outcomes.dtype.names or ()}
        return {
            **outcome,
            "terminal_observation": both_parts(
                engine.buffers.final_observations[index], engine.buffers.final_privileged[index]
            ),
            "TimeLimit.truncated": truncated,
            "episode": {"r": total, "l": outcome["moves"] if length is None else length},
            "is_success": outcome["won"],
        }

    @property
    @abstractmethod
    def engines(self) -> Sequence[Engine]:
        """The engines that play the environments, in the order of the environments."""

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Restarts the sequences of deals, from the next reset on. Other seeds give independent sequences."""
        self._seed = check_seed("seed", int(np.random.default_rng().integers(2**62)) if seed is None else seed)
        seeds = np.random.SeedSequence(self._seed).generate_state(self.num_envs, np.uint64).astype(np.uint64)
        ends = np.cumsum([engine.num_envs for engine in self.engines])
        for engine, part in zip(self.engines, np.split(seeds, ends[:-1]), strict=True):
            engine.seed(part)
        return cast("list[int | None]", seeds.tolist())

    def set_deals(
        self, deals: Deals | None = None, *, winnable: bool = False, difficulty: tuple[float, float] | None = None
    ) -> None:
        """Changes the deals that all environments draw their next deals from, as `SolitaireEnv.set_deals` does."""
        engines = self.engines
        lists = [choose_deals(each.game, each.options, deals, winnable, difficulty) for each in engines]
        for engine, chosen in zip(engines, lists, strict=True):
            engine.set_deals(chosen)

    def close(self) -> None:
        """Does nothing: the engine needs no closing."""

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls a method of this class once, for all environments together; returns a list of one entry.

        sb3-contrib stacks the entries of ``action_masks`` and reshapes them to [B, A], which costs one copy.
        """
        return [getattr(self, method_name)(*method_args, **method_kwargs)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Returns an attribute, once for each environment asked for."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raises an error: the environments share all attributes.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"the environments of {type(self).__name__} have no attributes of their own: {attr_name}")

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Returns, for each environment asked for, whether it does the work of a wrapper: only that of `Monitor`.

        So ``evaluate_policy`` takes returns from ``episode``.
        """
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]


class SolitaireVecEnv(BatchedVecEnv):
    """Many environments of one game, stepped move by move, for stable-baselines3 and sb3-contrib.

    Infos of ended episodes hold ``terminal_observation``, ``TimeLimit.truncated``, ``episode`` (``r``, ``l``, as a
    ``VecMonitor`` would add them), ``is_success`` and the game's outcome; other infos are empty.

    Args:
        game: The game.
        options: Its options.
        num_envs: B.
        reward_scale: Factor of the rewards, but not of ``episode["r"]``, which ``evaluate_policy`` reports.
        gamma: The learner's discount. At 1, a truncated episode is reported as terminated, so that the learner does not
            bootstrap. If it did, the policy would learn to go round in circles until the truncation, since that would
            be worth as much as the best play that might follow.
        deals: As in `SolitaireEnv`.
        winnable: As in `SolitaireEnv`.
        difficulty: As in `SolitaireEnv`.
        privileged: As in `SolitaireEnv`.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        num_envs: int,
        *,
        reward_scale: float = 1.0,
        gamma: float = 1.0,
        deals: Deals | None = None,
        winnable: bool = False,
        difficulty: tuple[float, float] | None = None,
        privileged: bool = False,
    ) -> None:
        self.engine = Engine(
            game,
            options,
            num_envs,
            autoreset="same_step",
            deals=choose_deals(game, options, deals, winnable, difficulty),
            privileged=privileged,
        )
        check_value("reward_scale", reward_scale, float, {"minimum": 0, "maximum": 1e6})
        check_value("gamma", gamma, float, {"minimum": 0, "maximum": 1})
        self._reward_scale, self._gamma = reward_scale, gamma
        self.returns = np.zeros(num_envs)
        """[B] sums of the unscaled rewards of the current episodes."""
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        super().__init__(
            num_envs, observation_space(game, privileged=privileged), spaces.Discrete(self.engine.num_actions)
        )
        self.seed()

    @property
    def engines(self) -> Sequence[Engine]:
        """The one engine, which plays all environments."""
        return [self.engine]

    def reset(self) -> VecEnvObs:
        """Deals every environment anew; returns observations [B, O]."""
        self.engine.deal_next()
        self.returns[:] = self._lengths[:] = 0
        return self._seen()

    def _seen(self) -> VecEnvObs:
        buffers = self.engine.buffers
        seen: VecEnvObs = both_parts(buffers.observations, buffers.privileged)
        return seen

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions; returns observations, rewards, dones, infos."""
        buffers = self.engine.step(self._actions)
        self.returns += buffers.rewards
        self._lengths += 1
        dones = buffers.terminated | buffers.truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for index in np.flatnonzero(dones).tolist():
            cut = bool(buffers.truncated[index]) and self._gamma < 1
            total, length = float(self.returns[index]), int(self._lengths[index])
            infos[index] = self.final_info(self.engine, index, total, length=length, truncated=cut)
        self.returns[dones] = self._lengths[dones] = 0
        rewards = (buffers.rewards * self._reward_scale).astype(np.float32)
        return self._seen(), rewards, dones, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions, bool [B, A]."""
        return self.engine.buffers.action_masks.copy()
