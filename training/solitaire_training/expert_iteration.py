"""Learns from games that are played by tree search: expert iteration (Anthony et al. 2017), as in AlphaZero.

The search plays better than the network that guides it. The policy learns the shares of its visits, and the value head
learns its means and the results of the games.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from solitaire_agents.choices import Choices
from solitaire_agents.network import Network
from solitaire_agents.searched_play import Decision, Searched, play_searched
from solitaire_agents.tree import TEMPERATURE
from solitaire_envs.game import Options
from solitaire_training.choice_vec_env import mirror_rows
from solitaire_training.config import TrainConfig
from solitaire_training.game_learner import GameLearner
from solitaire_training.torch_network import unpack_bags


class ExpertIteration(GameLearner):
    """Learns from ``config.searched_games`` games."""

    slice_size = 25

    def __init__(self, config: TrainConfig, network: Network) -> None:
        rates = config.search_learning_rate, config.search_learning_rate_end
        super().__init__(
            config, network, games=config.searched_games, per_update=config.searched_games_per_update, rates=rates
        )

    def _arrays(self) -> Network:
        return self._network.arrays()

    def _play(
        self, options: Options, choices: Choices, network: Network, deals: NDArray[np.uint64], seed: int
    ) -> Searched:
        simulations, td_lambda = self._config.simulations, self._config.td_lambda
        return play_searched(options, choices, network, deals, simulations=simulations, td_lambda=td_lambda, seed=seed)

    def _batches(self, lessons: Sequence[Searched], rng: np.random.Generator) -> Iterator[torch.Tensor]:
        config, decisions = self._config, [decision for one in lessons for decision in one.decisions]
        for _ in range(config.search_epochs):
            order = rng.permutation(len(decisions))
            for first in range(0, len(order), config.search_batch_size):
                yield self._loss([decisions[place] for place in order[first : first + config.search_batch_size]], rng)

    def _loss(self, batch: Sequence[Decision], rng: np.random.Generator) -> torch.Tensor:
        """Returns the cross-entropies of the visits, by the priors that the search has, and of the values."""
        padded = [
            pad_sequence([*map(torch.from_numpy, arrays)], batch_first=True) for arrays in zip(*batch, strict=True)
        ]
        rows, (visits, targets, weights) = padded[0].numpy(), padded[1:]
        if self._choices[0].mirror is not None:
            mirror_rows(rows, np.flatnonzero(rng.random(len(rows)) < 0.5), self._choices[0].mirror)
        logits, values = self._network(unpack_bags(rows), visits.shape[1])
        of_policy = -(visits * torch.log_softmax(logits / TEMPERATURE, 1)).sum()
        of_values = functional.binary_cross_entropy_with_logits(values, targets, weights, reduction="sum")
        return (of_policy + of_values) / len(batch)
