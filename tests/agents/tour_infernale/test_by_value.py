"""Agents that play La tour infernale by learned values: legal, blind to what is hidden, on their way, and strong."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import find_agent, kit_of
from solitaire_agents.tour_infernale import by_value as by_value_module
from solitaire_agents.tour_infernale.by_value import TourInfernaleByValue, TourInfernaleLookAhead
from solitaire_agents.tour_infernale.position import Position
from solitaire_agents.tour_infernale.values import new_chooser
from solitaire_agents.trained import SHIPPED
from solitaire_agents.value_network import load_network
from solitaire_envs.engine import Engine
from solitaire_envs.jit import entry_point
from solitaire_envs.tour_infernale import DRAW, GAME, TourInfernaleOptions
from solitaire_training.evaluation.deals import VALIDATION_DEALS
from solitaire_training.evaluation.play import play
from tests.agents.tour_infernale.test_values import NETWORK

DEALS = np.arange(2**41, 2**41 + 12, dtype=np.uint64)
ONE_PASS = TourInfernaleOptions(passes=1)
TRAINED = load_network(SHIPPED / "tour-infernale-values", kit_of(GAME), ONE_PASS)
STOCK_SIZE = 46


def by_value(network: Any = TRAINED) -> Agent:
    return TourInfernaleByValue(ONE_PASS, network)


def look_ahead(network: Any = TRAINED) -> Agent:
    return TourInfernaleLookAhead(ONE_PASS, network, candidates=2, cards=3)


both = pytest.mark.parametrize("make", [by_value, look_ahead])


@both
@pytest.mark.parametrize("network", [NETWORK, TRAINED], ids=["random", "trained"])
def test_every_game_is_legal_to_its_end(make: Callable[[Any], Agent], network: Any) -> None:
    assert len(play(make(network), GAME, ONE_PASS, DEALS).outcomes) == len(DEALS)  # an illegal move raises


@both
def test_plays_with_the_stock_open_too(make: Callable[[], Agent]) -> None:
    """It does not use the order, so it plays as well as it does without; rounding may differ."""
    options = TourInfernaleOptions(passes=1, information="open")
    assert play(make(), GAME, options, DEALS).column("won").sum() >= len(DEALS) - 4


@both
def test_hidden_cards_change_no_decision(make: Callable[[], Agent]) -> None:
    rng = np.random.default_rng(1)
    for drawn in (0, 1, 6, 15, 30, 43):
        deck = rng.permutation(52).astype(np.uint8)
        others = [np.r_[deck[: 6 + drawn], rng.permutation(deck[6 + drawn :])] for _ in range(3)]
        engine = Engine(GAME, ONE_PASS, 4)
        engine.deal_decks([deck, *others])
        agents = [make() for _ in range(4)]
        while engine.states.stock_size[0] >= STOCK_SIZE - drawn and not engine.states.ended.any():
            seen, masks = engine.buffers.observations, engine.buffers.action_masks
            actions = np.array([int(agent.act(seen[[i]], masks[[i]])[0]) for i, agent in enumerate(agents)])
            assert len(set(actions.tolist())) == 1
            engine.step(actions)


@both
def test_a_plan_depends_on_seed_and_observation_alone(make: Callable[[], Agent]) -> None:
    together = play(make(), GAME, ONE_PASS, DEALS, seed=3).outcomes
    alone = np.concatenate([play(make(), GAME, ONE_PASS, [deal], seed=3).outcomes for deal in DEALS[::-1]])
    assert np.array_equal(together, alone[::-1])


def test_the_seed_matters_to_who_samples() -> None:
    outcomes = [play(look_ahead(), GAME, ONE_PASS, DEALS, seed=seed).outcomes.tobytes() for seed in range(3)]
    assert len(set(outcomes)) > 1
    assert len({play(by_value(), GAME, ONE_PASS, DEALS, seed=seed).outcomes.tobytes() for seed in range(2)}) == 1


@both
def test_no_game_goes_in_circles(make: Callable[[], Agent]) -> None:
    """Until the stock is empty and the game is won or lost, each position is met once."""
    engine = Engine(GAME, ONE_PASS, 1)
    for deal in DEALS[:4]:
        agent, met = make(), set[bytes]()
        engine.deal_numbers([deal])
        while engine.states.stock_size[0] > 0 and not engine.states.ended[0]:
            seen = engine.buffers.observations[0].tobytes()
            assert seen not in met
            met.add(seen)
            engine.step(agent.act(engine.buffers.observations, engine.buffers.action_masks))


@both
def test_strength(make: Callable[[], Agent]) -> None:
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 100, dtype=np.uint64)
    rule = play(find_agent("thrifty", GAME, ONE_PASS), GAME, ONE_PASS, deals).column("won").mean()
    assert play(make(), GAME, ONE_PASS, deals).column("won").mean() > max(0.82, rule + 0.15)


def test_one_candidate_or_a_narrow_margin_is_no_look_ahead() -> None:
    plain = play(by_value(), GAME, ONE_PASS, DEALS).outcomes
    for effort in ({"candidates": 1}, {"margin": 0.0}):
        agent = TourInfernaleLookAhead(ONE_PASS, TRAINED, **effort)
        assert np.array_equal(play(agent, GAME, ONE_PASS, DEALS).outcomes, plain)


@both
def test_expects_perfect_memory_and_one_pass(make: Callable[[], Agent]) -> None:
    options = TourInfernaleOptions(passes=1, information="table")
    with pytest.raises(ValueError, match="expected observations of what a player with perfect memory knows"):
        play(make(), GAME, options, DEALS[:2])
    for kind in (TourInfernaleByValue, TourInfernaleLookAhead):
        with pytest.raises(ValueError, match="expected passes=1, got 2"):
            kind(TourInfernaleOptions(passes=2), TRAINED)


def test_a_card_that_is_tried_goes_back_to_its_place() -> None:
    try_card = entry_point("test of by_value")(by_value_module._chance_after.py_func)  # type: ignore[attr-defined]
    position, chooser = Position.dealt(np.random.default_rng(0).permutation(52)), new_chooser(TRAINED, 6)
    order = position.order()
    for card in (0, 7, 45):
        assert 0 < try_card(chooser, order, 0, card, *position.bitboard()) <= 1
        assert np.array_equal(order, position.order())


@pytest.mark.parametrize("name", ["candidates", "cards"])
def test_wrong_arguments(name: str) -> None:
    wrong: Any = {name: 0}
    with pytest.raises(ValueError, match="expected at least one candidate and card, got .*0"):
        TourInfernaleLookAhead(ONE_PASS, TRAINED, **wrong)


@both
def test_judges_what_it_plays(make: Callable[[], Agent]) -> None:
    """Over a game, the moves it plays are judged as good as any; near a win the chance is 1."""
    engine = Engine(GAME, ONE_PASS, 1)
    engine.deal_numbers([VALIDATION_DEALS])
    agent, gaps, chances = make(), [], []
    while not engine.states.ended[0]:
        seen, mask = engine.buffers.observations, engine.buffers.action_masks
        action = int(agent.act(seen, mask)[0])
        judged = agent.judge(seen[0], mask[0], 20)
        assert judged is not None
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
    agent = look_ahead()
    judged = agent.judge(engine.buffers.observations[0], engine.buffers.action_masks[0], 400)
    assert judged is not None
    assert 0 < judged.errors[DRAW] < 0.05
    assert 0.5 < judged.means[DRAW] <= 1
