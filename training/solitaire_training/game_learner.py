"""The base of learners that play whole games, and then learn from them.

While the network learns from the last games, its copy from before that plays the next ones, so that two cores have
work.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from solitaire_agents.catalogue import choices_of
from solitaire_agents.choices import Choices
from solitaire_agents.network import Network
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.game import Options
from solitaire_training.checkpoint_file import Tensors, optimizer_state, restore_optimizer
from solitaire_training.config import TrainConfig
from solitaire_training.learner import Learner, arrays_of, ends_of_shares, named, network_of, prefixed
from solitaire_training.torch_network import TorchNetwork


class GameLearner(Learner):
    """Learns from whole games.

    Args:
        config: The settings.
        network: The network to start from.
        games: Games of the stage.
        per_update: Games between updates of the network.
        rates: Adam's step size at the start and at the end of the stage; linear between.
    """

    unit = "game"
    slice_size: ClassVar[int]
    """Most games that one thread plays at a time."""

    def __init__(
        self, config: TrainConfig, network: Network, *, games: int, per_update: int, rates: tuple[float, float]
    ) -> None:
        torch.set_num_threads(1)  # the batches are small
        self._config, self._network = config, TorchNetwork(network)
        self._options = config.all_options()
        self._choices = [choices_of(config.game(), options) for options in self._options]
        self._deals = config.all_deals()
        self._player = arrays_of(self._arrays())  # of the network that plays the next games
        self._optimizer = torch.optim.Adam(self._network.parameters(), fused=True)
        self._threads = ThreadPoolExecutor(config.threads)
        self._under_way: list[Future[Any]] = []
        self.total, self._per_update, self._rates = games, per_update, rates

    @abstractmethod
    def _arrays(self) -> Network:
        """Returns copies of the arrays of the network that is learned."""

    @abstractmethod
    def _play(self, options: Options, choices: Choices, network: Network, deals: NDArray[np.uint64], seed: int) -> Any:
        """Plays some games, in any thread; returns what they teach, a named tuple.

        Its first field has an entry for each decision; ``won`` and ``moves`` are numbers.
        """

    @abstractmethod
    def _batches(self, lessons: Sequence[Any], rng: np.random.Generator) -> Iterator[torch.Tensor]:
        """Yields the loss of one batch after another of what some games teach."""

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
        self.decisions += sum(len(lesson[0]) for lesson in lessons)
        self.moves += sum(lesson.moves for lesson in lessons)
        return {"loss": loss, "won": sum(lesson.won for lesson in lessons) / number}

    def _number(self, first: int) -> int:
        return min(self._per_update, self.total - first)

    def _begin(self, first: int) -> None:
        """Starts the next games in slices. The result does not depend on which thread plays which slice."""
        network = network_of(self._player)
        rng, number = np.random.default_rng((self._config.seed, first)), self._number(first)
        drawn = rng.integers(0, FIRST_RANDOM_DEAL, number, dtype=np.uint64)
        slices = self._slices(number)
        self._under_way = [
            self._threads.submit(
                self._play,
                self._options[place],
                self._choices[place],
                network,
                _deals_of(drawn[games], self._deals[place]),
                seed,
            )
            for (place, games), seed in zip(slices, rng.integers(0, 2**63, len(slices)).tolist(), strict=True)
        ]

    def _slices(self, games: int) -> list[tuple[int, slice]]:
        """Cuts games into slices, each under one of the option sets; all sets get equal shares of the games."""
        return [
            (place, slice(start, min(start + self.slice_size, end)))
            for place, (first, end) in enumerate(pairwise(ends_of_shares(games, len(self._options))))
            for start in range(first, end, self.slice_size)
        ]

    def _learn(self, lessons: Sequence[Any]) -> float:
        """Makes Adam's steps; returns the mean loss."""
        losses, (start, end) = [], self._rates
        for group in self._optimizer.param_groups:
            group["lr"] = start + self.progress / self.total * (end - start)
        for loss in self._batches(lessons, np.random.default_rng((self._config.seed, self.progress, 1))):
            self._optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # of torch
            self._optimizer.step()
            losses.append(loss.item())
        return float(np.mean(losses))

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
