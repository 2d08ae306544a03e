"""Each game's solver: which rules it knows, and its verdicts on games in play."""

import dataclasses
import pickle
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import solitaire_seeds
from solitaire_agents.catalogue import labels_of, solver_of
from solitaire_agents.kit import Status
from solitaire_envs import pyramid, series, tour_infernale
from solitaire_envs.deals import read_label_file
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game

GAMES = [pyramid.GAME, tour_infernale.GAME]
NOT_SHARED: dict[str, Any] = {"pyramid": {"stock_waste_pairs": False}, "tour_infernale": {"piles": 5}}


def dealt(game: Game, options: Any, deal: int) -> Engine:
    engine = Engine(game, options, 1)
    engine.deal_numbers([deal])
    return engine


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_solver_knows_its_game_and_no_series_of_it(game: Game) -> None:
    solver = solver_of(game)
    solver.check(game.options())
    assert solver is solver_of(game)
    for one in (series.PAR, series.SPRINT):
        with pytest.raises(ValueError, match=f"expected a game with a solver, one of .*; got '{one.name}'"):
            solver_of(one)
    for other in GAMES:
        if other is not game:
            with pytest.raises(ValueError, match="expected"):
                solver.check(dataclasses.replace(other.options(), passes=1, **NOT_SHARED[other.name]))


def follow(engine: Engine, actions: Sequence[int]) -> Engine:
    for action in actions:
        assert action in engine.legal_actions(0)
        engine.step(np.array([action]))
    return engine


@pytest.mark.parametrize("deal", range(8))
def test_verdicts_on_pyramid_along_a_line_of_the_best_score(deal: int) -> None:
    labels = read_label_file(solitaire_seeds.FOLDER / "pyramid-test.csv")
    solver, options = solver_of(pyramid.GAME), pyramid.PyramidOptions()
    best, engine = labels["best_score"][deal], dealt(pyramid.GAME, options, deal)
    first = solver.verdict(engine.states[0], options, lost=False)
    assert first is not None
    assert (first.status.answer, first.value) == (labels["winnable_in"][deal] > 0, best)
    end = follow(dealt(pyramid.GAME, options, deal), first.actions)
    assert end.outcome(0)["won"] if first.status.answer else end.outcome(0)["score"] == best
    for action in solver.solve(engine.states[0], options, goal="score").actions:
        verdict = solver.verdict(engine.states[0], options, lost=not first.status.answer)
        assert verdict is not None
        assert verdict.value == best
        assert first.status.answer or verdict.status is Status.IMPOSSIBLE
        follow(engine, [action])
    assert engine.outcome(0)["score"] == best


def test_no_verdict_where_the_game_may_end_before() -> None:
    solver = solver_of(pyramid.GAME)
    for options in (pyramid.PyramidOptions(goal="pyramid"), pyramid.PyramidOptions(max_moves=50)):
        assert solver.verdict(dealt(pyramid.GAME, options, 7).states[0], options, lost=False) is None


def test_verdicts_on_la_tour_infernale() -> None:
    solver, options = solver_of(tour_infernale.GAME), tour_infernale.TourInfernaleOptions(passes=1)
    engine = dealt(tour_infernale.GAME, options, 3)
    actions = solver.solve(engine.states[0], options).actions
    for number, action in enumerate(actions):
        follow(engine, [action])
        if not engine.states.ended[0]:
            verdict = solver.verdict(engine.states[0], options, lost=False)
            assert verdict is not None
            assert verdict.status is not Status.IMPOSSIBLE
            assert verdict.value is None
            if number == len(actions) // 2:
                assert follow(deepcopy(engine), verdict.actions).outcome(0)["won"]
    assert engine.outcome(0)["won"]
    lost = solver.verdict(engine.states[0], options, lost=True)
    assert lost is not None
    assert lost.status is Status.IMPOSSIBLE
    endless = tour_infernale.TourInfernaleOptions()
    assert solver.verdict(engine.states[0], endless, lost=False) is None


def test_no_verdict_of_la_tour_infernale_where_the_line_found_is_too_long() -> None:
    """A shorter one may be left."""
    solver, options = solver_of(tour_infernale.GAME), tour_infernale.TourInfernaleOptions(passes=1)
    state = dealt(tour_infernale.GAME, options, 7).states[0]
    found = solver.verdict(state, options, lost=False)
    assert found is not None
    for most, winnable in ((len(found.actions), True), (len(found.actions) - 1, None)):
        verdict = solver.verdict(state, dataclasses.replace(options, max_moves=most), lost=False)
        assert verdict is not None
        assert verdict.status.answer is winnable
        assert bool(verdict.actions) is bool(winnable)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_labels_go_to_other_processes(game: Game) -> None:
    labels = labels_of(game)
    again = pickle.loads(pickle.dumps(labels.label))
    deals = np.arange(2, dtype=np.uint64)
    assert again(deals).tolist() == labels.label(deals).tolist()
    assert labels.label(deals).shape == (2, len(labels.columns))
