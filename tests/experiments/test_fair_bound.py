"""The experiment about the bound on fair players of Pyramid goes on where it was stopped."""

from pathlib import Path

import numpy as np
import pytest
from experiments.fair_bound import measure, read_rows

from solitaire_envs.pyramid import PyramidOptions

LOST = np.array([1_000_001, 1_000_013], np.uint64)
"""Deals that are lost at once, so they take no time."""


def test_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    path, options = tmp_path / "rows.csv", PyramidOptions(objective="win", passes=1)
    measure(LOST[:1], options, 2, path)
    whole = path.read_text()
    path.write_text(f"{whole}1 passes; pairs")
    rows = measure(LOST, options, 2, path)
    assert path.read_text().startswith(whole)
    assert rows[:, :3].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert measure(LOST, options, 2, path).tolist() == rows.tolist()
    with pytest.raises(ValueError, match="^expected .*rows.csv to have rows of 1 passes; .*, hidden=3$"):
        read_rows(path, "1 passes; pairs True; all", 3)
