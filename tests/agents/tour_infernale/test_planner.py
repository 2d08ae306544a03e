"""The fair planner of La tour infernale: legal, blind to what is hidden, always under way, and strong."""

from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_agents.tour_infernale.planner import TourInfernalePlanner
from solitaire_envs.engine import Engine
from solitaire_envs.game import Options, make_options
from solitaire_envs.series import SPRINT
from solitaire_envs.tour_infernale import GAME, TourInfernaleOptions
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.play import play
from tests.agents.fairness import check_hidden_cards_change_no_decision, check_that_seed_and_observation_decide
from tests.agents.strength import played_as

DEALS = np.arange(2**41, 2**41 + 12, dtype=np.uint64)
ONE_PASS = TourInfernaleOptions(passes=1)
STOCK_SIZE = 46


def quick(options: TourInfernaleOptions = ONE_PASS, seed: int = 0) -> TourInfernalePlanner:
    return TourInfernalePlanner(options, orders=2, rounds=2, candidates=20, seed=seed)


def act(agent: TourInfernalePlanner, engine: Engine, i: int = 0) -> int:
    return int(agent.act(engine.buffers.observations[[i]], engine.buffers.action_masks[[i]])[0])


@pytest.mark.parametrize(
    "values",
    [{}, {"passes": 1}, {"passes": 2, "objective": "score"}, {"piles": 5}, {"passes": 1, "information": "open"}],
    ids=str,
)
def test_every_game_is_legal_to_its_end(values: dict[str, Any]) -> None:
    options = TourInfernaleOptions(**values)
    played = play(quick(options), GAME, options, DEALS)  # an illegal move raises
    assert len(played.outcomes) == len(DEALS)
    if options.passes is None:
        assert played.outcomes["won"].all()


def test_hidden_cards_change_no_decision() -> None:
    check_hidden_cards_change_no_decision(quick, GAME, ONE_PASS, (6, 7, 12, 21, 36, 49))


def test_a_plan_depends_on_seed_and_observation_alone() -> None:
    check_that_seed_and_observation_decide(quick, GAME, ONE_PASS, DEALS)


def test_equal_games_of_a_batch_go_the_same_way() -> None:
    outcomes = play(quick(), GAME, ONE_PASS, [DEALS[0], DEALS[0]]).outcomes
    assert outcomes[0] == outcomes[1]


def test_draws_within_a_few_moves() -> None:
    """Tableau moves can be undone for ever; a plan never goes round in them."""
    agent, engine = quick(), Engine(GAME, ONE_PASS, 1)
    for deal in DEALS[:4]:
        engine.deal_numbers([deal])
        since_draw, stock_size = 0, STOCK_SIZE
        while engine.states.stock_size[0] > 0:
            engine.step(np.array([act(agent, engine)]))
            since_draw = since_draw + 1 if engine.states.stock_size[0] == stock_size else 0
            stock_size = int(engine.states.stock_size[0])
            assert since_draw < 60


def test_with_the_stock_open_it_wins_what_the_solver_wins_quickly() -> None:
    options = TourInfernaleOptions(passes=1, information="open")
    assert play(TourInfernalePlanner(options), GAME, options, DEALS[:6]).outcomes["won"].sum() >= 5


@pytest.mark.parametrize("information", ["memory", "table"])
def test_expects_perfect_memory(information: Any) -> None:
    options, agent = TourInfernaleOptions(information=information, max_moves=60), quick(TourInfernaleOptions())
    if information == "memory":
        play(agent, GAME, options, DEALS[:2])
    else:
        with pytest.raises(ValueError, match="expected observations of what a player with perfect memory knows"):
            play(agent, GAME, options, DEALS[:2])
        with pytest.raises(ValueError, match="expected information='memory' or 'open' for planner; got 'table'"):
            quick(options)


@pytest.mark.parametrize("name", ["orders", "rounds", "candidates"])
def test_wrong_arguments(name: str) -> None:
    with pytest.raises(ValueError, match="expected at least one order, round and candidate, got .*0"):
        TourInfernalePlanner(ONE_PASS, **{name: 0})


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (ONE_PASS, "15 won, 878 points, 5682 moves, aa01aa62"),
        (TourInfernaleOptions(), "20 won, 1040 points, 2780 moves, 28b867b8"),
        (TourInfernaleOptions(passes=2, piles=5), "20 won, 1040 points, 3108 moves, 4b3c0956"),
    ],
    ids=str,
)
def test_plays_as_well_as_ever(options: TourInfernaleOptions, expected: str) -> None:
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 20, dtype=np.uint64)
    assert played_as(TourInfernalePlanner(options, orders=4, candidates=64), GAME, options, deals) == expected


def test_wins_far_more_often_than_the_rule_of_its_rollouts() -> None:
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 60, dtype=np.uint64)
    won = [
        play(agent, GAME, ONE_PASS, deals).column("won").mean()
        for agent in (find_agent("thrifty", GAME, ONE_PASS), TourInfernalePlanner(ONE_PASS, orders=4, candidates=64))
    ]
    assert won[0] < 0.75
    assert won[1] > 0.8


@pytest.mark.slow
def test_needs_fewer_moves_than_the_rule_of_its_rollouts() -> None:
    options = TourInfernaleOptions()
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 60, dtype=np.uint64)
    moves = [
        play(agent, GAME, options, deals).column("moves").mean()
        for agent in (find_agent("swift", GAME, options), TourInfernalePlanner(options, orders=16, candidates=48))
    ]
    assert moves[1] < moves[0] - 2


def test_sprints() -> None:
    options: Options = make_options(SPRINT.options, {"budget": 300})
    played = play(find_agent("planner", SPRINT, options), SPRINT, options, DEALS[:3])
    assert (played.outcomes["score"] >= 1).all()
