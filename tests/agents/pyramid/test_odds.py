"""What the odds are counted from agrees with the labels and with one question at a time."""

import numpy as np

from solitaire_agents.pyramid.odds import PyramidOdds, PyramidScores
from solitaire_agents.pyramid.solver.api import STATUSES, solve_many
from solitaire_agents.pyramid.solving import PyramidLabels
from solitaire_envs.cards import decks_of_deals

DEALS = np.arange(1_000_000_000, 1_000_000_030, dtype=np.uint64)


def test_odds_and_scores_are_those_of_the_labels() -> None:
    labels, odds, scores = (table.label(DEALS) for table in (PyramidLabels(), PyramidOdds(), PyramidScores()))
    assert (odds[:, 1] == labels[:, 2]).all()
    assert (odds[:, 2] == labels[:, 1]).all()
    assert (scores[:, 1] == labels[:, 3]).all()


def test_the_odds_without_pairs_of_stock_and_waste() -> None:
    odds = PyramidOdds().label(DEALS)
    for column, goal in ((3, "pyramid"), (4, "all")):
        for passes in (1, 2, 3):
            found = solve_many(decks_of_deals(DEALS), goal=goal, passes=passes, stock_waste_pairs=False)  # type: ignore[arg-type]
            solved = found[:, 0] == STATUSES.index("solved")
            assert (solved == ((odds[:, column] > 0) & (odds[:, column] <= passes))).all()
