"""Learns from games that are played by tree search: expert iteration (Anthony et al. 2017), as in AlphaZero.

The search plays better than the network that guides it. The policy learns the shares of its visits, and the value head
learns its means and the results of the games. Such games take long, so the latest decisions are kept, and learned from
several times.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from solitaire_agents.choices import Choices
from solitaire_agents.network import Network
from solitaire_agents.searched_play import Decisions, Searched, play_searched
from solitaire_agents.tree import TEMPERATURE
from solitaire_envs.game import Options
from solitaire_training.checkpoint_file import Tensors
from solitaire_training.choice_vec_env import mirror_rows, widened
from solitaire_training.config import TrainConfig
from solitaire_training.game_learner import GameLearner
from solitaire_training.torch_network import check_rows, unpack_bags


class ExpertIteration(GameLearner):
    """Learns from ``config.searched_games`` games."""

    slice_size = 25

    def __init__(self, config: TrainConfig, network: Network) -> None:
        rates = config.search_learning_rate, config.search_learning_rate_end
        super().__init__(
            config, network, games=config.searched_games, per_update=config.searched_games_per_update, rates=rates
        )
        self._kept = Decisions.none(self._choices[0])

    def _arrays(self) -> Network:
        return self._network.arrays()

    def _play(
        self, options: Options, choices: Choices, network: Network, deals: NDArray[np.uint64], seed: int
    ) -> Searched:
        simulations, td_lambda = self._config.simulations, self._config.td_lambda
        return play_searched(options, choices, network, deals, simulations=simulations, td_lambda=td_lambda, seed=seed)

    def _batches(self, lessons: Sequence[Searched], rng: np.random.Generator) -> Iterator[torch.Tensor]:
        """Keeps the new decisions; yields the losses of random ones among all that are kept."""
        config, new = self._config, sum(len(one.targets) for one in lessons)
        self._kept = _latest(config.searched_decisions_kept, self._kept, *(one.decisions for one in lessons))
        left = config.search_epochs * new
        while left > 0:
            drawn = rng.integers(len(self._kept.rows), size=min(left, config.search_batch_size))
            yield self._loss(self._kept.at(drawn), rng)
            left -= len(drawn)

    def _loss(self, batch: Decisions, rng: np.random.Generator) -> torch.Tensor:
        """Returns the cross-entropies of the visits, by the priors that the search has, and of the values."""
        if self._choices[0].mirror is not None:
            mirror_rows(batch.rows, np.flatnonzero(rng.random(len(batch.rows)) < 0.5), self._choices[0].mirror)
        visits, targets, weights = map(torch.from_numpy, batch[1:])
        logits, values = self._network(unpack_bags(batch.rows), visits.shape[1])
        of_policy = -(visits * torch.log_softmax(logits / TEMPERATURE, 1)).sum()
        of_values = functional.binary_cross_entropy_with_logits(values, targets, weights, reduction="sum")
        return (of_policy + of_values) / len(batch.rows)

    def state(self) -> Tensors:
        """Returns everything that the rest of the stage depends on."""
        kept = {f"kept.{name}": torch.from_numpy(array) for name, array in self._kept._asdict().items()}
        return {**super().state(), **kept}

    def restore(self, tensors: Tensors) -> None:
        """Restores a state.

        Raises:
            ValueError: The kept decisions are none of the game.
        """
        super().restore(tensors)
        self._kept = Decisions(*(tensors[f"kept.{name}"].numpy() for name in Decisions._fields))
        check_rows(self._kept.rows, self._kept.visits.shape[1], self._choices[0].inputs)


def _latest(most: int, *parts: Decisions) -> Decisions:
    """Returns the latest decisions of several parts."""
    size = max(part.rows.shape[1] for part in parts)
    wide = [part._replace(rows=widened(part.rows, size)) for part in parts]
    return Decisions(*map(np.concatenate, zip(*wide, strict=True))).at(slice(-most, None))
