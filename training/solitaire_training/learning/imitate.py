"""A warm start: the network learns to play as a teacher does, before PPO goes on from there.

The teacher sees an endless stream of new deals and rates every move: 1 for the one that it would choose and 0 for the
others; or, if it can, each by what it is worth. The teacher need not be fair: it is shown what it asks for, and the
network sees only what a player sees. So the network learns the best move on average over all deals that look the same.

At first the teacher plays all games. More and more of them are then played by the network, while the teacher only rates
the moves. So the network learns to play on after its own mistakes (DAgger, Ross, Gordon, Bagnell 2011).

The loss is on the moves' ratings (AggreVaTe, Ross and Bagnell 2014): minus the logarithm of the share of the possible
gain that the network's policy gets on average. For a teacher that only names a move this is the cross-entropy. Most
time goes to positions where much is at stake. The value learns the window's rewards, with the network's own value
beyond (an n-step return).
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm

from solitaire_agents.base import Agent
from solitaire_agents.policy import PolicyAgent
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.model import TaughtPPO
from solitaire_training.learning.sb3_policy import NetworkPolicy
from solitaire_training.learning.sb3_vec_env import SolitaireVecEnv

REPORTS = 20
"""Number of times that progress is reported."""
LEAST_SHARE = 0.25
"""Share of the positions in which nothing is at stake that are learned from; only the value learns from them."""


class Window(NamedTuple):
    """Some steps of all games, flat; n = steps x environments."""

    observations: Tensor
    """int16 [n, O]"""
    action_masks: Tensor
    """bool [n, A]"""
    ratings: Tensor
    """float32 [n, A] of 0..1; all 0 where there is nothing left to gain."""
    returns: Tensor
    """float32 [n]"""

    def mirrored(self, slots: Tensor, actions: Tensor) -> "Window":
        """Returns the same positions as in a mirror; see `View.mirror`."""
        return self._replace(
            observations=self.observations[:, slots],
            action_masks=self.action_masks[:, actions],
            ratings=self.ratings[:, actions],
        )


def imitate(
    model: TaughtPPO,
    config: TrainConfig,
    say: Callable[[str], None],
    mark: Callable[[], None] = lambda: None,
    play: "Callable[[Lessons, int], Window] | None" = None,
) -> None:
    """Fits the model's network to the referee of its environments, in place, from where an earlier call stopped.

    Args:
        model: Its network, optimiser and environments are used, and its ``taught`` goes up.
        config: Its ``teacher_steps``, ``teacher_epochs``, ``teacher_learning_rate``, batch size, discount, and so on.
        say: Called `REPORTS` times with a line of text: how good the network's moves are by the teacher's ratings.
        mark: Called before each window, where the model can go on from.
        play: Plays a window, of whose games a number is the network's; None: this process does, all games at once.
    """
    size = config.num_envs * config.n_steps
    windows = max(1, config.teacher_steps // size)
    policy, env = cast("NetworkPolicy", model.policy), cast("SolitaireVecEnv", model.env)
    lessons = Lessons(policy, env, config)
    teacher = lessons.teacher
    if model.taught == 0:
        env.seed(config.seed)
        env.reset()
    play = play or _play_alone(model, config)
    for number in tqdm(
        range(model.taught // size, windows), desc=f"imitating {teacher.name}", unit="window", leave=False
    ):
        for group in policy.optimizer.param_groups:
            group["lr"] = config.teacher_learning_rate * (1 - 0.9 * number / windows)
        mark()
        rng = np.random.default_rng([config.seed, model.taught])
        window = play(lessons, config.num_envs * (number + 1) // windows)
        worth = [_fit(policy, seen, config, rng) for seen in _ways_to_see(window, policy, config.teacher_epochs)]
        model.taught = (number + 1) * size
        if (number + 1) * REPORTS // windows > number * REPORTS // windows:
            say(f"{model.taught:>12,} steps with {teacher.name}: the network's moves are {worth[0]:.1%} as good")
    mark()


def _ways_to_see(window: Window, policy: NetworkPolicy, epochs: int) -> Iterator[Window]:
    """Yields a window for each epoch; every other time as in a mirror, where the game has one."""
    mirror = policy.network.view.mirror
    for epoch in range(epochs):
        yield window.mirrored(*mirror) if mirror and epoch % 2 else window


def _play_alone(model: TaughtPPO, config: TrainConfig) -> "Callable[[Lessons, int], Window]":
    def play(lessons: Lessons, own: int) -> Window:
        lessons.seed(config.seed + model.taught)
        return lessons.play(own)

    return play


class Lessons:
    """The games, watched by the teacher."""

    def __init__(self, policy: NetworkPolicy, env: SolitaireVecEnv, config: TrainConfig) -> None:
        self._policy, self._env, self._config = policy, env, config
        self._student = PolicyAgent(self._policy.network, "student", "sample")
        self.teacher = cast("Agent", env.referee)

    @property
    def games(self) -> list[NDArray[Any]]:
        """All that changes as games are played; each array has a row for each game."""
        return self._env.games

    def seed(self, seed: int) -> None:
        """Restarts all random numbers, so that a window does not depend on how many were played before in one go."""
        self._student.seed(seed)
        self.teacher.seed(seed)

    def play(self, own: int) -> Window:
        """Plays a window, the first ``own`` games by the network."""
        buffers = self._env.engine.buffers
        observations, action_masks, ratings, rewards, going_on = [], [], [], [], []
        for _ in range(self._config.n_steps):
            observations.append(buffers.observations.copy())
            action_masks.append(buffers.action_masks.copy())
            ratings.append(self._env.ratings.copy())
            actions = np.where(action_masks[-1], ratings[-1], -1).argmax(axis=1)
            if own:
                actions[:own] = self._student.act(observations[-1][:own], action_masks[-1][:own])
            _, reward, dones, infos = self._env.step(actions)
            cut = [index for index in np.flatnonzero(dones) if infos[index]["TimeLimit.truncated"]]
            if cut:
                last = np.stack([infos[index]["terminal_observation"] for index in cut])
                reward[cut] += self._config.gamma * self._values(last)
            rewards.append(reward)
            going_on.append(~dones)
        columns = (observations, action_masks, ratings, self._returns(rewards, going_on))
        return Window(*(torch.as_tensor(np.concatenate(column)).to(self._policy.device) for column in columns))

    def _returns(
        self, rewards: list[NDArray[np.float32]], going_on: list[NDArray[np.bool_]]
    ) -> list[NDArray[np.float32]]:
        """Returns the sums of the rewards from each step on, with the network's value beyond the window."""
        value = self._values(self._env.engine.buffers.observations)
        returns: list[NDArray[np.float32]] = []
        for reward, goes_on in zip(reversed(rewards), reversed(going_on), strict=True):
            value = cast("NDArray[np.float32]", reward + self._config.gamma * goes_on * value).astype(np.float32)
            returns.append(value)
        return returns[::-1]

    @torch.no_grad()
    def _values(self, observations: NDArray[np.int16]) -> NDArray[np.float32]:
        values = self._policy.judge(torch.as_tensor(observations).to(self._policy.device))[1]
        return cast("NDArray[np.float32]", values.cpu().numpy())


def _fit(policy: NetworkPolicy, window: Window, config: TrainConfig, rng: np.random.Generator) -> float:
    """Learns from a part of a window; returns how good the network's moves were before, as a share of the best."""
    got = best = 0.0
    rows = rng.permutation(np.flatnonzero(rng.random(len(window.returns)) < _shares(window).cpu().numpy()))
    for chosen in np.array_split(rows, max(1, len(rows) // config.batch_size)):
        batch = Window(*(tensor[chosen] for tensor in window))
        logits, values = policy.judge(batch.observations)
        logits = logits.masked_fill(~batch.action_masks, -1e9)
        most = batch.ratings.amax(1)
        got += float(batch.ratings.gather(1, logits.argmax(1, keepdim=True)).sum())
        best += float(most.sum())
        loss = _policy_loss(logits, batch) + config.vf_coef * functional.mse_loss(values, batch.returns)
        policy.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(policy.parameters(), config.max_grad_norm)
        policy.optimizer.step()
    return got / max(best, 1e-9)


def _stakes(window: Window) -> tuple[Tensor, Tensor]:
    """Returns what is at stake in each choice, the best rating less the worst, and that worst rating; [n] each."""
    worst = window.ratings.masked_fill(~window.action_masks, 1).amin(1)
    return window.ratings.amax(1) - worst, worst


def _shares(window: Window) -> Tensor:
    """Returns the chance of each position to be learned from, [n]."""
    return _stakes(window)[0].clamp(min=LEAST_SHARE)


def _policy_loss(logits: Tensor, batch: Window) -> Tensor:
    """Returns the mean loss of the choices, each weighted by what is at stake, as far as it was not drawn by that."""
    stake, worst = _stakes(batch)
    gained = (logits.softmax(1) * (batch.ratings - worst[:, None])).masked_fill(~batch.action_masks, 0).sum(1)
    weight = stake / _shares(batch)
    loss: Tensor = -(weight * torch.log(gained / stake.clamp(min=1e-6) + 1e-6)).sum() / weight.sum().clamp(min=1e-6)
    return loss
