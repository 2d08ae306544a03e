"""Rollouts of Pyramid: laid out and played by the rules, as the agents play; and the planner that asks them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.catalogue import find_agent
from solitaire_agents.pyramid import rollouts
from solitaire_agents.pyramid.by_value import PyramidByValue
from solitaire_agents.pyramid.kit import KIT
from solitaire_agents.pyramid.oracle import PyramidOracle
from solitaire_agents.pyramid.planner import PlannerAgent
from solitaire_agents.pyramid.rollouts import LITTLE, RolloutPlanner, promising
from solitaire_agents.pyramid.values import SHIPPED_VALUES
from solitaire_agents.value_network import load_network
from solitaire_envs.engine import Engine
from solitaire_envs.jit import entry_point
from solitaire_envs.pyramid import CLEARED_BONUS, GAME, STATE, PyramidOptions
from solitaire_envs.pyramid import UNSEEN as HIDDEN
from solitaire_training.evaluation.play import play

SCORE = PyramidOptions()
NETWORK = load_network(SHIPPED_VALUES["score"], KIT, SCORE)
DEALS = np.arange(2**41, 2**41 + 12, dtype=np.uint64)
UNSEEN = GAME.slots("unseen")
_lay_out = entry_point("test of rollouts")(rollouts._lay_out.py_func)  # type: ignore[attr-defined]


def hidden_in(engine: Engine) -> int:
    return int(engine.buffers.observations[0, UNSEEN].sum())


def positions_of_pass_1(seed: int, deals: int) -> list[tuple[Engine, int]]:
    """Returns engines with one game each that a random player has played on until some cards are left hidden."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(deals):
        engine, until = Engine(GAME, SCORE, 1), int(rng.integers(2, 24))
        engine.deal_numbers(rng.integers(2**41, 2**42, 1).astype(np.uint64))
        while hidden_in(engine) > until:
            engine.step(rng.choice(np.flatnonzero(engine.buffers.action_masks[0]), 1))
        if hidden_in(engine) > 1:
            found.append((engine, int(rng.choice(np.flatnonzero(engine.buffers.action_masks[0])))))
    return found


def hidden_cards(engine: Engine) -> NDArray[np.int64]:
    return engine.states.deck[0][-hidden_in(engine) :].astype(np.int64)


def test_a_position_is_laid_out_as_it_is() -> None:
    for engine, _ in positions_of_pass_1(1, 100):
        observation, state = engine.buffers.observations[0], np.zeros(1, STATE).view(np.recarray)
        _lay_out(np.asarray(state)[0], observation, hidden_cards(engine))
        seen, legal = np.zeros_like(observation), np.zeros(engine.num_actions, np.bool_)
        GAME.observe(SCORE.to_rules()[0], np.asarray(state)[0], seen)
        GAME.legal(SCORE.to_rules()[0], np.asarray(state)[0], legal)
        assert np.array_equal(seen, observation)
        assert np.array_equal(legal, engine.buffers.action_masks[0])
        for name in ("stock_size", "waste_size", "discarded", "current_pass", "cleared_in_pass"):
            assert state[name][0] == engine.states[name][0], name


BY_VALUES, ORACLE = PyramidByValue(SCORE, NETWORK), PyramidOracle(SCORE)


def play_on(engine: Engine) -> int:
    """Plays a game on by values until all is known, then as the oracle; returns the score."""
    while not engine.states.ended[0]:
        seen, masks = engine.buffers.observations.copy(), engine.buffers.action_masks
        agent = BY_VALUES if hidden_in(engine) > 1 else ORACLE
        if agent is ORACLE:
            last = 1 + int(seen[0, UNSEEN].argmax())
            seen[seen == HIDDEN], seen[0, UNSEEN] = last, 0  # the last card is known
        engine.step(agent.act(seen, masks))
    return int(engine.buffers.outcomes["score"][0])


def rolled_out(engine: Engine, action: int) -> float:
    """Returns the score of a rollout after an action, in the true order."""
    planner, observation = RolloutPlanner(SCORE, NETWORK), engine.buffers.observations[0].copy()
    order, end = planner._imagine(observation, 1)[0], 28 + int((observation[28:76] > 0).sum())
    order[0, end - hidden_in(engine) : end] = hidden_cards(engine)
    mask = np.arange(engine.num_actions) == action
    return float(planner._roll_out(order, observation, mask)[0, action])


def test_a_rollout_is_a_game_by_values_that_ends_as_the_oracle_would() -> None:
    for engine, action in positions_of_pass_1(2, 60):
        score = rolled_out(engine, action)
        engine.step(np.array([action]))
        assert score == play_on(engine)


@pytest.mark.parametrize("deal", [974, 1035, 1040, 1269])
def test_a_rollout_that_clears_the_pyramid_while_cards_are_hidden(deal: int) -> None:
    engine = Engine(GAME, SCORE, 1)
    engine.deal_numbers(np.array([2**41 + deal], np.uint64))
    action = BY_VALUES.act(engine.buffers.observations, engine.buffers.action_masks)
    score = rolled_out(engine, int(action[0]))
    engine.step(action)
    assert score == play_on(engine)
    assert engine.buffers.outcomes["cleared_in_pass"][0] == 1


def test_no_rollout_scores_more_than_the_best_bonus() -> None:
    planner = RolloutPlanner(SCORE, NETWORK)
    for engine, _ in positions_of_pass_1(3, 10):
        observation, mask = engine.buffers.observations[0], engine.buffers.action_masks[0]
        scores = planner._roll_out(planner._imagine(observation, 4)[0], observation, mask)[:, mask]
        assert (scores >= -52).all()
        assert (scores <= CLEARED_BONUS[0]).all()
        assert len(np.unique(scores)) > 1 or mask.sum() == 1


def table(*moves: list[float]) -> NDArray[np.float64]:
    return np.array(moves, np.float64).T


def test_a_move_goes_where_it_is_unlikely_to_be_better_by_more_than_a_little() -> None:
    best, clearly_worse, alike = [5.0, 7.0] * 32, [0.0, 2.0] * 32, [5.0, 7.0] * 32
    sometimes_better = [25.0, -14.0] * 32
    found, kept = promising(table(best, clearly_worse, alike, sometimes_better), np.ones(4, np.bool_))
    assert found == 0  # of equals the first
    assert kept.tolist() == [True, False, False, True]
    assert promising(table(best, clearly_worse), np.array([False, True]))[0] == 1


def test_few_orders_that_are_alike_prove_little() -> None:
    behind = LITTLE  # in each order
    for orders, stays in ((2, True), (64, False)):
        points = table([behind] * orders, [0.0] * orders)
        assert promising(points, np.ones(2, np.bool_))[1].tolist() == [True, stays]


def test_a_move_that_is_dropped_meets_no_further_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    planner, asked = RolloutPlanner(SCORE, NETWORK, samples=16), list[tuple[int, int]]()
    engine = Engine(GAME, SCORE, 1)
    kings = [12, 25, 38, 51]  # at the top of the pyramid, where they are covered
    engine.deal_decks([np.array([*kings, *(card for card in range(52) if card not in kings)], np.uint8)])
    legal = np.flatnonzero(engine.buffers.action_masks[0])
    assert len(legal) > 2

    def rate(orders: Any, positions: Any, mask: Any, max_nodes: int) -> Any:
        asked.append((len(orders), int(mask.sum())))
        ratings = np.zeros((len(orders), len(mask)))
        ratings[:, legal[0]] = np.linspace(0.0, 1.0, len(orders))
        ratings[:, legal[1]] = np.linspace(1.0, 0.0, len(orders))
        return ratings

    monkeypatch.setattr(planner, "_rate", rate)
    monkeypatch.setattr(planner, "_roll_out", lambda orders, observation, mask: np.zeros((len(orders), len(mask))))
    planner.act(engine.buffers.observations, engine.buffers.action_masks)
    assert [orders for orders, _ in asked] == [2, 2, 4, 8]
    assert [moves for _, moves in asked][-1] == 2


def test_both_count(monkeypatch: pytest.MonkeyPatch) -> None:
    planner, engine = RolloutPlanner(SCORE, NETWORK), positions_of_pass_1(4, 1)[0][0]
    observation, mask = engine.buffers.observations[0], engine.buffers.action_masks[0]
    orders, positions = planner._imagine(observation, 2)
    monkeypatch.setattr(planner, "_rate", lambda *_: np.array([[0.0, 0.0], [0.5, 0.0]]))
    monkeypatch.setattr(planner, "_roll_out", lambda *_: np.array([[0.0, 8.0], [0.0, 8.0]]))
    points = planner._judge_moves(orders, positions, observation, mask)
    assert np.allclose(points - points[0, 0], [[0, 4], [14, 4]])


def test_tells_the_score_to_expect() -> None:
    """As a share of the way from -52 to 50; once all is known there is no error."""
    planner = RolloutPlanner(SCORE, NETWORK)
    for engine, _ in positions_of_pass_1(5, 20):
        observation, mask = engine.buffers.observations[0], engine.buffers.action_masks[0]
        judgement = planner.judge(observation, mask, 8)
        assert judgement.unit == "worth"
        assert np.isnan(judgement.means[~mask]).all()
        assert ((judgement.means[mask] >= 0) & (judgement.means[mask] <= 1)).all()
        points = planner._judge_moves(*planner._imagine(observation, 8), observation, mask).mean(axis=0)
        assert np.allclose(judgement.means[mask] * 102 - 52, points[mask])
        while not engine.states.ended[0]:
            engine.step(planner.act(engine.buffers.observations, engine.buffers.action_masks))
            if hidden_in(engine) <= 1 and engine.buffers.action_masks[0].any():
                late = planner.judge(engine.buffers.observations[0], engine.buffers.action_masks[0], 8)
                assert np.nanmax(late.errors) == 0
                break


def test_hidden_cards_change_no_decision() -> None:
    rng = np.random.default_rng(1)
    for drawn in (1, 6, 15):
        deck = rng.permutation(52).astype(np.uint8)
        others = [np.r_[deck[: 28 + drawn], rng.permutation(deck[28 + drawn :])] for _ in range(3)]
        engine = Engine(GAME, SCORE, 4)
        engine.deal_decks([deck, *others])
        agents = [RolloutPlanner(SCORE, NETWORK, samples=6, max_nodes=50, seed=5) for _ in range(4)]
        while engine.states.stock_size[0] >= 24 - drawn + 1:  # all that lies face up, or did, is the same for all
            seen = engine.buffers.observations[:, None], engine.buffers.action_masks[:, None]
            actions = np.array([int(agent.act(*row)[0]) for agent, *row in zip(agents, *seen, strict=True)])
            assert len(set(actions.tolist())) == 1
            engine.step(actions)


def test_a_decision_depends_on_seed_and_observation_alone() -> None:
    agent = RolloutPlanner(SCORE, NETWORK, samples=6, max_nodes=50)
    together = play(agent, GAME, SCORE, DEALS, seed=3).outcomes
    alone = np.concatenate([play(agent, GAME, SCORE, [deal], seed=3).outcomes for deal in DEALS[::-1]])
    assert np.array_equal(together, alone[::-1])
    assert not np.array_equal(together, play(agent, GAME, SCORE, DEALS, seed=4).outcomes)


def test_which_games_it_plays() -> None:
    """The values are of the default rules; there it is the planner for the score."""
    assert type(find_agent("planner", GAME, SCORE)) is RolloutPlanner
    others: tuple[dict[str, Any], ...] = ({"objective": "win"}, {"passes": 2}, {"information": "table"})
    for change in others:
        assert type(find_agent("planner", GAME, replace(SCORE, **change))) is PlannerAgent


@pytest.mark.slow
def test_strength() -> None:
    deals = np.arange(2**41, 2**41 + 300, dtype=np.uint64)
    mixed = play(RolloutPlanner(SCORE, NETWORK, samples=32), GAME, SCORE, deals).column("score")
    alone = play(PlannerAgent(SCORE, samples=8), GAME, SCORE, deals).column("score")
    assert mixed.mean() > alone.mean()
