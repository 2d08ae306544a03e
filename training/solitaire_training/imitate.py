"""A warm start: the network learns to play as a teacher does, before PPO goes on from there.

The teacher, any fair agent, plays an endless stream of new deals. After each window of steps the network takes one
look at it: cross-entropy with the teacher's actions, and the squared error of its value against the window's rewards
with its own value beyond (an n-step return). No deal is looked at twice, so nothing can be learned by heart.

At first the teacher plays all games; more and more of them are then played by the network, and the teacher only says
what it would do. So the network learns to go on where its own slips lead to (DAgger, Ross, Gordon, Bagnell 2011).
"""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm

from solitaire_agents.base import Agent
from solitaire_agents.networks import PlaceNetwork
from solitaire_agents.policy import PolicyAgent
from solitaire_training.config import TrainConfig
from solitaire_training.sb3_policy import NetworkPolicy
from solitaire_training.sb3_vec_env import SolitaireVecEnv


class Window(NamedTuple):
    """Some steps of the teacher, flat; n = steps x environments."""

    observations: Tensor
    """int16 [n, O]"""
    action_masks: Tensor
    """bool [n, A]"""
    actions: Tensor
    """int64 [n]"""
    returns: Tensor
    """float32 [n]"""


def imitate(model: MaskablePPO, teacher: Agent, config: TrainConfig, say: Callable[[str], None]) -> None:
    """Fits the model's network to a teacher, in place.

    Args:
        model: Its network and environments are used; its own counters stay as they are.
        teacher: Who is imitated. What it is shown is what the network sees.
        config: Its ``teacher_steps``, ``teacher_learning_rate``, batch size, discount, and so on.
        say: Told how well the network agrees with the teacher.

    Raises:
        ValueError: The teacher is not fair: it would teach what the network cannot see.
    """
    if not teacher.fair:
        raise ValueError(f"expected a fair teacher, got {teacher.name!r}, which has to be shown hidden cards")
    network = cast("NetworkPolicy", model.policy).network
    env = cast("SolitaireVecEnv", model.env)
    optimizer = torch.optim.Adam(network.parameters(), lr=config.teacher_learning_rate)
    size = config.num_envs * config.rollout_steps
    windows = max(1, config.teacher_steps // size)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, windows)
    teacher.seed(config.seed)
    rng = np.random.default_rng(config.seed)
    env.reset()
    agreement = 0.0
    for number in tqdm(range(windows), desc=f"imitating {teacher.name}", unit="window", leave=False):
        own = config.num_envs * number // windows
        window = _play_window(env, teacher, network, own, config)
        agreement = _fit(network, optimizer, window, config, rng)
        schedule.step()
    say(f"after {windows * size:,} steps the network plays {agreement:.1%} of the moves of {teacher.name}")


def _play_window(env: SolitaireVecEnv, teacher: Agent, network: PlaceNetwork, own: int, config: TrainConfig) -> Window:
    """Plays some steps, the first `own` environments by the network; all actions told are the teacher's."""
    student, discount = PolicyAgent(network, "student", "sample"), config.discount
    observations, action_masks, actions, rewards, going_on = [], [], [], [], []
    buffers = env.engine.buffers
    for _ in range(config.rollout_steps):
        observations.append(buffers.observations.copy())
        action_masks.append(buffers.action_masks.copy())
        actions.append(teacher.act(observations[-1], action_masks[-1]))
        played = actions[-1].copy()
        if own:
            played[:own] = student.act(observations[-1][:own], action_masks[-1][:own])
        _, reward, dones, _ = env.step(played)
        cut = np.flatnonzero(buffers.truncated)
        if len(cut) and not env.truncation_ends:
            reward[cut] += discount * _values(network, buffers.final_observations[cut])
        rewards.append(reward)
        going_on.append(~dones)
    value = _values(network, buffers.observations)
    returns: list[NDArray[np.float32]] = []
    for reward, goes_on in zip(reversed(rewards), reversed(going_on), strict=True):
        value = cast("NDArray[np.float32]", reward + discount * goes_on * value).astype(np.float32)
        returns.append(value)
    return Window(*(torch.as_tensor(np.concatenate(x)) for x in (observations, action_masks, actions, returns[::-1])))


@torch.no_grad()
def _values(network: PlaceNetwork, observations: NDArray[np.int16]) -> NDArray[np.float32]:
    values: NDArray[np.float32] = network.values(network.encode(torch.as_tensor(observations))[1]).numpy()
    return values


def _fit(network: PlaceNetwork, optimizer: Any, window: Window, config: TrainConfig, rng: np.random.Generator) -> float:
    """Takes one look at a window; returns the share of moves in which the network agreed before."""
    agreed, size = 0, len(window.actions)
    for chosen in np.array_split(rng.permutation(size), max(1, size // config.batch_size)):
        batch = Window(*(tensor[chosen] for tensor in window))
        logits, values = network(batch.observations)
        logits = logits.masked_fill(~batch.action_masks, -1e9)
        agreed += int((logits.argmax(1) == batch.actions).sum())
        loss = functional.cross_entropy(logits, batch.actions)
        loss = loss + config.value_weight * functional.mse_loss(values, batch.returns)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), config.max_grad_norm)
        optimizer.step()
    return agreed / size
