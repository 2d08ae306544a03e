"""Tables as text: what fits a width, and Markdown."""

import io

import pytest
from rich.console import Console

from solitaire_evaluation.report.text import GAP, Grid, break_name, fitted, print_grid, to_markdown

GRID = Grid(["agent", "won", "score", "moves"], [["careful", "1.0 [0.5, 2.0]", "-3.1", "50"], ["x", "9", "8", "7"]])


def text_of(grid: Grid, width: int) -> list[str]:
    output = io.StringIO()
    print_grid(grid, console=Console(file=output, width=width))
    return output.getvalue().splitlines()


@pytest.mark.parametrize(("width", "columns"), [(80, 4), (7 + 14 + 5 + 5 + 3 * GAP, 4), (36, 3), (29, 2), (10, 2)])
def test_leading_columns_that_fit(width: int, columns: int) -> None:
    grid, omitted = fitted(GRID, width)
    assert list(grid.columns) == list(GRID.columns[:columns])
    assert [len(row) for row in grid.rows] == [columns] * 2
    assert omitted == 4 - columns


@pytest.mark.parametrize("width", [24, 31, 38, 80])
def test_what_fits_is_printed_whole(width: int) -> None:
    grid, _ = fitted(GRID, width)
    lines = text_of(grid, width)
    assert max(len(line.rstrip()) for line in lines) <= width
    words = " ".join(lines).split()
    assert all(part in words for row in grid.rows for cell in row for part in cell.split())


def test_columns_that_belong_together_are_left_out_together() -> None:
    assert fitted(Grid(["agent", "won", "p", "score", "p"], [["a"] * 5]), 5 + 3 + 1 + 5 + 3 * GAP, step=2)[1] == 2


def test_long_names_take_several_lines() -> None:
    name = "runs/demo/tour-infernale@sample"
    grid, omitted = fitted(Grid(["agent", "won", "score"], [[name, "w" * 20, "s" * 20]]), 80)
    assert omitted == 0
    assert grid.rows[0][0] == name
    grid, omitted = fitted(Grid(["agent", "won", "score"], [[name, "w" * 25, "s" * 28]]), 80)
    assert (grid.rows[0][0], omitted) == ("runs/demo/\ntour-infernale@sample", 0)


@pytest.mark.parametrize(
    ("name", "width", "lines"),
    [
        ("careful", 7, ["careful"]),
        ("ppo=runs/a", 6, ["ppo=", "runs/a"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
    ],
)
def test_folded_names(name: str, width: int, lines: list[str]) -> None:
    assert break_name(name, width).split("\n") == lines


def test_markup_in_a_cell_is_text() -> None:
    assert "pip install 'x[y]'" in "\n".join(text_of(Grid(["a"], [["pip install 'x[y]'"]]), 80))


def test_markdown() -> None:
    text = to_markdown(Grid(["agent", "won"], [["a|b", "1"]]), "title", "caption")
    assert text == "**title**\n\n| agent | won |\n| --- | ---: |\n| a\\|b | 1 |\n\ncaption"
