"""The model that is trained: sb3-contrib's MaskablePPO with the project's network, over the batched engine."""

import time
from functools import cache
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import get_device

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import kit_of
from solitaire_agents.policy import load_policy
from solitaire_agents.trained import SHIPPED
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.sb3_policy import NetworkPolicy
from solitaire_training.learning.sb3_vec_env import SolitaireVecEnv


class TaughtPPO(MaskablePPO):  # type: ignore[misc]  # sb3-contrib is untyped here
    """MaskablePPO, with what else a run counts."""

    taught: int = 0
    """Steps that it has learned from a teacher."""
    evaluated: int = -1
    """Steps of PPO at the latest evaluation; -1 before any."""

    @property
    def learning(self) -> bool:
        """Whether PPO has begun."""
        return self._last_obs is not None


def build_model(config: TrainConfig, referee: Agent | None = None) -> TaughtPPO:
    """Returns an untrained model over its environments.

    Args:
        config: The settings.
        referee: Who watches the games, if anybody.

    Raises:
        ValueError: The device is missing.
    """
    if config.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("expected a GPU for device 'cuda', got none: choose 'cpu' or 'auto'")
    start, end = config.learning_rate, config.learning_rate_end
    return TaughtPPO(
        NetworkPolicy,
        _make_env(config, referee),
        seed=config.seed,
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        learning_rate=lambda remaining: end + (start - end) * max(0.0, remaining),  # a last rollout may overshoot
        clip_range=config.clip_range,
        ent_coef=config.ent_coef,
        vf_coef=config.vf_coef,
        max_grad_norm=config.max_grad_norm,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        policy_kwargs=_about_policy(config),
        device=config.device,
    )


def build_player(config: TrainConfig, referee: Agent) -> tuple[NetworkPolicy, SolitaireVecEnv]:
    """Returns a policy and its environments without what trains it, on the CPU; draws no global random numbers."""
    env = _make_env(config, referee)
    with torch.random.fork_rng(devices=[]):
        policy = NetworkPolicy(env.observation_space, env.action_space, lambda _: 0.0, **_about_policy(config))
    return policy, env


def _about_policy(config: TrainConfig) -> dict[str, Any]:
    return {"game": config.game(), "network": config.network(), "bfloat16": uses_bfloat16(config)}


def _make_env(config: TrainConfig, referee: Agent | None) -> SolitaireVecEnv:
    return SolitaireVecEnv(
        config.game(),
        config.game_options(),
        config.num_envs,
        reward_scale=config.reward_scale,
        gamma=config.gamma,
        decisions_only=config.gamma == 1,  # with a discount every move counts
        referee=referee,
    )


def uses_bfloat16(config: TrainConfig) -> bool:
    """Returns whether the network's products are computed in bfloat16, which is faster where the hardware can."""
    if config.precision != "auto":
        return config.precision == "bfloat16"
    if get_device(config.device).type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return bfloat16_pays()


PAYS = 1.3
"""How many times as fast bfloat16 has to be. Processors that multiply it are twice as fast, others far slower."""


@cache
@torch.no_grad()
def bfloat16_pays() -> bool:
    """Returns whether bfloat16 is faster on this processor, by measuring a product for a fraction of a second."""
    float32, bfloat16 = (min(_seconds_of_product(dtype) for _ in range(4)) for dtype in (torch.float32, torch.bfloat16))
    return float32 > PAYS * bfloat16


def _seconds_of_product(dtype: torch.dtype) -> float:
    rows, weights = torch.ones(256, 512, dtype=dtype), torch.ones(512, 256, dtype=dtype)
    start = time.perf_counter()
    rows @ weights
    return time.perf_counter() - start


def copy_weights(source: str, model: TaughtPPO, config: TrainConfig) -> None:
    """Gives a model the weights of a policy.

    Args:
        source: The policy's folder, or its name if it comes with the package.
        model: The model.
        config: Its settings.

    Raises:
        ValueError: There is no such policy, or it is of another game or has a network of other sizes.
    """
    shipped = SHIPPED / source
    folder = shipped if shipped.is_dir() else Path(source)
    network = load_policy(folder, kit_of(config.game()), int(model.action_space.n)).network
    if network.config != config.network():
        raise ValueError(f"expected a policy of {config.network()} to start from, got one of {network.config}")
    model.policy.network.load_state_dict(network.state_dict())
