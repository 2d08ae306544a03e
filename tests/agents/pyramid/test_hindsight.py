"""Ratings by hindsight against the solver, asked for each move by itself."""

from typing import Any

import numpy as np
import pytest

from solitaire_agents.pyramid.hindsight import PATIENCE, TAUGHT, HindsightAgent, Points, rate_moves
from solitaire_agents.pyramid.planner import POINTS
from solitaire_agents.pyramid.position import from_state, imagine
from solitaire_agents.pyramid.solver.api import new_memory, solve
from solitaire_agents.uniform import UniformAgent
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import DRAW, GAME, REDEAL, PyramidOptions
from solitaire_evaluation.play import play
from tests.agents.pyramid.test_planner import MEMORY
from tests.agents.strength import played_as


def positions(options: PyramidOptions, moves: int) -> Engine:
    """Plays some games so far by the best moves, some by any."""
    engine, count = Engine(GAME, options, 16), moves
    engine.deal_numbers(np.arange(2**41, 2**41 + 16, dtype=np.uint64))
    good, poor = HindsightAgent(options, max_nodes=200), UniformAgent()
    for _ in range(count):
        seen = engine.buffers.observations, engine.buffers.action_masks
        legal = seen[1].any(axis=1)
        actions = np.full(16, -1)
        for agent, rows in ((good, slice(0, 12)), (poor, slice(12, 16))):
            chosen = np.arange(16)[rows][legal[rows]]
            if len(chosen):
                actions[chosen] = agent.act(seen[0][chosen], seen[1][chosen])
        engine.step(actions)
    return engine


def rated(options: PyramidOptions, moves: int, points: Points = TAUGHT) -> list[tuple[Any, float]]:
    """Returns (the state after an action, its rating) for all legal actions of some positions."""
    engine = positions(options, moves)
    observations, masks = engine.buffers.observations.copy(), engine.buffers.action_masks.copy()
    if points is TAUGHT:
        ratings = HindsightAgent(options, max_nodes=1_000_000).rate(observations, masks)
        ratings[:, [DRAW, REDEAL]] /= PATIENCE[options.objective]
    else:
        ratings = rate_moves(*imagine(observations), masks, options, 4_000_000, new_memory(8), points)
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
        best = solve(after.deck.tolist(), goal=goal, position=from_state(after), memory=MEMORY)
        assert rating == pytest.approx(float(best.status == "solved"))
    assert {round(rating) for _, rating in found} == {0, 1}


def test_a_redeal_costs_a_pass() -> None:
    """All is drawn and nothing discarded: after the redeal there is one pass to do it in, and seldom does it do."""
    options = PyramidOptions(information="open", objective="win", goal="pyramid", passes=2)
    engine = Engine(GAME, options, 1000)
    engine.deal_numbers(np.arange(2**41, 2**41 + 1000, dtype=np.uint64))
    for _ in range(24):
        engine.step(np.full(1000, DRAW))
    agent = HindsightAgent(options, max_nodes=1_000_000)
    ratings = agent.rate(engine.buffers.observations, engine.buffers.action_masks)[:, REDEAL]
    one_pass = [solve(state.deck.tolist(), goal="pyramid", passes=1, memory=MEMORY).status for state in engine.states]
    assert ((ratings > 0) == (np.array(one_pass) == "solved")).all()


@pytest.mark.parametrize("moves", [1, 25, 45])
@pytest.mark.parametrize("points", [TAUGHT, POINTS])
def test_for_the_score_an_earlier_clearing_is_worth_more(moves: int, points: Points) -> None:
    """And that no card is left after pass 2, if that counts."""
    found, gone_at_last = rated(PyramidOptions(information="open"), moves, points), 0
    for after, rating in found:
        gain, position = 0, from_state(after)
        for last in range(after.current_pass, 4):
            best = solve(after.deck.tolist(), goal="pyramid", passes=last, position=position, memory=MEMORY)
            gain += points.cleared[last - 1] if best.status == "solved" else 0
        if after.current_pass <= 2:
            best = solve(after.deck.tolist(), passes=2, position=position, memory=MEMORY)
            gain += points.all_gone if best.status == "solved" else 0
            gone_at_last += best.status == "solved"
        assert gain / points.most - 1e-6 <= rating <= (gain + 8 * (after.pyramid == 0)) / points.most + 1e-6
    assert len({round(float(rating), 3) for _, rating in found}) > 2
    assert gone_at_last or moves > 1


def test_of_equals_it_prefers_a_discard() -> None:
    """Were a draw worth as much, it would be taken, for it comes first."""
    options = PyramidOptions(information="open", objective="win")
    engine = positions(options, 1)
    observations, masks = engine.buffers.observations, engine.buffers.action_masks
    ratings = HindsightAgent(options, max_nodes=1_000_000).rate(observations, masks)
    equal = (ratings[:, DRAW] > 0) & (ratings.max(axis=1) == 1)
    assert equal.sum() >= 3
    assert (ratings[equal, DRAW] == np.float32(0.85)).all()
    assert (HindsightAgent(options, max_nodes=1_000_000).act(observations, masks)[equal] != DRAW).all()


@pytest.mark.parametrize(
    ("objective", "expected"),
    [("win", "28 won, 112 points, 2373 moves, 3d0aa584"), ("score", "21 won, 447 points, 2255 moves, c94a56a2")],
)
def test_plays_as_well_as_ever(objective: Any, expected: str) -> None:
    """With few nodes, so that what it makes of positions left open counts as well."""
    options = PyramidOptions(objective=objective)
    deals = np.arange(2**41, 2**41 + 40, dtype=np.uint64)
    assert played_as(HindsightAgent(options, max_nodes=30), GAME, options, deals) == expected


def test_it_wins_what_can_be_won() -> None:
    options, deals = PyramidOptions(objective="win"), np.arange(2**41, 2**41 + 30, dtype=np.uint64)
    won = play(HindsightAgent(options, max_nodes=1_000_000), GAME, options, deals).column("won")
    engine = Engine(GAME, options, len(deals))
    engine.deal_numbers(deals)
    best = [solve(state.deck.tolist(), memory=MEMORY).status == "solved" for state in engine.states]
    assert won.tolist() == best


def test_expects_the_order_of_the_stock() -> None:
    engine = Engine(GAME, PyramidOptions(), 1)
    engine.deal_numbers([0])
    with pytest.raises(ValueError, match="expected observations that show the order of the stock"):
        HindsightAgent(PyramidOptions()).rate(engine.buffers.observations, engine.buffers.action_masks)
