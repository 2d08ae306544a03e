"""Files of labels: tables of whole numbers as CSV, a row for each deal; those named ``.gz`` are packed."""

import csv
import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.files import write_whole
from solitaire_envs.checks import short

DEAL = "deal"
"""Name of the first column, the deal numbers."""


def read_label_file(path: Path) -> dict[str, NDArray[np.int64]]:
    """Reads a table of labels.

    Returns:
        Name of a column -> its values [n], in the file's order; `DEAL` is the first. A deal number of 2**63 and above
        is negative here: ``astype(np.uint64)`` returns it, as ``astype(np.int64)`` has made it.

    Raises:
        ValueError: The file is no such table, or has two rows for a deal.
        OSError: The file cannot be read.
    """
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        header, *rows = csv.reader(content.decode("ascii").splitlines())
        deals = np.array([int(row[0]) for row in rows], np.uint64).astype(np.int64)
        others = np.array([list(map(int, row[1:])) for row in rows], np.int64).reshape(len(rows), len(header) - 1)
        table = dict(zip(header, [deals, *others.T], strict=True))
        if header[0] != DEAL or len(table) < len(header):
            raise ValueError(f"columns {short(', '.join(header))}")
        if len(np.unique(deals)) < len(rows):
            raise ValueError("a deal number that is there twice")
    except (ValueError, IndexError, OverflowError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(
            f"expected a table of labels in {path}, a row for each deal; got: {str(error)[:200]}"
        ) from None
    return table


def write_label_file(path: Path, columns: Sequence[str], rows: NDArray[np.int64]) -> None:
    """Writes a table of labels, [n, columns]; the file is replaced whole or not at all."""
    deals = rows[:, 0].astype(np.uint64).tolist()
    pairs = zip(deals, rows[:, 1:].tolist(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, (deal, *row))) for deal, row in pairs), ""]
    content = "\n".join(lines).encode("ascii")
    write_whole(path, gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
