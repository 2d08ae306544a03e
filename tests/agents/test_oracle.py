"""Perfect play with the stock open."""

from typing import Any

import numpy as np
import pytest

import solitaire_seeds
from solitaire_agents.catalogue import find_agent, labels_of
from solitaire_agents.kit import Status, dealt
from solitaire_agents.pyramid.solver.api import solve_many
from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.catalogue import GAMES
from solitaire_envs.deals import read_label_file
from solitaire_envs.game import make_options
from solitaire_evaluation.play import play
from tests.environments import few

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


@pytest.mark.parametrize("name", ["klondike", "tour_infernale", "pyramid", "golf"])
def test_asks_to_see_hidden_cards(name: str) -> None:
    game, options = GAMES[name], make_options(GAMES[name].options, {"passes": 1} if name == "tour_infernale" else {})
    oracle = find_agent("oracle", game, options)
    assert not oracle.fair
    oracle.fair = True  # so it is shown only what a fair player sees
    with pytest.raises(ValueError, match="information='open'"):
        play(oracle, game, options, DEALS[:2])


@pytest.mark.parametrize("name", few(["freecell", "golf"]))
def test_declared_games_are_won_where_their_labels_say(name: str) -> None:
    game, options = GAMES[name], GAMES[name].options()
    oracle, file = find_agent("oracle", game, options), labels_of(game).file(options)
    assert oracle.fair == (name == "freecell")
    assert file is not None
    deals = DEALS[:12]
    labels = read_label_file(file)["winnable"][: len(deals)]
    won = play(oracle, game, options, deals).outcomes["won"]
    assert won[labels != Status.UNKNOWN].tolist() == (labels == Status.SOLVED)[labels != Status.UNKNOWN].tolist()
    assert won.any()


def test_without_a_line_a_rule_plays() -> None:
    game, options = GAMES["golf"], GAMES["golf"].options()
    labels = read_label_file(labels_of(game).file(options) or LABELS)
    lost = labels["deal"][labels["winnable"] == Status.IMPOSSIBLE][:8]
    by_rule, by_oracle = (play(find_agent(name, game, options), game, options, lost) for name in ("greedy", "oracle"))
    assert by_oracle.outcomes["score"].tolist() == by_rule.outcomes["score"].tolist()
