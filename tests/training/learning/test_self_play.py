"""Updates of self-play."""

import numpy as np

from solitaire_agents.network import random_network
from solitaire_envs.pyramid import GAME
from solitaire_training.config import TrainConfig
from solitaire_training.learner import network_of
from solitaire_training.self_play import SelfPlay
from tests.agents.pyramid.test_choices import pyramid_choices
from tests.training.learning.runs import TINY


def test_an_update_plays_the_next_games_by_the_network_from_before_it() -> None:
    config = TrainConfig(**{**TINY, "algorithm": "self-play", "games": 40, "games_per_update": 20})
    learner = SelfPlay(config, random_network(pyramid_choices(GAME.options()).inputs, (16, 8), 2))
    before = network_of(learner.state())
    figures = learner.update()
    assert (learner.progress, learner.total, learner.unit) == (20, 40, "game")
    assert 0 <= figures["won"] <= 1
    assert learner.decisions > 100
    assert learner.moves > learner.decisions
    assert np.array_equal(network_of(learner._player).rows, before.rows)
    assert not np.array_equal(network_of(learner.state()).rows, before.rows)
    learner.update()
    assert learner.progress == 40
