"""The planner for one pass of La tour infernale: legal, blind to what is hidden, on its way, and strong."""

from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_agents.network import VALUE, Network, random_network
from solitaire_agents.tour_infernale import look_ahead as look_ahead_module
from solitaire_agents.tour_infernale.candidates import read
from solitaire_agents.tour_infernale.component_values import choose, shipped
from solitaire_agents.tour_infernale.inputs import INPUTS, MOST_ON, describe
from solitaire_agents.tour_infernale.look_ahead import TourInfernaleLookAhead
from solitaire_envs.engine import Engine
from solitaire_envs.jit import entry_point
from solitaire_envs.tour_infernale import DRAW, GAME, TourInfernaleOptions
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.play import play
from tests.agents.fairness import check_hidden_cards_change_no_decision, check_that_seed_and_observation_decide
from tests.agents.tour_infernale.test_choices import observation_of
from tests.agents.tour_infernale.test_reach import random_position

DEALS = np.arange(2**41, 2**41 + 12, dtype=np.uint64)
ONE_PASS = TourInfernaleOptions(passes=1)
STOCK_SIZE = 46
RANDOM = random_network(INPUTS, (64, 16), 0)
TRAINED = shipped(6).network
_read = entry_point("test of look-ahead")(read.py_func)  # type: ignore[attr-defined]
_choose = entry_point("test of look-ahead")(choose.py_func)  # type: ignore[attr-defined]
_describe = entry_point("test of look-ahead")(describe.py_func)  # type: ignore[attr-defined]
_chance_after = entry_point("test of look-ahead")(look_ahead_module._chance_after.py_func)  # type: ignore[attr-defined]


def planner(network: Network = TRAINED, **effort: Any) -> TourInfernaleLookAhead:
    return TourInfernaleLookAhead(ONE_PASS, network, **{"candidates": 2, "cards": 3, **effort})


@pytest.mark.parametrize("network", [RANDOM, TRAINED], ids=["random", "trained"])
def test_every_game_is_legal_to_its_end(network: Network) -> None:
    assert len(play(planner(network), GAME, ONE_PASS, DEALS).outcomes) == len(DEALS)  # an illegal move raises


def test_plays_five_piles() -> None:
    options = TourInfernaleOptions(passes=1, piles=5)
    agent = TourInfernaleLookAhead(options, RANDOM, candidates=2, cards=2)
    assert len(play(agent, GAME, options, DEALS[:4]).outcomes) == 4


def test_plays_with_the_stock_open_too() -> None:
    """It does not use the order, so it plays as well as it does without."""
    options = TourInfernaleOptions(passes=1, information="open")
    agent = TourInfernaleLookAhead(options, TRAINED, candidates=2, cards=3)
    assert play(agent, GAME, options, DEALS).column("won").sum() >= len(DEALS) - 4


def test_hidden_cards_change_no_decision() -> None:
    check_hidden_cards_change_no_decision(planner, GAME, ONE_PASS, (6, 7, 12, 21, 36, 49))


def test_a_plan_depends_on_seed_and_observation_alone() -> None:
    check_that_seed_and_observation_decide(planner, GAME, ONE_PASS, DEALS)


def test_no_game_goes_in_circles() -> None:
    """Until the stock is empty and the game is won or lost, each position is met once."""
    engine = Engine(GAME, ONE_PASS, 1)
    for deal in DEALS[:4]:
        agent, met = planner(), set[bytes]()
        engine.deal_numbers([deal])
        while engine.states.stock_size[0] > 0 and not engine.states.ended[0]:
            seen = engine.buffers.observations[0].tobytes()
            assert seen not in met
            met.add(seen)
            engine.step(agent.act(engine.buffers.observations, engine.buffers.action_masks))


@pytest.mark.slow
def test_strength() -> None:
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 100, dtype=np.uint64)
    assert play(planner(), GAME, ONE_PASS, deals).column("won").mean() > 0.84


def test_one_candidate_or_a_narrow_margin_is_no_look_ahead() -> None:
    plain = play(planner(candidates=1), GAME, ONE_PASS, DEALS).outcomes
    assert np.array_equal(play(planner(margin=0.0), GAME, ONE_PASS, DEALS).outcomes, plain)
    assert np.array_equal(play(planner(candidates=1, seed=1), GAME, ONE_PASS, DEALS).outcomes, plain)
    assert not np.array_equal(play(planner(), GAME, ONE_PASS, DEALS).outcomes, plain)


def test_what_it_cannot_play() -> None:
    options = TourInfernaleOptions(passes=1, information="table")
    with pytest.raises(ValueError, match="expected observations of what a player with perfect memory knows"):
        play(planner(), GAME, options, DEALS[:2])
    with pytest.raises(ValueError, match="expected information='memory' or 'open' for planner; got 'table'"):
        TourInfernaleLookAhead(options, TRAINED)
    with pytest.raises(ValueError, match="expected passes=1, got 2"):
        TourInfernaleLookAhead(TourInfernaleOptions(passes=2), TRAINED)


@pytest.mark.parametrize("name", ["candidates", "cards"])
def test_wrong_arguments(name: str) -> None:
    with pytest.raises(ValueError, match="expected at least one candidate and card, got .*0"):
        planner(**{name: 0})


# --- Values -----------------------------------------------------------------------------------------------------------


def dense(inputs: list[int]) -> float:
    """Computes the value in double precision."""
    rows, bias, second, second_bias, last, last_bias = (np.asarray(array, np.float64) for array in TRAINED)
    hidden = np.maximum(rows[inputs].sum(axis=0) + bias, 0)
    return float(np.maximum(hidden @ second[VALUE] + second_bias[VALUE], 0) @ last[VALUE] + last_bias[VALUE])


def test_the_highest_value_is_chosen() -> None:
    """What candidates share is summed up once, and makes no difference."""
    rng, on = np.random.default_rng(3), np.zeros(MOST_ON, np.int64)
    scratch, asked = planner()._scratch, 0
    for _ in range(15):
        position = random_position(rng, 12)
        _read(scratch.storage, observation_of(position))
        best, value = _choose(TRAINED, scratch, position.bitboard())
        if np.isinf(value):
            continue
        number = int(scratch.storage.now["candidates"][0])
        values = [dense(on[: _describe(scratch.storage, k, on)].tolist()) for k in range(number)]
        assert scratch.logits[:number] == pytest.approx(values, rel=1e-4, abs=1e-4)
        assert value == scratch.logits[best] == scratch.logits[:number].max()
        asked += number > 1
    assert asked > 3


def test_a_card_that_is_tried_goes_back_to_its_place() -> None:
    position, scratch = random_position(np.random.default_rng(0), 0), planner()._scratch
    _read(scratch.storage, observation_of(position))
    order, now = scratch.storage.order.copy(), scratch.storage.now.copy()
    for card in (0, 7, 45):
        assert 0 < _chance_after(TRAINED, scratch, card, position.bitboard()) <= 1
        assert np.array_equal(order, scratch.storage.order)
        assert now["drawn"] == scratch.storage.now["drawn"]


# --- Judgements -------------------------------------------------------------------------------------------------------


def test_chances_are_told_as_the_trained_agent_tells_them() -> None:
    engine = Engine(GAME, ONE_PASS, 1)
    engine.deal_numbers(DEALS[:1])
    seen = engine.buffers.observations[0], engine.buffers.action_masks[0]
    as_learned, told = planner(), find_agent("planner", GAME, ONE_PASS)
    learned = as_learned.action_values(*seen, 1).means
    assert np.nanmax(learned) < 1
    expected = shipped(6).calibration.correct(learned)
    assert np.allclose(told.action_values(*seen, 1).means, expected, equal_nan=True)
    assert np.nanmax(np.abs(expected - learned)) > 1e-5


def test_judges_what_it_plays() -> None:
    """Over a game, the moves it plays are judged as good as any; near a win the chance is 1."""
    engine = Engine(GAME, ONE_PASS, 1)
    engine.deal_numbers([VALIDATION_DEALS])
    agent, gaps, chances = planner(), [], []
    while not engine.states.ended[0]:
        seen, mask = engine.buffers.observations, engine.buffers.action_masks
        action = int(agent.act(seen, mask)[0])
        judged = agent.action_values(seen[0], mask[0], 8)
        assert judged.unit == "chance"
        assert np.array_equal(np.isnan(judged.means), ~mask[0])
        assert ((judged.means >= 0) & (judged.means <= 1))[mask[0]].all()
        gaps.append(np.nanmax(judged.means) - judged.means[action])
        chances.append(judged.means[action])
        engine.step(np.array([action]))
    assert np.mean(gaps) < 0.05
    assert engine.outcome(0)["won"] == (chances[-1] > 0.5)


def test_a_draw_is_judged_like_what_follows_it() -> None:
    engine = Engine(GAME, ONE_PASS, 1)
    engine.deal_numbers([DEALS[0]])
    judged = planner().action_values(engine.buffers.observations[0], engine.buffers.action_masks[0], 400)
    assert 0 < judged.errors[DRAW] < 0.05
    assert 0.5 < judged.means[DRAW] <= 1
