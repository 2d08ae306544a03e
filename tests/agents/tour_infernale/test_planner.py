"""The planner of La tour infernale: it plays under all rules to the end, and plays well."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_envs.engine import Engine
from solitaire_envs.game import Options, make_options
from solitaire_envs.series import SPRINT
from solitaire_envs.tour_infernale import GAME, TourInfernaleOptions
from solitaire_evaluation.agent_specs import find_agent_spec, make_agent
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.play import play
from tests.agents.strength import played_as
from tests.environments import few

DEALS = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 60, dtype=np.uint64)
ONE_PASS = TourInfernaleOptions(passes=1)
STOCK_SIZE = 46


def quick(options: Options, agent: str = "best@search4") -> Any:
    return make_agent(find_agent_spec(agent, GAME, options), GAME, options)


@pytest.mark.parametrize(
    ("piles", "passes"), few([(6, 1), (5, None), (6, None), (5, 1), *product([6, 5], [2, 3, 5])], 2)
)
def test_plays_under_all_rules(piles: int, passes: int | None) -> None:
    options = TourInfernaleOptions(piles=piles, passes=passes, information="memory" if piles == 5 else "open")
    played = play(quick(options), GAME, options, DEALS[:4])  # an illegal move raises
    assert passes == 1 or played.outcomes["won"].all()


@pytest.mark.parametrize("passes", [1, None])
def test_draws_within_a_few_moves(passes: int | None) -> None:
    """Tableau moves can be undone for ever; a plan never goes round in them."""
    options = TourInfernaleOptions(passes=passes)
    agent, engine = quick(options), Engine(GAME, options, 1)
    for deal in DEALS[:4]:
        engine.deal_numbers([deal])
        since_draw, stock_size = 0, STOCK_SIZE
        while engine.states.stock_size[0] > 0:
            engine.step(agent.act(engine.buffers.observations, engine.buffers.action_masks))
            since_draw = since_draw + 1 if engine.states.stock_size[0] == stock_size else 0
            stock_size = int(engine.states.stock_size[0])
            assert since_draw < 60


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (ONE_PASS, "17 won, 940 points, 5739 moves, 1d7c5d6c"),
        (TourInfernaleOptions(), "20 won, 1040 points, 2737 moves, be1237f0"),
    ],
    ids=str,
)
def test_plays_as_well_as_ever(options: TourInfernaleOptions, expected: str) -> None:
    assert played_as(quick(options), GAME, options, DEALS[:20]) == expected


def test_tells_moves_where_few_count() -> None:
    options = TourInfernaleOptions()
    engine = Engine(GAME, options, 1)
    engine.deal_numbers([7])
    row, mask = engine.buffers.observations[0], engine.buffers.action_masks[0]
    for agent in (find_agent("best", GAME, options), find_agent("planner", GAME, options)):
        judged: Any = agent.action_values(row, mask, 16)
        assert judged.unit == "moves"
        assert -150 < np.nanmax(judged.means) < -120


@pytest.mark.slow
def test_sprints() -> None:
    options: Options = make_options(SPRINT.options, {"budget": 300})
    played = play(find_agent("planner", SPRINT, options), SPRINT, options, DEALS[:3])
    assert (played.outcomes["score"] >= 1).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "column", "better"),
    [(TourInfernaleOptions(passes=1, piles=5), "won", 0.05), (TourInfernaleOptions(), "moves", -2)],
    ids=str,
)
def test_is_stronger_than_the_agent_that_guides_it(options: TourInfernaleOptions, column: str, better: float) -> None:
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 200, dtype=np.uint64)
    best, planner = (
        play(find_agent(name, GAME, options), GAME, options, deals).column(column).mean()
        for name in ("best", "planner")
    )
    assert (planner - best) / better > 1
