"""Tables as text: for a terminal of any width, and as Markdown."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

FOLDED = 23
"""Width of the first column, at most, if the table would not fit otherwise."""
GAP = 2
"""Characters between columns."""


@dataclass(frozen=True)
class Grid:
    """A table as text: names of columns, and cells row by row."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def print_grid(
    grid: Grid,
    title: str = "",
    caption: str = "",
    *,
    left: int = 1,
    wrap: Collection[str] = (),
    console: Console | None = None,
) -> None:
    """Prints a table.

    Args:
        grid: The table.
        title: A line above it.
        caption: Lines below it.
        left: Number of leading columns that are aligned to the left. The others are aligned to the right.
        wrap: Columns whose cells may take several lines.
        console: Where to print; None: the terminal.
    """
    console = console or Console(highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, GAP - 1, 0, 0), header_style="bold")
    for place, name in enumerate(grid.columns):
        words = place < left or name in wrap
        table.add_column(name, justify="left" if words else "right", no_wrap=name not in wrap, overflow="fold")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    if title:
        console.print(f"\n{title}", style="bold", markup=False)
    console.print(table)
    if caption:
        console.print(caption, style="dim", markup=False)


def fitted(grid: Grid, width: int, step: int = 1) -> tuple[Grid, int]:
    """Returns the leading columns of a table that fit a width, and the number of columns left out.

    Long names in the first column take several lines, so that the second and third column fit as well.

    Args:
        grid: The table.
        width: Characters.
        step: Number of columns that belong together, after the first.
    """
    widths = [max(map(len, cells)) for cells in zip(grid.columns, *grid.rows, strict=True)]
    folded = min(widths[0], FOLDED)
    left = width - folded
    count = 1
    while count < len(widths) and sum(widths[count : count + step]) + step * GAP <= left:
        left -= sum(widths[count : count + step]) + step * GAP
        count += step
    count = max(count, 1 + step)
    first = folded + max(0, left)
    rows = [[break_name(row[0], first), *row[1:count]] for row in grid.rows]
    return Grid(grid.columns[:count], rows), len(widths) - count


def break_name(name: str, width: int) -> str:
    """Returns a name in lines of at most ``width`` characters, broken after one of ``/=+@#`` if possible."""
    lines = [""]
    for piece in re.findall(r"[^/=+@#]*[/=+@#]?", name):
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1]) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return "\n".join(lines)


def to_markdown(grid: Grid, title: str = "", caption: str = "") -> str:
    """Returns a table as Markdown."""
    rule = ["---", *["---:"] * (len(grid.columns) - 1)]
    rows = [[cell.replace("|", "\\|") for cell in row] for row in (grid.columns, rule, *grid.rows)]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n\n".join(part for part in (title and f"**{title}**", "\n".join(lines), caption) if part)
