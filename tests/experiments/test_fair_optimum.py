"""The experiment about the optimum of fair play in Golf goes on where it was stopped."""

from pathlib import Path

import pytest
from experiments.fair_optimum import measure, read_rows


def test_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    measure([3], 16, path)
    whole = path.read_text()
    path.write_text(f"{whole}1,16,0.")
    measure([3, 0], 16, path)
    assert path.read_text().startswith(whole)
    assert {deal: bound for deal, (_, bound, _) in read_rows(path).items()} == {3: 1, 0: 0}
    with pytest.raises(ValueError, match="^expected .*rows.csv to have rows with told=8$"):
        measure([1], 8, path)
    path.write_text("deal,bound\n")
    with pytest.raises(ValueError, match="^expected .*rows.csv to have columns deal, told, bound, seconds$"):
        read_rows(path)
