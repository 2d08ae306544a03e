"""Episodes of many deals: which decks follow, what is added up, and where they end."""

from typing import Any

import numpy as np
import pytest

from solitaire_agents.uniform import UniformAgent
from solitaire_envs import series
from solitaire_envs.cards import FIRST_RANDOM_DEAL, card_text
from solitaire_envs.engine import Engine
from tests.reference.cards import deck_of, splitmix64

DEAL = 11


def start(game: Any, **options: Any) -> Engine:
    engine = Engine(game, game.options(**options), 1)
    engine.deal_numbers([DEAL])
    return engine


def play_on(engine: Engine, agent: UniformAgent) -> None:
    engine.step(agent.act(engine.buffers.observations, engine.buffers.action_masks))


def test_the_decks_that_follow_are_named_by_the_first() -> None:
    engine, agent, numbers = start(series.PAR), UniformAgent(), splitmix64(DEAL)
    decks = [deck_of(DEAL), *(deck_of(next(numbers) | FIRST_RANDOM_DEAL) for _ in range(5))]
    for finished, deck in enumerate(decks):
        assert [card_text(card) for card in engine.states.deck[0]] == deck
        while engine.states.games[0] == finished:
            play_on(engine, agent)
    assert engine.states.ended[0]


def test_par_adds_up_six_games() -> None:
    engine, agent, scores = start(series.PAR), UniformAgent(2), []
    while not engine.states.ended[0]:
        before = engine.states.total[0], engine.states.games[0]
        play_on(engine, agent)
        if engine.states.games[0] > before[1]:
            scores.append(engine.states.total[0] - before[0])
    assert len(scores) == 6
    assert all(-52 <= score <= 50 for score in scores)
    assert engine.outcome(0)["score"] == sum(scores)
    assert engine.outcome(0)["games"] == 6


@pytest.mark.parametrize(("beside", "reward"), [(-1, 0.0), (0, 1.0), (1, 1.0)])
def test_par_is_a_total_of_zero_or_more(beside: int, reward: float) -> None:
    played = start(series.PAR, games=1)
    agent, actions = UniformAgent(3), []
    while not played.states.ended[0]:
        actions.append(agent.act(played.buffers.observations, played.buffers.action_masks))
        played.step(actions[-1])
    engine = start(series.PAR, games=1)
    engine.states.total[0] = beside - played.outcome(0)["score"]  # as if earlier games had brought so much
    for action in actions:
        engine.step(action)
    assert engine.outcome(0)["score"] == beside
    assert engine.buffers.rewards[0] == reward
    assert engine.outcome(0)["won"] == (reward == 1.0)


@pytest.mark.parametrize("budget", [1, 37])
def test_a_sprint_ends_with_its_budget(budget: int) -> None:
    engine, agent = start(series.SPRINT, budget=budget), UniformAgent()
    for move in range(1, budget + 1):
        assert not engine.states.ended[0]
        assert engine.buffers.observations[0, series.SPRINT.slots("moves")] == budget - move + 1
        play_on(engine, agent)
    assert engine.buffers.terminated[0]
    assert not engine.buffers.action_masks.any()


def test_a_sprint_goes_on_after_a_win() -> None:
    """A deck that is won by drawing and putting up; the next deal then lies there, and the win has counted."""
    engine = start(series.SPRINT)
    engine.deal_decks([np.arange(52, dtype=np.uint8)])  # all clubs from the ace, then diamonds, ...
    while engine.states.games[0] == 0 and not engine.states.ended[0]:
        texts = {engine.move_text(0, action): action for action in engine.legal_actions(0)}
        up = [action for text, action in texts.items() if text.endswith(">F")]
        engine.step(np.array([up[0] if up else texts["draw"]]))
    assert engine.buffers.rewards[0] == 1.0
    assert engine.outcome(0)["score"] == 1
    assert [card_text(card) for card in engine.states.deck[0]] == deck_of(next(splitmix64(0)) | FIRST_RANDOM_DEAL)
    assert not engine.states.ended[0]
