"""The planner for Pyramid's score: which moves are dropped, and that nothing hidden is told."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.catalogue import find_agent
from solitaire_agents.pyramid.planner import POINTS, PlannerAgent
from solitaire_agents.pyramid.score_planner import LITTLE, ScorePlanner
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import GAME, PyramidOptions
from solitaire_evaluation.play import play
from tests.agents.pyramid.test_planner import DEALS, kings_first, start

SCORE = PyramidOptions()


def hidden_in(engine: Engine) -> int:
    return int(engine.buffers.observations[0, GAME.slots("unseen")].sum())


def positions_of_pass_1(seed: int, deals: int) -> list[Engine]:
    """Returns engines with one game each that a random player has played on until some cards are left hidden."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(deals):
        engine, until = Engine(GAME, SCORE, 1, autoreset="disabled"), int(rng.integers(2, 24))
        engine.deal_numbers(rng.integers(2**41, 2**42, 1).astype(np.uint64))
        while hidden_in(engine) > until:
            engine.step(rng.choice(np.flatnonzero(engine.buffers.action_masks[0]), 1))
        if hidden_in(engine) > 1:
            found.append(engine)
    return found


def table(*moves: list[float]) -> NDArray[np.float64]:
    """Returns ratings, made of points for each move."""
    return np.array(moves, np.float64).T / POINTS.most


def test_a_move_goes_where_it_is_unlikely_to_be_better_by_more_than_a_little() -> None:
    best, clearly_worse, alike = [5.0, 7.0] * 32, [0.0, 2.0] * 32, [5.0, 7.0] * 32
    sometimes_better = [25.0, -14.0] * 32
    found, kept = ScorePlanner(SCORE)._promising(
        table(best, clearly_worse, alike, sometimes_better), np.ones(4, np.bool_)
    )
    assert found == 0  # of equals the first
    assert kept.tolist() == [True, False, False, True]
    assert ScorePlanner(SCORE)._promising(table(best, clearly_worse), np.array([False, True]))[0] == 1


def test_few_orders_that_are_alike_prove_little() -> None:
    behind = LITTLE  # in each order
    for orders, stays in ((2, True), (64, False)):
        points = table([behind] * orders, [0.0] * orders)
        assert ScorePlanner(SCORE)._promising(points, np.ones(2, np.bool_))[1].tolist() == [True, stays]


def test_a_move_that_is_dropped_meets_no_further_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    planner, asked = ScorePlanner(SCORE, samples=16), list[tuple[int, int]]()
    engine = start([kings_first(12, 25, 38, 51)])
    legal = np.flatnonzero(engine.buffers.action_masks[0])
    assert len(legal) > 2

    def rate(orders: Any, positions: Any, mask: Any, max_nodes: int) -> Any:
        asked.append((len(orders), int(mask.sum())))
        ratings = np.zeros((len(orders), len(mask)))
        ratings[:, legal[0]] = np.linspace(0.5, 1.0, len(orders))
        ratings[:, legal[1]] = np.linspace(1.0, 0.5, len(orders))
        return ratings

    monkeypatch.setattr(planner, "_rate", rate)
    planner.act(engine.buffers.observations, engine.buffers.action_masks)
    assert [orders for orders, _ in asked] == [2, 2, 4, 8]
    assert [moves for _, moves in asked] == [len(legal), 2, 2, 2]


def test_tells_the_score_to_expect() -> None:
    """As a share of the way from -52 to 50; once all is known there is no error."""
    planner = ScorePlanner(SCORE)
    for engine in positions_of_pass_1(5, 20):
        observation, mask = engine.buffers.observations[0], engine.buffers.action_masks[0]
        judgement = planner.judge(observation, mask, 8)
        assert judgement.unit == "worth"
        assert np.isnan(judgement.means[~mask]).all()
        points = judgement.means[mask] * 102 - 52
        assert ((points >= -12.001) & (points <= 50.001)).all()  # nothing within reach; all, and in pass 1
        ratings = planner._rate(*planner._imagine(observation, 8), mask, 1_000).mean(axis=0)[mask]
        assert np.allclose(points, 62 * ratings - 12)
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
        agents = [ScorePlanner(SCORE, samples=12, max_nodes=50, seed=5) for _ in range(4)]
        while engine.states.stock_size[0] >= 24 - drawn + 1:  # all that lies face up, or did, is the same for all
            seen = engine.buffers.observations[:, None], engine.buffers.action_masks[:, None]
            actions = np.array([int(agent.act(*row)[0]) for agent, *row in zip(agents, *seen, strict=True)])
            assert len(set(actions.tolist())) == 1
            engine.step(actions)


def test_a_decision_depends_on_seed_and_observation_alone() -> None:
    agent = ScorePlanner(SCORE, samples=6, max_nodes=50)
    together = play(agent, GAME, SCORE, DEALS, seed=3).outcomes
    alone = np.concatenate([play(agent, GAME, SCORE, [deal], seed=3).outcomes for deal in DEALS[::-1]])
    assert np.array_equal(together, alone[::-1])
    assert not np.array_equal(together, play(agent, GAME, SCORE, DEALS, seed=4).outcomes)


@pytest.mark.parametrize("options", [{}, {"passes": 1}, {"passes": 2, "stock_waste_pairs": False}])
def test_every_game_is_legal_to_its_end(options: dict[str, Any]) -> None:
    rules = replace(SCORE, **options)
    played = play(ScorePlanner(rules, samples=12, max_nodes=50), GAME, rules, DEALS)  # an illegal move raises
    assert len(played.outcomes) == len(DEALS)


def test_in_one_pass_it_leaves_few_cards() -> None:
    rules, deals = replace(SCORE, passes=1), np.arange(2**41, 2**41 + 60, dtype=np.uint64)
    planner = play(ScorePlanner(rules, samples=8, max_nodes=50), GAME, rules, deals).column("score")
    careful = play(find_agent("careful", GAME, rules), GAME, rules, deals).column("score")
    assert planner.mean() > careful.mean() + 1


def test_with_few_passes_patience_is_no_virtue() -> None:
    with pytest.raises(ValueError, match="expected passes of 3 or more for 'patient', got 2; 'planner' fits"):
        find_agent("patient", GAME, replace(SCORE, passes=2))


def test_in_one_pass_hindsight_does_not_play_for_the_score() -> None:
    with pytest.raises(ValueError, match="expected passes of 2 or more for 'hindsight' .*, got 1; 'oracle' fits"):
        find_agent("hindsight", GAME, replace(SCORE, passes=1))
    find_agent("hindsight", GAME, replace(SCORE, passes=1, objective="win"))


def test_which_games_it_plays() -> None:
    for options in (SCORE, replace(SCORE, passes=2), replace(SCORE, goal="pyramid")):
        assert type(find_agent("planner", GAME, options)) is ScorePlanner
    assert type(find_agent("planner", GAME, replace(SCORE, objective="win"))) is PlannerAgent


@pytest.mark.slow
def test_strength() -> None:
    deals = np.arange(2**41, 2**41 + 300, dtype=np.uint64)
    many = play(ScorePlanner(SCORE), GAME, SCORE, deals).column("score")
    few = play(PlannerAgent(SCORE, samples=4, max_nodes=100), GAME, SCORE, deals).column("score")
    assert many.mean() > few.mean()
