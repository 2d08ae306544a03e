"""The tables in the terminal."""

import re

import pytest

from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.report.tables import leading, make_tables, metric_grid
from solitaire_evaluation.report.text import Grid
from solitaire_evaluation.store import to_records
from solitaire_training.commands.main import main
from tests.training.comparing import DEALS, TOUR, compared

CELL = r"-?[\d.]+ \[-?[\d.]+, -?[\d.]+\]"


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
    assert list(metrics.grid.columns[:5]) == ["agent", "won, %", "score", "regret", "winnable won, %"]
    assert metrics.grid.columns[-1] == "deals/s"
    assert [row[0] for row in metrics.grid.rows] == ["uniform", "careful"]
    assert all(re.fullmatch(CELL, cell) for row in metrics.grid.rows for cell in row[1:-1])
    assert list(differences.grid.columns[:5]) == ["agent", "won, %", "p", "score", "p"]
    ((agent, *cells),) = differences.grid.rows
    assert agent == "uniform"
    assert all(cell[0] in "+-" and re.fullmatch(CELL, cell[1:]) for cell in cells[::2])


def test_cells_have_the_interval_and_corrected_p_values() -> None:
    found = compared(agents="uniform,careful,pyramid-first", deals=DEALS[:40], baseline="careful")
    metrics, differences = make_tables(found)
    won = next(row for row in to_records(found.metrics) if (row["agent"], row["metric"]) == ("careful", "won"))
    assert metrics.grid.rows[1][1] == f"{100 * won['value']:.1f} [{100 * won['low']:.1f}, {100 * won['high']:.1f}]"
    row = next(row for row in to_records(found.differences) if row["metric"] == "won" and row["agent"] == "uniform")
    assert row["p_holm"] > row["p_value"] > 0.001
    value = f"{100 * row['value']:+.1f} [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
    assert differences.grid.rows[0][1:3] == [value, f"{row['p_holm']:.3f}"]


def test_no_deal_won_of_fifty_has_an_interval_of_its_own() -> None:
    """Wilson's interval does not lie about the share: half its width, as ±, said nothing true."""
    grid = metric_grid_of("uniform", deals=50)
    assert dict(zip(grid.columns, grid.rows[0], strict=True))["won, %"] == "0.0 [0.0, 7.1]"


def metric_grid_of(agent: str, deals: int) -> Grid:
    found = compared(agents=agent, deals=DEALS[:deals])
    return metric_grid(found.metrics, found.agents, deals)


def test_the_aim_stands_second() -> None:
    found = compared(agents="thrifty", env_specs=[make_env_spec(TOUR, {})], deals=DEALS[:4])
    (table,) = make_tables(found)
    assert list(table.grid.columns[:3]) == ["agent", "won, %", "winnable won, %"]
    assert list(leading(table).columns) == [*table.grid.columns[:5], "deals/s"]
