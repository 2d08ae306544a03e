"""Counts of the values in tables of deals: what is left of a million rows, to be kept.

A file of counts has a row for each value of each column, of each range of deal numbers that was counted. So a long list
can be counted range by range, on several machines too, and no deal counts twice.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.files import locked, write_whole
from solitaire_agents.kit import DealTable
from solitaire_envs.checks import short

COLUMNS = ("table", "first", "last", "column", "value", "deals")


def check_range(path: Path, name: str, first: int, last: int) -> None:
    """Checks that a range of deals can be counted into a file.

    Args:
        path: The CSV file, which need not exist.
        name: Name of the table.
        first: First deal number.
        last: Last deal number.

    Raises:
        ValueError: It is no file of counts, or it has a range that holds some of these deals and others.
    """
    _others(path, name, first, last)


def write_counts(path: Path, name: str, table: DealTable, rows: NDArray[np.int64]) -> None:
    """Writes how many deals of a range have each value of each column.

    Counts of other tables, and of other ranges, are kept; ranges that lie in this one are replaced by it.

    Args:
        path: The CSV file.
        name: Name of the table.
        table: What is recorded in it.
        rows: Its rows for consecutive deals, [n, columns].

    Raises:
        ValueError: As in `check_range`, or another process writes the file.
    """
    first, last = rows[[0, -1], 0].astype(np.uint64).tolist()
    with locked(path):
        counted = [
            [name, str(first), str(last), column, *map(str, pair)]
            for column, values in zip(table.columns[1:], rows.T[1:], strict=True)
            for pair in zip(*np.unique(values, return_counts=True), strict=True)
        ]
        lines = sorted([*_others(path, name, first, last), *counted], key=lambda row: (row[0], int(row[1])))
        write_whole(path, "".join(f"{','.join(line)}\n" for line in [COLUMNS, *lines]).encode("ascii"))


def read_counts(path: Path, name: str) -> dict[str, dict[int, int]]:
    """Reads what a file has counted for a table, all ranges together: column -> value -> deals.

    Raises:
        ValueError: It is no file of counts.
    """
    totals: dict[str, dict[int, int]] = {}
    for table, _, _, column, value, deals in _read(path):
        if table == name:
            of_column = totals.setdefault(column, {})
            of_column[int(value)] = of_column.get(int(value), 0) + int(deals)
    return totals


def _others(path: Path, name: str, first: int, last: int) -> list[list[str]]:
    """Returns the rows of a file that stay when a range is counted."""
    kept = []
    for row in _read(path) if path.exists() else []:
        low, high = int(row[1]), int(row[2])
        if row[0] != name or high < first or last < low:
            kept.append(row)
        elif not first <= low <= high <= last:
            raise ValueError(
                f"expected deals that {path} has not counted, got {first} to {last}; it has {low} to {high}"
            )
    return kept


def _read(path: Path) -> list[list[str]]:
    rows = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
    if not rows or tuple(rows[0]) != COLUMNS:
        raise ValueError(f"expected counts in {path}, with columns {', '.join(COLUMNS)}")
    for row in rows[1:]:
        if len(row) != len(COLUMNS) or not all(_is_number(row[at]) for at in (1, 2, 4, 5)):
            raise ValueError(f"expected a row of counts in {path}, got {short(','.join(row))}")
    return rows[1:]


def _is_number(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdecimal()
