"""Perfect play with the stock open."""

from typing import Any

import numpy as np
import pytest

import solitaire_seeds
from solitaire_agents.catalogue import find_agent
from solitaire_agents.kit import Status, dealt
from solitaire_agents.pyramid.solver.api import solve_many
from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.deals import read_label_file
from solitaire_evaluation.play import play

DEALS = np.arange(60, dtype=np.uint64)
LABELS = solitaire_seeds.FOLDER / "pyramid-test.csv"


def test_reaches_the_best_score_of_every_deal() -> None:
    options = pyramid.PyramidOptions()
    oracle = find_agent("oracle", pyramid.GAME, options)
    assert not oracle.fair
    labels = read_label_file(LABELS)
    assert labels["deal"][: len(DEALS)].tolist() == DEALS.tolist()
    played = play(oracle, pyramid.GAME, options, DEALS)
    assert played.outcomes["score"].tolist() == labels["best_score"][: len(DEALS)].tolist()


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ({"objective": "win"}, "won"),
        ({"objective": "win", "passes": 2, "stock_waste_pairs": False}, "won"),
        ({"goal": "pyramid", "passes": 1}, "cleared"),
    ],
)
def test_wins_whatever_can_be_won(values: dict[str, Any], column: str) -> None:
    options = pyramid.PyramidOptions(**values)
    played = play(find_agent("oracle", pyramid.GAME, options), pyramid.GAME, options, DEALS)
    found = solve_many(dealt(pyramid.GAME, options, DEALS), options)
    assert played.outcomes[column].tolist() == (found[:, 0] == Status.SOLVED).tolist()


def test_where_no_win_is_left_it_plays_for_the_score() -> None:
    options, labels = pyramid.PyramidOptions(objective="win"), read_label_file(LABELS)
    lost = np.flatnonzero(labels["winnable_in"] == 0)[:4]
    played = play(find_agent("oracle", pyramid.GAME, options), pyramid.GAME, options, labels["deal"][lost])
    assert played.outcomes["score"].tolist() == labels["best_score"][lost].tolist()


def test_where_the_pyramid_is_enough_it_is_cleared_early_for_the_score() -> None:
    scores = {}
    for objective in ("win", "score"):
        options = pyramid.PyramidOptions(goal="pyramid", objective=objective)
        scores[objective] = play(find_agent("oracle", pyramid.GAME, options), pyramid.GAME, options, DEALS)
    assert scores["score"].column("score").mean() > scores["win"].column("score").mean() + 4
    assert scores["score"].column("won").mean() > scores["win"].column("won").mean() - 0.05


@pytest.mark.parametrize("values", [{"passes": 1}, {"passes": 2, "piles": 5}])
def test_la_tour_infernale_is_won(values: dict[str, Any]) -> None:
    options = tour_infernale.TourInfernaleOptions(**values)
    played = play(find_agent("oracle", tour_infernale.GAME, options), tour_infernale.GAME, options, DEALS[:8])
    assert played.outcomes["won"].all()


def test_asks_for_the_open_stock() -> None:
    oracle = find_agent("oracle", pyramid.GAME, pyramid.PyramidOptions())
    oracle.fair = True  # so it is shown only what a fair player sees
    with pytest.raises(ValueError, match="information='open'"):
        play(oracle, pyramid.GAME, pyramid.PyramidOptions(), DEALS)
