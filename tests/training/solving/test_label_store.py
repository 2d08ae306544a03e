"""Lists of deals as tables of labels."""

import os
from copy import copy
from pathlib import Path

import numpy as np
import pytest

from solitaire_agents.catalogue import labels_of
from solitaire_agents.files import locked
from solitaire_envs import pyramid, tour_infernale
from solitaire_evaluation.pool import ThisMachine
from solitaire_evaluation.solving.label_store import read_labels, summary_text, write_labels

DEALS = np.arange(12, dtype=np.uint64)
PYRAMID, TOUR = labels_of(pyramid.GAME), labels_of(tour_infernale.GAME)


def test_labels_agree_with_one_another_and_go_on_after_a_stop(tmp_path: Path) -> None:
    path, whole = tmp_path / "labels.csv", tmp_path / "whole.csv"
    assert write_labels(path, DEALS[:5], PYRAMID) == 5
    counts: list[int] = []
    assert write_labels(path, DEALS, PYRAMID, progress=counts.append) == 7
    assert counts == [5, 7]
    write_labels(whole, DEALS, PYRAMID)
    assert path.read_bytes() == whole.read_bytes()
    rows = read_labels(path, PYRAMID)
    assert rows[:, 0].tolist() == DEALS.tolist()
    for _, winnable_in, clearable_in, best_score, nodes in rows.tolist():
        assert nodes >= 0
        assert best_score >= 20 - 24 if clearable_in else best_score < 0
        assert not winnable_in or 0 < clearable_in <= winnable_in


def test_a_second_writer_is_told_who_is_there(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    write_labels(path, DEALS[:5], PYRAMID)
    with locked(path), pytest.raises(ValueError, match=f"to be free for writing, got it held by process {os.getpid()}"):
        write_labels(path, DEALS, PYRAMID)
    assert len(read_labels(path, PYRAMID)) == 5


def test_processes_change_nothing(tmp_path: Path) -> None:
    labels = copy(PYRAMID)
    labels.chunk = 2
    for jobs in (1, 2):
        assert write_labels(tmp_path / f"{jobs}.csv", DEALS[:5], labels, ThisMachine(jobs)) == 5
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()


def test_labels_of_other_deals_stay(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "labels.csv"
    write_labels(path, DEALS[4:6], PYRAMID)
    write_labels(path, DEALS[:2], PYRAMID)
    write_labels(path, np.array([2**63], dtype=np.uint64), PYRAMID)
    assert read_labels(path, PYRAMID)[:, 0].astype(np.uint64).tolist() == [0, 1, 4, 5, 2**63]
    assert write_labels(path, np.array([2**63, 4], dtype=np.uint64), PYRAMID) == 0


def test_la_tour_infernale(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    write_labels(path, DEALS[:4], TOUR)
    rows = read_labels(path, TOUR)
    assert rows[:, 1].tolist() == [1, 1, 1, 1]
    assert "winnable: 100.0 % (51.0 to 100.0 %)" in summary_text(TOUR, rows)
    with pytest.raises(ValueError, match="expected columns deal, winnable_in"):
        read_labels(path, PYRAMID)


def test_a_summary_has_shares_and_means() -> None:
    rows = np.array([[0, 1, 1, 30, 5], [1, 0, 3, 10, 5], [2, 3, 2, 20, 5], [3, 0, 0, -40, 5]], np.int64)
    lines = summary_text(PYRAMID, rows).splitlines()
    assert [line.partition(" (")[0] for line in lines] == [
        "winnable in 3 passes or fewer: 50.0 %",
        "winnable in 2 passes or fewer: 25.0 %",
        "winnable in 1 passes or fewer: 25.0 %",
        "clearable in 3 passes or fewer: 75.0 %",
        "clearable in 2 passes or fewer: 50.0 %",
        "clearable in 1 passes or fewer: 25.0 %",
        "best score, mean: 5.00",
    ]
