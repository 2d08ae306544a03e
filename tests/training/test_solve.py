"""The exact solver as commands: one deal with its line of play, lists of deals as labels."""

import json
from pathlib import Path

import numpy as np
import pytest

from solitaire_envs.cards import deck_of_deal, deck_text
from solitaire_envs.pyramid import PyramidOptions
from solitaire_envs.tour_infernale import TourInfernaleOptions
from solitaire_envs.transcript import parse_transcript
from solitaire_training.commands.main import main
from solitaire_training.solving.solve import LABELS, label_deals, labels_text, last_position, read_labels, solve_deal

DEALS = np.arange(12, dtype=np.uint64)


@pytest.mark.parametrize("goal", ["all", "pyramid", "score", "shortest-all", "shortest-pyramid"])
def test_solutions_replay_to_what_they_claim(goal: str) -> None:
    seen = set()
    for deal in DEALS[:6].tolist():
        answer = solve_deal(deal, deck_of_deal(deal), goal, PyramidOptions())
        seen.add(answer.status)
        if answer.transcript is None:
            assert answer.status == "impossible"
            continue
        outcome = last_position(parse_transcript(answer.transcript.to_text())).outcome(0)
        assert outcome["cleared"] or goal == "score"
        assert outcome["won"] or goal not in ("all", "shortest-all")
        if goal == "score":
            assert answer.value == outcome["score"]
        elif goal.startswith("shortest"):
            assert answer.value == outcome["moves"]
    assert "solved" in seen


def test_a_limit_gives_unknown_never_a_guess() -> None:
    statuses = {solve_deal(d, deck_of_deal(d), "all", PyramidOptions(), 1).status for d in DEALS.tolist()}
    assert "unknown" in statuses


def test_wrong_goal() -> None:
    with pytest.raises(ValueError, match="expected a goal among all, pyramid, score"):
        solve_deal(0, deck_of_deal(0), "best", PyramidOptions())
    with pytest.raises(ValueError, match="expected a goal among all; got 'score'"):
        solve_deal(0, deck_of_deal(0), "score", TourInfernaleOptions())


def test_la_tour_infernale_solved_and_labelled(tmp_path: Path) -> None:
    answer = solve_deal(3, deck_of_deal(3), "all", TourInfernaleOptions(passes=1))
    assert answer.transcript is not None
    assert last_position(parse_transcript(answer.transcript.to_text())).outcome(0)["won"]
    path = tmp_path / "labels.csv"
    label_deals(path, DEALS[:4], jobs=1, game_name="tour_infernale")
    rows = read_labels(path, "tour_infernale")
    assert [row[1] for row in rows.values()] == [1, 1, 1, 1]
    assert "winnable: 100.0 %" in labels_text(rows, "tour_infernale")
    with pytest.raises(ValueError, match="expected columns deal, winnable_in"):
        read_labels(path)


def test_labels_agree_with_one_another_and_go_on_after_a_stop(tmp_path: Path) -> None:
    path, whole = tmp_path / "labels.csv", tmp_path / "whole.csv"
    assert label_deals(path, DEALS[:5], jobs=1) == 5
    assert label_deals(path, DEALS, jobs=1) == 7
    label_deals(whole, DEALS, jobs=1)
    assert path.read_bytes() == whole.read_bytes()
    for deal, (number, winnable_in, clearable_in, best_score, nodes) in read_labels(path).items():
        assert number == deal
        assert nodes >= 0
        assert best_score >= 20 - 24 if clearable_in else best_score < 0
        assert not winnable_in or 0 < clearable_in <= winnable_in


def test_labels_of_other_deals_stay(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "labels.csv"
    label_deals(path, DEALS[4:6], jobs=1)
    label_deals(path, DEALS[:2], jobs=1)
    assert list(read_labels(path)) == [0, 1, 4, 5]
    with pytest.raises(ValueError, match=r"expected deal numbers below 2\*\*63"):
        label_deals(path, np.array([2**63], dtype=np.uint64), jobs=1)


@pytest.mark.parametrize("goal", ["all", "pyramid", "score"])
def test_a_line_is_replayed_whatever_the_game_counts_as_a_win(goal: str) -> None:
    answer = solve_deal(0, deck_of_deal(0), goal, PyramidOptions(goal="pyramid", max_moves=3))
    assert answer.transcript is not None
    assert last_position(answer.transcript).outcome(0)["cleared"]


def test_foreign_labels(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    for text in (
        "",
        "a,b\n1,2\n",
        ",".join(LABELS["pyramid"]) + "\n1,2\n",
        ",".join(LABELS["pyramid"]) + "\n1,2,3,4,x\n",
        "\xff",
    ):
        path.write_text(text, encoding="latin-1")
        with pytest.raises(ValueError, match="expected a table of labels"):
            read_labels(path)


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--deal", "7", "--goal", "all", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "solved"
    assert main(["solve", "--deck", deck_text(deck_of_deal(7))]) == 0
    assert "deck: " in capsys.readouterr().out
    assert main(["solve", "--deal", "7", "--goal", "x"]) == 2
    assert main(["solve", "--deck", "QH QH"]) == 2
    assert main(["label", "--count", "0", "--out", str(tmp_path / "l.csv")]) == 2
    assert main(["label", "--count", "3", "--jobs", "1", "--out", str(tmp_path / "l.csv")]) == 0
    assert "winnable in 3 passes or fewer" in capsys.readouterr().out
