"""Masked PPO over choices: sb3-contrib's MaskablePPO, with a policy that uses the project's network."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

from solitaire_agents.network import Network
from solitaire_training.checkpoint_file import Tensors, optimizer_state, restore_optimizer
from solitaire_training.choice_vec_env import ChoiceBuffer, ChoiceVecEnv
from solitaire_training.config import TrainConfig
from solitaire_training.learner import Learner, arrays_of, named, prefixed
from solitaire_training.sb3_policy import ChoicePolicy


def check_device(name: str) -> None:
    """Checks that PPO's network can compute on a device, since SB3 would silently use the CPU instead.

    Raises:
        ValueError: It is 'cuda', and PyTorch finds no GPU.
    """
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("expected device cpu, as PyTorch finds no GPU here; got cuda")


class PPO(Learner):
    """PPO for ``config.total_steps`` decisions, rounded up to whole rollouts.

    Args:
        config: The settings.
        network: The network to start from.
        logger: Where SB3 writes its figures.
    """

    unit = "step"

    def __init__(self, config: TrainConfig, network: Network, logger: Logger) -> None:
        torch.set_num_threads(config.threads)
        self._config, self._rollout = config, config.num_envs * config.n_steps
        self.total = math.ceil(config.total_steps / self._rollout) * self._rollout  # whole rollouts, as in SB3
        self.env = ChoiceVecEnv(
            config.game(),
            config.all_options(),
            config.num_envs,
            config.seed,
            guide=network,
            most=config.shortlist or None,
            bounds=config.bounds,
            **config.chosen_deals(),
        )
        self.model = MaskablePPO(
            ChoicePolicy,
            self.env,
            seed=config.seed,
            n_steps=config.n_steps,
            batch_size=config.batch_size,
            n_epochs=config.n_epochs,
            learning_rate=lambda _: self._between(config.learning_rate, config.learning_rate_end),
            clip_range=config.clip_range,
            vf_coef=config.vf_coef,
            max_grad_norm=config.max_grad_norm,
            gamma=1.0,  # episodes are finite, and the reward comes at their end
            gae_lambda=config.gae_lambda,
            rollout_buffer_class=ChoiceBuffer,
            policy_kwargs={"start": network, "optimizer_kwargs": {"fused": True}},
            device=config.device,
        )
        self.model.set_logger(logger)

    def update(self) -> Mapping[str, float]:
        """Plays a rollout and learns from it; SB3 writes the figures."""
        config, model = self._config, self.model
        model.ent_coef = self._between(config.ent_coef, config.ent_coef_end)
        model.learn(self._rollout, reset_num_timesteps=False)
        self._count()
        return {}

    def _count(self) -> None:
        """Copies SB3's count of steps, which are decisions, and the environments' count of moves."""
        self.progress = self.decisions = int(self.model.num_timesteps)
        self.moves = self.env.moves

    def _between(self, start: float, end: float) -> float:
        """Interpolates a setting linearly over the steps. SB3 also asks for it in the middle of an update."""
        return start + min(1.0, self.env.steps * self.env.num_envs / self._config.total_steps) * (end - start)

    def state(self) -> Tensors:
        """Returns copies of everything that the rest of the stage depends on."""
        numpy_state: Any = np.random.get_state(legacy=False)["state"]  # noqa: NPY002  # SB3 draws from it
        return {
            "steps": torch.tensor(self.model.num_timesteps),
            "moves": torch.tensor(self.env.moves),
            **prefixed(self.model.policy.network.state_dict(), "network."),
            **prefixed(named(arrays_of(self.env.guide), "network."), "guide."),
            **prefixed(optimizer_state(self.model.policy.optimizer), ""),
            **{f"env.{name}": torch.from_numpy(array) for name, array in self.env.state().items()},
            "random.torch": torch.get_rng_state(),
            "random.numpy": torch.tensor([*numpy_state["key"].tolist(), numpy_state["pos"]]),
        }

    def restore(self, tensors: Tensors) -> None:
        """Restores a state."""
        self.model.policy.network.load_state_dict(named(tensors, "network."))
        restore_optimizer(self.model.policy.optimizer, tensors)
        self.env.guide = Network(**{name: tensor.numpy() for name, tensor in named(tensors, "guide.").items()})
        self.model.num_timesteps = int(tensors["steps"])
        self.env.steps = self.model.num_timesteps // self.env.num_envs
        self.env.moves = int(tensors["moves"])
        self._count()
        if self.env.steps:
            self.env.put_back({name: tensor.numpy() for name, tensor in named(tensors, "env.").items()})
        *keys, position = tensors["random.numpy"].tolist()
        if not all(0 <= key < 2**32 for key in keys) or not 0 <= position <= len(keys):
            raise ValueError("no state of NumPy's random numbers")
        np.random.set_state(("MT19937", np.array(keys, np.uint32), position, 0, 0.0))  # noqa: NPY002  # as above
        torch.set_rng_state(tensors["random.torch"])
