"""What planners tell people of each move, and that telling changes nothing in their play."""

from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_agents.pyramid import planner
from solitaire_envs.catalogue import find_entry
from solitaire_envs.engine import Engine

ENVS = {
    "solitaire/Pyramid-v0": {"objective": "win"},
    "solitaire/TourInfernaleOnePass-v0": {"passes": 1},
    "solitaire/TourInfernale-v0": {},
    "solitaire/Klondike-v0": {},
}


def position(env: str, draws: int, name: str = "planner", **more: Any) -> tuple[Any, Engine]:
    game = find_entry(env).game
    options = game.options(**{**ENVS[env], **more})
    engine = Engine(game, options, 1)
    engine.deal_numbers([4])
    for _ in range(draws):
        engine.step(np.array([0]))
    return find_agent(name, game, options), engine


def action_values(agent: Any, engine: Engine, samples: int) -> Any:
    return agent.action_values(engine.buffers.observations[0], engine.buffers.action_masks[0], samples)


@pytest.mark.parametrize("env", ENVS)
@pytest.mark.parametrize("draws", [0, 10])
def test_legal_moves_are_judged_and_no_others(env: str, draws: int) -> None:
    agent, engine = position(env, draws)
    judged, legal = action_values(agent, engine, 32), engine.buffers.action_masks[0].copy()
    assert np.isnan(judged.means[~legal]).all()
    if env != "solitaire/Pyramid-v0":  # a tree leaves out moves that lead to none of its candidates
        legal &= ~np.isnan(judged.means)
    assert np.isfinite(judged.means[legal]).all()
    assert np.isfinite(judged.errors[legal]).all()
    assert legal.any()
    if judged.unit == "chance":
        assert ((judged.means[legal] >= 0) & (judged.means[legal] <= 1)).all()
    else:
        assert (judged.means[legal] < 0).all()


@pytest.mark.parametrize("env", ENVS)
def test_judging_changes_nothing_in_play(env: str) -> None:
    moves: list[list[int]] = []
    for judging in (False, True):
        agent, engine = position(env, 3)
        moves.append([])
        for _ in range(12):
            if judging:
                action_values(agent, engine, 8)
            moves[-1].append(int(agent.act(engine.buffers.observations, engine.buffers.action_masks)[0]))
            engine.step(np.array(moves[-1][-1:]))
    assert moves[0] == moves[1]


@pytest.mark.parametrize("env", ENVS)
def test_more_samples_agree_with_few_within_the_error(env: str) -> None:
    agent, engine = position(env, 6)
    few, many = action_values(agent, engine, 32), action_values(agent, engine, 512)
    legal = engine.buffers.action_masks[0] & ~np.isnan(few.means)
    room = {"chance": 0.25, "moves": 3}.get(few.unit, 0) + 1e-9
    assert (np.abs(few.means - many.means)[legal] <= 5 * few.errors[legal] + room).all()
    assert many.errors[legal].max() <= few.errors[legal].max()
    assert many.errors[legal].max() <= few.errors[legal].max()


def test_where_all_is_known_there_is_no_error() -> None:
    agent, engine = position("solitaire/Pyramid-v0", 24)
    engine.step(np.array([1]))
    assert np.nanmax(action_values(agent, engine, 16).errors) == 0


def test_once_all_is_known_the_solver_tells_the_chances_of_a_tree() -> None:
    agent, engine = position("solitaire/TourInfernale-v0", 0, passes=2, piles=5)
    rule = find_agent("greedy", engine.game, engine.options)
    while engine.states.current_pass[0] == 1 or engine.states.stock_size[0] > 5:
        engine.step(rule.choose(engine))
    judged = action_values(agent, engine, 8)
    told = ~np.isnan(judged.means)
    assert set(judged.means[told].tolist()) <= {0.0, 1.0}
    assert judged.errors[told].max() == 0


@pytest.mark.parametrize("passes", [1, 2])
def test_with_few_passes_hindsight_is_told_as_less(passes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    agent, engine = position("solitaire/Pyramid-v0", 6, passes=passes, goal="pyramid")
    told = action_values(agent, engine, 32)
    monkeypatch.setattr(planner, "CALIBRATIONS", {})
    hindsight = action_values(agent, engine, 32)
    between = (hindsight.means > 0) & (hindsight.means < 1)
    assert between.any()
    assert (told.means[between] < hindsight.means[between]).all()
    assert (told.errors[between] > 0).all()
    assert told.means[~between] == pytest.approx(hindsight.means[~between], nan_ok=True)


def test_others_do_not_judge() -> None:
    assert action_values(*position("solitaire/Pyramid-v0", 0, "careful"), 16) is None
