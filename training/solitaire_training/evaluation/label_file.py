"""Files of labels: tables of whole numbers as CSV, a row for each deal."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.files import write_whole
from solitaire_envs.checks import short

DEAL = "deal"
"""Name of the first column: deal numbers, below 2**63."""


def read_label_file(path: Path) -> dict[str, NDArray[np.int64]]:
    """Reads a table of labels.

    Returns:
        Name of a column -> its values [n], in the file's order; `DEAL` is the first.

    Raises:
        ValueError: The file is no such table, or has two rows for a deal.
        OSError: The file cannot be read.
    """
    try:
        header, *rows = csv.reader(path.read_text(encoding="ascii").splitlines())
        values = np.array([list(map(int, row)) for row in rows], np.int64).reshape(len(rows), len(header))
        table = dict(zip(header, values.T, strict=True))
        if header[0] != DEAL or len(table) < len(header):
            raise ValueError(f"columns {short(', '.join(header))}")
        if len(np.unique(table[DEAL])) < len(rows) or (table[DEAL] < 0).any():
            raise ValueError("a deal number that is negative, or there twice")
    except (ValueError, IndexError, OverflowError) as error:
        raise ValueError(
            f"expected a table of labels in {path}, a row for each deal; got: {str(error)[:200]}"
        ) from None
    return table


def write_label_file(path: Path, columns: Sequence[str], rows: NDArray[np.int64]) -> None:
    """Writes a table of labels, [n, columns]; the file is replaced whole or not at all."""
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows.tolist()), ""]
    write_whole(path, "\n".join(lines).encode("ascii"))
