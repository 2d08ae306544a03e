"""Learns the values of positions by self-play: TD(lambda) with a small network (Tesauro 1995, TD-Gammon).

The network learns from a batch of games in one pass of Adam.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from solitaire_agents.choices import Choices
from solitaire_agents.network import Network
from solitaire_agents.self_play import Examples, play_games
from solitaire_envs.game import Options
from solitaire_training.config import TrainConfig
from solitaire_training.game_learner import GameLearner
from solitaire_training.learner import policy_of_values


class SelfPlay(GameLearner):
    """Self-play for ``config.games`` games."""

    slice_size = 250

    def __init__(self, config: TrainConfig, network: Network) -> None:
        rates = config.self_play_learning_rate, config.self_play_learning_rate_end
        super().__init__(config, network, games=config.games, per_update=config.games_per_update, rates=rates)

    def _arrays(self) -> Network:
        """Returns copies of the network's arrays, with a policy that prefers high values."""
        return policy_of_values(self._network.arrays())

    def _play(
        self, options: Options, choices: Choices, network: Network, deals: NDArray[np.uint64], seed: int
    ) -> Examples:
        explore, td_lambda = self._config.explore, self._config.td_lambda
        return play_games(options, choices, network, deals, explore=explore, td_lambda=td_lambda, seed=seed)

    def _batches(self, lessons: Sequence[Examples], rng: np.random.Generator) -> Iterator[torch.Tensor]:
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
