"""Learning curves on disk."""

import json
import math
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from solitaire_evaluation.learning_curve import EVALUATIONS, append_evaluation, load_curve, read_evaluations
from solitaire_evaluation.play import Played
from solitaire_evaluation.statistics import mean, share


def test_learning_curves_are_kept(trained: Path) -> None:
    points = read_evaluations(trained / "p1")
    assert [point["steps"] for point in points] == [128, 256, 384, 512]
    assert all(point["seconds"] >= 0 for point in points)
    assert points[0]["deals"] == 8
    assert points[0]["metrics"]["score"]["low"] <= points[0]["metrics"]["score"]["value"]
    with (trained / "p1" / EVALUATIONS).open("a") as file:
        file.write('{"steps": 64')
    assert len(read_evaluations(trained / "p1")) == 4
    assert read_evaluations(trained / "nowhere") == []


def test_shares_have_the_intervals_of_shares(tmp_path: Path) -> None:
    outcomes = np.array([(True, 20.0), (False, -4.0), (False, -10.0)], dtype=[("won", np.bool_), ("score", "f8")])
    metrics = append_evaluation(tmp_path, 64, 2.345, Played(outcomes, 1.0))
    assert metrics == {"won": asdict(share(np.array([1.0, 0, 0]))), "score": asdict(mean(np.array([20.0, -4, -10])))}
    assert read_evaluations(tmp_path) == [{"steps": 64, "seconds": 2.3, "deals": 3, "metrics": metrics}]


def test_a_learning_curve_as_a_table(tmp_path: Path) -> None:
    outcomes = np.array([(True, 20.0), (False, -4.0), (False, -10.0)], dtype=[("won", np.bool_), ("score", "f8")])
    for steps in (64, 128):
        append_evaluation(tmp_path, steps, 2.345, Played(outcomes, 1.0))
    table = load_curve(tmp_path)
    assert list(table) == ["run", "steps", "seconds", "deals", "metric", "value", "low", "high"]
    assert table[["steps", "metric"]].to_numpy().tolist() == [
        [steps, metric] for steps in (64, 128) for metric in ("won", "score")
    ]
    won = table.query("steps == 64 and metric == 'won'").iloc[0]
    assert (won["run"], won["deals"], won["value"]) == (tmp_path.name, 3, 1 / 3)
    assert won["low"] < won["value"] < won["high"]
    with pytest.raises(ValueError, match="expected the folder of a run, with a learning curve, got .*nowhere"):
        load_curve(tmp_path / "nowhere")


def test_the_later_of_two_evaluations_counts(tmp_path: Path) -> None:
    lines = [{"steps": 2, "metrics": {"won": 1}}, {"steps": 1, "metrics": {"won": 2}}, {"steps": 1, "metrics": {}}]
    lines += [{"steps": 3}, {"steps": math.inf, "metrics": {}}]
    (tmp_path / EVALUATIONS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = [(point["steps"], point["metrics"]) for point in read_evaluations(tmp_path)]
    assert found == [(1, {}), (2, {"won": 1})]
