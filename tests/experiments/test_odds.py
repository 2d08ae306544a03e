"""What the odds are counted from agrees with the labels and with one question at a time."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from experiments.odds import TABLES, add_counts, read_counts, total, tour_solver

from solitaire_agents.kit import Solved, Status, dealt
from solitaire_agents.pyramid.solver.api import solve_many
from solitaire_agents.pyramid.solving import PyramidLabels
from solitaire_envs import pyramid
from solitaire_envs.pyramid import PyramidOptions
from solitaire_envs.tour_infernale import TourInfernaleOptions

DEALS = np.arange(1_000_000_000, 1_000_000_030, dtype=np.uint64)
PYRAMID, SCORES, TOUR = TABLES.values()
SCRIPT = Path(__file__).parents[2] / "experiments" / "odds.py"


def test_odds_and_scores_are_those_of_the_labels() -> None:
    labels, odds, scores = (table.label(DEALS) for table in (PyramidLabels(), PYRAMID, SCORES))
    assert (odds[:, 1] == labels[:, 2]).all()
    assert (odds[:, 2] == labels[:, 1]).all()
    assert (scores[:, 1] == labels[:, 3]).all()


def test_the_odds_without_pairs_of_stock_and_waste() -> None:
    odds = PYRAMID.label(DEALS)
    for column, goal in ((3, "pyramid"), (4, "all")):
        for passes in (1, 2, 3):
            options = PyramidOptions(goal=goal, passes=passes, stock_waste_pairs=False)  # type: ignore[arg-type]
            solved = solve_many(dealt(pyramid.GAME, options, DEALS), options)[:, 0] == Status.SOLVED
            assert (solved == ((odds[:, column] > 0) & (odds[:, column] <= passes))).all()


@pytest.mark.parametrize(
    ("won", "answers"),
    [
        ((5, 1), [1, 1, 1, 1]),
        ((5, 2), [-1, 1, 0, 1]),
        ((6, 1), [-1, -1, 1, 1]),
        ((6, 2), [-1, -1, 0, 1]),
        (None, [-1, -1, 0, -1]),
    ],
)
def test_a_win_of_a_harder_game_is_a_win(
    won: tuple[int, int] | None, answers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(state: object, options: TourInfernaleOptions, **rest: object) -> Solved:
        rule = options.piles, options.passes
        return Solved(
            Status.SOLVED if rule == won else Status.IMPOSSIBLE if rule == (6, 1) else Status.UNKNOWN, None, 1
        )

    monkeypatch.setattr(tour_solver, "solve", answer)
    assert TOUR.label(DEALS[:1]).tolist() == [[DEALS[0], *answers]]


def test_counts_of_ranges_add_up_and_none_counts_twice(tmp_path: Path) -> None:
    path, rows = (
        tmp_path / "counts.csv",
        np.array([[0, Status.UNKNOWN, 1, 1, 1], [1, Status.SOLVED, 1, 1, 1], [2, Status.UNKNOWN, 1, 1, 1]]),
    )
    for part in (rows[:2], rows[2:], rows[:2]):
        add_counts(path, "tour_infernale odds", TOUR, part)
    assert total(read_counts(path), "tour_infernale odds")["five_piles_one_pass"] == {
        Status.UNKNOWN: 2,
        Status.SOLVED: 1,
    }
    assert total(read_counts(path), "pyramid odds") == {}
    assert TOUR.table(total(read_counts(path), "tour_infernale odds")).startswith("| of 3 deals |")


def test_the_script_counts_and_prints(tmp_path: Path) -> None:
    words = ["--table", "pyramid scores", "--count", "3", "--jobs", "1"]
    files = ["--counts", str(tmp_path / "counts.csv"), "--out", str(tmp_path / "deals.csv")]
    done = subprocess.run([sys.executable, SCRIPT, *words, *files], capture_output=True, text=True, check=True)
    best = SCORES.label(DEALS[:3])[:, 1]
    assert f"| mean | {best.mean():.2f} (" in done.stdout
