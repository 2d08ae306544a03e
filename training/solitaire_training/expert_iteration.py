"""Learns from games that are played by tree search: expert iteration (Anthony et al. 2017), as in AlphaZero.

The search plays better than the network that guides it. The policy learns the shares of its visits, and the value head
learns its means and the results of the games. Such games take long, so the latest decisions are kept, and learned from
several times.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from solitaire_agents.choices import Choices
from solitaire_agents.network import Network
from solitaire_agents.searched_play import Decision, Searched, play_searched
from solitaire_agents.tree import TEMPERATURE
from solitaire_envs.game import Options
from solitaire_training.checkpoint_file import Tensors
from solitaire_training.choice_vec_env import mirror_rows
from solitaire_training.config import TrainConfig
from solitaire_training.game_learner import GameLearner
from solitaire_training.torch_network import check_rows, unpack_bags

_EMPTY: Final = {name: np.zeros(0, np.uint16 if name == "row" else np.float32) for name in Decision._fields}


class ExpertIteration(GameLearner):
    """Learns from ``config.searched_games`` games."""

    slice_size = 25

    def __init__(self, config: TrainConfig, network: Network) -> None:
        rates = config.search_learning_rate, config.search_learning_rate_end
        super().__init__(
            config, network, games=config.searched_games, per_update=config.searched_games_per_update, rates=rates
        )
        self._kept = list[Decision]()

    def _arrays(self) -> Network:
        return self._network.arrays()

    def _play(
        self, options: Options, choices: Choices, network: Network, deals: NDArray[np.uint64], seed: int
    ) -> Searched:
        simulations, td_lambda = self._config.simulations, self._config.td_lambda
        return play_searched(options, choices, network, deals, simulations=simulations, td_lambda=td_lambda, seed=seed)

    def _batches(self, lessons: Sequence[Searched], rng: np.random.Generator) -> Iterator[torch.Tensor]:
        """Keeps the new decisions; yields the losses of random ones among all that are kept."""
        config, new = self._config, [decision for one in lessons for decision in one.decisions]
        self._kept = [*self._kept, *new][-config.searched_decisions_kept :]
        left = config.search_epochs * len(new)
        while left > 0:
            drawn = rng.integers(len(self._kept), size=min(left, config.search_batch_size))
            yield self._loss([self._kept[place] for place in drawn], rng)
            left -= len(drawn)

    def _loss(self, batch: Sequence[Decision], rng: np.random.Generator) -> torch.Tensor:
        """Returns the cross-entropies of the visits, by the priors that the search has, and of the values."""
        rows, *targets = (_padded(arrays) for arrays in zip(*batch, strict=True))
        if self._choices[0].mirror is not None:
            mirror_rows(rows, np.flatnonzero(rng.random(len(rows)) < 0.5), self._choices[0].mirror)
        visits, means, weights = map(torch.from_numpy, targets)
        logits, values = self._network(unpack_bags(rows), visits.shape[1])
        of_policy = -(visits * torch.log_softmax(logits / TEMPERATURE, 1)).sum()
        of_values = functional.binary_cross_entropy_with_logits(values, means, weights, reduction="sum")
        return (of_policy + of_values) / len(batch)

    def state(self) -> Tensors:
        """Returns everything that the rest of the stage depends on."""
        fields = {name: [getattr(one, name) for one in self._kept] for name in Decision._fields}
        sizes = np.array([[len(one.row), len(one.visits)] for one in self._kept], np.int64).reshape(-1, 2)
        joined = {name: np.concatenate([_EMPTY[name], *arrays]) for name, arrays in fields.items()}
        kept = {f"kept.{name}": torch.from_numpy(array) for name, array in {**joined, "sizes": sizes}.items()}
        return {**super().state(), **kept}

    def restore(self, tensors: Tensors) -> None:
        """Restores a state.

        Raises:
            ValueError: The kept decisions are none of the game.
        """
        super().restore(tensors)
        sizes = tensors["kept.sizes"].numpy()
        names = {"row": 0, **dict.fromkeys(Decision._fields[1:], 1)}
        parts = [_split(tensors[f"kept.{name}"].numpy(), sizes[:, column]) for name, column in names.items()]
        self._kept = [Decision(*arrays) for arrays in zip(*parts, strict=True)]
        for one in self._kept:
            check_rows(one.row[None], len(one.visits), self._choices[0].inputs)


def _padded(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Returns arrays as rows, with zeros after them."""
    padded = np.zeros((len(arrays), max(map(len, arrays))), arrays[0].dtype)
    for row, array in zip(padded, arrays, strict=True):
        row[: len(array)] = array
    return padded


def _split(joined: NDArray[Any], sizes: NDArray[np.int64]) -> list[NDArray[Any]]:
    """Returns arrays of the given sizes.

    Raises:
        ValueError: These are not the sizes of all parts.
    """
    if (sizes < 2).any() or sizes.sum() != len(joined):
        raise ValueError("expected kept decisions whose sizes fit, got others")
    return np.split(joined, np.cumsum(sizes)[:-1]) if len(sizes) else []
