"""Counts of the values in tables of deals: what is left of a million rows, to be kept."""

import csv
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.files import locked, write_whole
from solitaire_agents.kit import DealTable

COLUMNS = ("table", "column", "value", "deals")


def write_counts(path: Path, name: str, table: DealTable, rows: NDArray[np.int64]) -> None:
    """Writes how many deals have each value of each column; counts of other tables in the file are kept.

    Args:
        path: The CSV file.
        name: Name of the table.
        table: What is recorded in it.
        rows: Its rows, [n, columns].

    Raises:
        ValueError: Another process writes the file, or it is no file of counts.
    """
    with locked(path):
        kept = [row for row in (_read(path) if path.exists() else []) if row[0] != name]
        counted = [
            [name, column, *map(str, pair)]
            for column, values in zip(table.columns[1:], rows.T[1:], strict=True)
            for pair in zip(*np.unique(values, return_counts=True), strict=True)
        ]
        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *kept, *counted])
        write_whole(path, file.getvalue().encode("ascii"))


def _read(path: Path) -> list[list[str]]:
    header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    if tuple(header) != COLUMNS:
        raise ValueError(f"expected counts in {path}, with columns {', '.join(COLUMNS)}")
    return rows
