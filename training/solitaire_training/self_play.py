"""Learns the values of positions by self-play: TD(lambda) with a small network (Tesauro 1995, TD-Gammon).

The network learns from a batch of games in one pass of Adam. Meanwhile its copy from before that plays the next games,
so that two cores have work.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from solitaire_agents.catalogue import choices_of
from solitaire_agents.network import Network
from solitaire_agents.self_play import Examples, play_games
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.engine import cut
from solitaire_training.checkpoint_file import Tensors, optimizer_state, restore_optimizer
from solitaire_training.config import TrainConfig
from solitaire_training.learner import (
    Learner,
    arrays_of,
    named,
    network_of,
    policy_of_values,
    prefixed,
)
from solitaire_training.torch_network import TorchNetwork


class SelfPlay(Learner):
    """Self-play for ``config.games`` games.

    Args:
        config: The settings.
        network: The network to start from.
    """

    unit = "game"
    slice_size: ClassVar[int] = 250
    """Most games that one thread plays at a time."""

    def __init__(self, config: TrainConfig, network: Network) -> None:
        torch.set_num_threads(1)  # the batches are small
        self._config, self._network = config, TorchNetwork(network)
        self._options = config.all_options()
        self._choices = [choices_of(config.game(), options) for options in self._options]
        self._deals = config.all_deals()
        self._player = arrays_of(self._arrays())  # of the network that plays the next games
        self._optimizer = torch.optim.Adam(self._network.parameters(), fused=True)
        self._threads = ThreadPoolExecutor(config.threads)
        self._under_way: list[Future[Examples]] = []
        self.total = config.games

    def _arrays(self) -> Network:
        """Returns copies of the network's arrays, with a policy that prefers high values."""
        return policy_of_values(self._network.arrays())

    def update(self) -> Mapping[str, float]:
        """Learns from the games begun before, while the next ones are played."""
        if not self._under_way:
            self._begin(self.progress)
        lessons = [slice_.result() for slice_ in self._under_way]
        number = self._number(self.progress)
        self._player = arrays_of(self._arrays())
        self._begin(self.progress + number)
        loss = self._learn(lessons)
        self.progress += number
        self.decisions += sum(len(lesson.inputs) for lesson in lessons)
        self.moves += sum(lesson.moves for lesson in lessons)
        return {"loss": loss, "won": sum(lesson.won for lesson in lessons) / number}

    def _number(self, first: int) -> int:
        return min(self._config.games_per_update, self.total - first)

    def _begin(self, first: int) -> None:
        """Starts the next games in slices. The result does not depend on which thread plays which slice."""
        network, config = network_of(self._player), self._config
        rng, number = np.random.default_rng((config.seed, first)), self._number(first)
        drawn = rng.integers(0, FIRST_RANDOM_DEAL, number, dtype=np.uint64)
        slices = self._slices(number)
        self._under_way = [
            self._threads.submit(
                play_games,
                self._options[place],
                self._choices[place],
                network,
                _deals_of(drawn[games], self._deals[place]),
                explore=config.explore,
                td_lambda=config.td_lambda,
                seed=seed,
            )
            for (place, games), seed in zip(slices, rng.integers(0, 2**63, len(slices)).tolist(), strict=True)
        ]

    def _slices(self, games: int) -> list[tuple[int, slice]]:
        """Cuts games into slices, each under one of the option sets; all sets get equal shares of the games."""
        return [
            (place, slice(start, min(start + self.slice_size, share.stop)))
            for place, share in enumerate(cut(games, len(self._options)))
            for start in range(share.start, share.stop, self.slice_size)
        ]

    def _learn(self, lessons: Sequence[Examples]) -> float:
        """Makes Adam's steps; returns the mean loss."""
        losses, start, end = [], self._config.self_play_learning_rate, self._config.self_play_learning_rate_end
        for group in self._optimizer.param_groups:
            group["lr"] = start + self.progress / self.total * (end - start)
        for loss in self._batches(lessons, np.random.default_rng((self._config.seed, self.progress, 1))):
            self._optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # of torch
            self._optimizer.step()
            losses.append(loss.item())
        return float(np.mean(losses))

    def _batches(self, lessons: Sequence[Examples], rng: np.random.Generator) -> Iterator[torch.Tensor]:
        """Yields the loss of one batch after another."""
        inputs = np.concatenate([one.inputs for one in lessons])
        targets = np.concatenate([one.targets for one in lessons])
        order, size = rng.permutation(len(targets)), self._config.self_play_batch_size
        on = inputs < self._choices[0].inputs
        for first in range(0, len(order), size):
            chosen = order[first : first + size]
            starts = np.concatenate([[0], np.cumsum(on[chosen].sum(axis=1))[:-1]]).astype(np.int32)
            bags = torch.from_numpy(inputs[chosen][on[chosen]].astype(np.int32))
            logits = self._network.values(bags, torch.from_numpy(starts))
            yield functional.binary_cross_entropy_with_logits(logits, torch.from_numpy(targets[chosen]))

    def state(self) -> Tensors:
        """Returns copies of everything that the rest of the stage depends on."""
        counts = {"games": self.progress, "decisions": self.decisions, "moves": self.moves}
        counters = {name: torch.tensor(count) for name, count in counts.items()}
        player = prefixed(named(self._player, "network."), "player.")
        return {**counters, **arrays_of(self._arrays()), **player, **prefixed(optimizer_state(self._optimizer), "")}

    def restore(self, tensors: Tensors) -> None:
        """Restores a state."""
        self._network.load_state_dict(named(tensors, "network."))
        self._player = prefixed(named(tensors, "player."), "network.")
        restore_optimizer(self._optimizer, tensors)
        self.progress, self.decisions, self.moves = (int(tensors[name]) for name in ("games", "decisions", "moves"))


def _deals_of(drawn: NDArray[np.uint64], deals: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Turns random numbers of 63 bits into deal numbers. The bias of the remainder is negligible for any list."""
    return deals[drawn % len(deals)] if len(deals) else drawn + np.uint64(FIRST_RANDOM_DEAL)
