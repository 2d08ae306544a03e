"""Learning curves on disk."""

import json
from pathlib import Path

from solitaire_training.evaluation.learning_curve import EVALUATIONS, read_evaluations


def test_learning_curves_are_kept(trained: Path) -> None:
    points = read_evaluations(trained / "p1")
    assert [point["steps"] for point in points] == [128, 256, 384, 512]
    assert points[0]["deals"] == 8
    assert points[0]["metrics"]["score"]["low"] <= points[0]["metrics"]["score"]["value"]
    with (trained / "p1" / EVALUATIONS).open("a") as file:
        file.write('{"steps": 64')
    assert len(read_evaluations(trained / "p1")) == 4
    assert read_evaluations(trained / "nowhere") == []


def test_the_later_of_two_evaluations_counts_and_older_names_are_known(tmp_path: Path) -> None:
    lines = [{"steps": 2, "figures": {"won": 1}}, {"steps": 1, "metrics": {"won": 2}}, {"steps": 1, "metrics": {}}]
    (tmp_path / EVALUATIONS).write_text("".join(json.dumps(line) + "\n" for line in [*lines, {"steps": 3}]))
    found = [(point["steps"], point["metrics"]) for point in read_evaluations(tmp_path)]
    assert found == [(1, {}), (2, {"won": 1})]
