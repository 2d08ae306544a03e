"""Tables as text: for a terminal of any width, and as Markdown."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


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
        left: Number of columns, from the first, that stand at the left; numbers stand at the right.
        wrap: Columns whose cells may take several lines.
        console: Where to print; None: the terminal.
    """
    console = console or Console(highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1), header_style="bold")
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


def to_markdown(grid: Grid, title: str = "", caption: str = "", *, left: int = 1) -> str:
    """Returns a table as Markdown."""
    rule = ["---" if place < left else "---:" for place in range(len(grid.columns))]
    rows = [[cell.replace("|", "\\|") for cell in row] for row in (grid.columns, rule, *grid.rows)]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n\n".join(part for part in (title and f"**{title}**", "\n".join(lines), caption) if part)
