"""The tables in the terminal."""

import pytest

from solitaire_training.commands.main import main
from solitaire_training.evaluation.store import to_records
from solitaire_training.report.tables import difference_grid, make_tables, metric_grid
from tests.training.comparing import DEALS, compared


def test_agents_that_are_not_fair_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--agents", "careful,oracle", "--deals", "20", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    assert "oracle*" in printed
    assert "careful*" not in printed


def test_a_table_of_metrics_and_one_of_differences() -> None:
    found = compared(deals=DEALS[:12], baseline="careful")
    metrics, differences = make_tables(found)
    assert metrics.title == "solitaire/Pyramid-v0, 12 deals"
    assert differences.title == "difference from careful"
    grid = metric_grid(found.metrics, found.agents, 12)
    assert [row[0] for row in grid.rows] == ["uniform", "careful"]
    assert all("±" in cell for row in grid.rows for cell in row[1:-1])
    ((agent, *cells),) = difference_grid(found.differences).rows
    assert agent == "uniform"
    assert all(cell[0] in "+-" for cell in cells[::2])


def test_cells_have_half_the_interval_and_corrected_p_values() -> None:
    found = compared(agents="uniform,careful,pyramid-first", deals=DEALS[:40], baseline="careful")
    won = next(row for row in to_records(found.metrics) if (row["agent"], row["metric"]) == ("careful", "won"))
    grid = metric_grid(found.metrics, found.agents, 40)
    cells = dict(zip(grid.columns, grid.rows[1], strict=True))
    assert cells["won"] == f"{100 * won['value']:.1f} ± {50 * (won['high'] - won['low']):.1f} %"
    row = next(row for row in to_records(found.differences) if row["metric"] == "won" and row["agent"] == "uniform")
    assert row["p_holm"] > row["p_value"] > 0.001
    differences = difference_grid(found.differences)
    cells = dict(zip(differences.columns, differences.rows[0], strict=True))
    half = 50 * (row["high"] - row["low"])
    assert (cells["won"], cells["p (won)"]) == (f"{100 * row['value']:+.1f} ± {half:.1f} %", f"{row['p_holm']:.3f}")
