"""Ratings by hindsight against the solver, asked for each move by itself."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solitaire_agents.kit import Status
from solitaire_agents.pyramid.hindsight import NOTHING_CLEARED, TAUGHT, Points, Ratings, imagine_all, rate_moves
from solitaire_agents.pyramid.planner import IN_FEWER_PASSES, POINTS
from solitaire_agents.pyramid.solver.api import solve
from solitaire_agents.uniform import UniformAgent
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import GAME, PyramidOptions
from solitaire_envs.pyramid_table import DRAW, REDEAL
from tests.agents.pyramid.test_planner import MEMORY


def rate(options: PyramidOptions, engine: Engine, max_nodes: int = 1_000_000, points: Points = TAUGHT) -> Ratings:
    states = imagine_all(options, engine.buffers.observations, np.zeros((engine.num_envs, 0), np.int64))
    return rate_moves(states, engine.buffers.action_masks, options, max_nodes, MEMORY, points)


def can_win(state: Any, options: PyramidOptions) -> bool:
    return solve(state, options, memory=MEMORY).status is Status.SOLVED


def positions(options: PyramidOptions, moves: int) -> Engine:
    """Plays some games so far by the best moves, some by any."""
    engine, count = Engine(GAME, options, 16), moves
    engine.deal_numbers(np.arange(2**41, 2**41 + 16, dtype=np.uint64))
    for _ in range(count):
        masks = engine.buffers.action_masks
        actions = UniformAgent().act(engine.buffers.observations, masks)
        best = np.where(masks, rate(options, engine, 200), -1)[:12, ::-1].argmax(axis=1)  # of equals a discard
        actions[:12] = masks.shape[1] - 1 - best
        engine.step(np.where(masks.any(axis=1), actions, -1))
    return engine


def rated(options: PyramidOptions, moves: int, points: Points = TAUGHT) -> list[tuple[Any, float]]:
    """Returns (the state after an action, its rating) for all legal actions of some positions."""
    engine = positions(options, moves)
    masks = engine.buffers.action_masks.copy()
    ratings = rate(options, engine, 4_000_000, points)
    assert (ratings[~masks] == 0).all()
    before, found = engine.states.copy(), []
    for action in np.flatnonzero(masks.any(axis=0)):
        engine.states[:] = before
        engine.buffers.action_masks[:] = masks
        engine.step(np.full(16, action))
        found += [(engine.states[i].copy(), ratings[i, action]) for i in np.flatnonzero(masks[:, action])]
    return found


@pytest.mark.parametrize("goal", ["all", "pyramid"])
@pytest.mark.parametrize("moves", [1, 20, 40])
def test_a_move_is_worth_whether_the_game_can_still_be_won(goal: Any, moves: int) -> None:
    options = PyramidOptions(information="open", objective="win", goal=goal)
    found = rated(options, moves)
    for after, rating in found:
        assert rating == pytest.approx(float(can_win(after, options)))
    assert {round(rating) for _, rating in found} == {0, 1}


def test_a_redeal_costs_a_pass() -> None:
    """All is drawn and nothing discarded: after the redeal there is one pass to do it in, and seldom does it do."""
    options = PyramidOptions(information="open", objective="win", goal="pyramid", passes=2)
    engine = Engine(GAME, options, 1000)
    engine.deal_numbers(np.arange(2**41, 2**41 + 1000, dtype=np.uint64))
    for _ in range(24):
        engine.step(np.full(1000, DRAW))
    ratings = rate(options, engine)[:, REDEAL]
    engine.deal_numbers(np.arange(2**41, 2**41 + 1000, dtype=np.uint64))
    one_pass = [can_win(state, replace(options, passes=1)) for state in engine.states]
    assert ((ratings > 0) == one_pass).all()


@pytest.mark.parametrize("moves", [1, 25, 45])
@pytest.mark.parametrize("points", [TAUGHT, POINTS])
def test_for_the_score_an_earlier_clearing_is_worth_more(moves: int, points: Points) -> None:
    """And that no card is left after pass 2, if that counts."""
    found, gone_at_last = rated(PyramidOptions(information="open"), moves, points), 0
    for after, rating in found:
        gain = 0
        for last in range(after.current_pass, 4):
            cleared = can_win(after, PyramidOptions(goal="pyramid", passes=last))
            gain += points.cleared[last - 1] if cleared else 0
        if after.current_pass <= 2:
            gone = can_win(after, PyramidOptions(passes=2))
            gain += points.all_gone if gone else 0
            gone_at_last += gone
        assert gain / points.most - 1e-6 <= rating <= (gain + 8 * (after.pyramid == 0)) / points.most + 1e-6
    assert len({round(float(rating), 3) for _, rating in found}) > 2
    assert gone_at_last or moves > 1


@pytest.mark.parametrize("moves", [15, 25])
def test_in_one_pass_each_card_left_counts_once_the_pyramid_stays(moves: int) -> None:
    points, lost = IN_FEWER_PASSES[1], []
    for after, rating in rated(PyramidOptions(information="open", passes=1), moves, points):
        if not can_win(after, PyramidOptions(goal="pyramid", passes=1)):
            score = solve(after, PyramidOptions(passes=1), goal="score", memory=MEMORY).value
            assert score is not None
            lost.append(float(rating) * points.most + NOTHING_CLEARED)
            assert lost[-1] <= score + 1e-4
    assert len({round(score) for score in lost}) > 5
