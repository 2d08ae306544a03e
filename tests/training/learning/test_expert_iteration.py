"""Learning from games that tree search plays."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solitaire_agents.network import POLICY, VALUE, Network, random_network
from solitaire_agents.pyramid.choices import pyramid_choices
from solitaire_agents.searched_play import Searched
from solitaire_agents.tree import TEMPERATURE
from solitaire_envs.pyramid import GAME
from solitaire_training.config import TrainConfig
from solitaire_training.expert_iteration import ExpertIteration
from solitaire_training.learner import network_of, scale_policy
from tests.agents.test_choosing import logit_of
from tests.agents.test_searched_play import candidates_in
from tests.training.learning.runs import TINY

SETTINGS: dict[str, Any] = {**TINY, "algorithm": "self-play", "options": {"objective": "win"}, "simulations": 20}
SETTINGS |= {"searched_games": 40, "searched_games_per_update": 20}


def start(**settings: Any) -> tuple[ExpertIteration, list[Searched]]:
    """Returns a learner, and its first games."""
    config = TrainConfig(**{**SETTINGS, **settings})
    inputs = pyramid_choices(GAME.options(**config.options)).inputs
    learner = ExpertIteration(config, scale_policy(random_network(inputs, (16, 8), 2), 30))
    learner._begin(0)
    return learner, [games.result() for games in learner._under_way]


def losses_of(network: Network, lessons: list[Searched]) -> tuple[float, float]:
    """Returns the mean loss of all choices, without torch; and how much of it is there to be learned."""
    total, least, n = 0.0, 0.0, 0
    for one in lessons:
        for row, visits, targets, weights in one.decisions:
            candidates = candidates_in(row)
            k = len(candidates)
            logits = np.array([logit_of(network, POLICY, on) for on in candidates]) / TEMPERATURE
            values = np.array([logit_of(network, VALUE, on) for on in candidates])
            total -= visits[:k] @ (logits - np.log(np.exp(logits).sum()))
            total += weights[:k] @ entropy(targets[:k], 1 / (1 + np.exp(-values)))
            least -= visits[:k] @ np.log(np.maximum(visits[:k], 1e-9))
            least += weights[:k] @ entropy(targets[:k], targets[:k])
            n += 1
    return total / n, (total - least) / n


def entropy(targets: Any, chances: Any) -> Any:
    """Returns the cross-entropy of each target, 0..1."""
    sure = np.clip(np.float64(chances), 1e-9, 1 - 1e-9)
    return -targets * np.log(sure) - (1 - targets) * np.log(1 - sure)


def test_the_loss_is_that_of_visits_and_of_values() -> None:
    learner, lessons = start(search_batch_size=10**6, search_epochs=1)
    learner._choices[0] = replace(learner._choices[0], mirror=None)
    losses = [loss.item() for loss in learner._batches(lessons, np.random.default_rng(0))]
    assert losses == [pytest.approx(losses_of(network_of(learner.state()), lessons)[0], abs=0.002)]


def test_what_was_found_is_learned() -> None:
    learner, lessons = start(search_learning_rate=3e-3, search_learning_rate_end=3e-3, search_batch_size=64)
    before = losses_of(network_of(learner.state()), lessons)[1]
    for _ in range(30):
        learner._learn(lessons)
    assert losses_of(network_of(learner.state()), lessons)[1] < before / 2


def test_an_update_plays_the_next_games_by_the_network_from_before_it() -> None:
    learner, _ = start()
    figures = learner.update()
    assert (learner.progress, learner.total, learner.unit) == (20, 40, "game")
    assert 0 <= figures["won"] <= 1
    assert learner.decisions > 100
    assert learner.moves > learner.decisions
    learner.update()
    assert learner.progress == 40
