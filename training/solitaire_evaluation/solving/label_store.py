"""Lists of deals labelled by the exact solver: a CSV file that is written chunk by chunk, and can be resumed."""

import gzip
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.files import locked, write_whole
from solitaire_agents.kit import DealTable, Labels
from solitaire_envs.checks import short
from solitaire_envs.deals import read_label_file
from solitaire_evaluation.pool import ALONE
from solitaire_evaluation.statistics import mean, share
from solitaire_evaluation.workers import Workers

SHARE_OF_WRITING = 0.02
"""Share of the time that writing the file may take."""
MANY = 100_000
"""From so many deals on, a summary has one more digit."""


def write_labels(
    path: Path,
    deals: NDArray[np.uint64],
    table: DealTable,
    workers: Workers = ALONE,
    progress: Callable[[int], None] = lambda count: None,
) -> int:
    """Labels a list of deals; resumes where an interrupted run stopped.

    Args:
        path: The CSV file. Old and new rows are sorted by deal. The file is replaced after each chunk, or less often
            if this would take more than `SHARE_OF_WRITING` of the time.
        deals: Deal numbers, uint64 [n].
        table: The labels of each deal.
        workers: The workers that label. The file does not depend on them.
        progress: Called with the number of deals finished since the last call.

    Returns:
        The number of deals labelled in this call.

    Raises:
        ValueError: Another process is writing the file, it holds other labels, or a deal could not be settled.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path):
        file = _TableFile(path, table)
        todo = np.setdiff1d(deals, file.rows[:, 0].astype(np.uint64))
        progress(len(deals) - len(todo))
        chunks = [todo[start : start + table.chunk] for start in range(0, len(todo), table.chunk)]
        try:
            for labelled in workers.share(table.label, chunks):
                file.add(labelled)
                progress(len(labelled))
        finally:
            file.write()
        return len(todo)


class _TableFile:
    """A growing table and its file."""

    def __init__(self, path: Path, table: DealTable) -> None:
        self._path, self._columns = path, table.columns
        self.rows = read_labels(path, table) if path.exists() else np.empty((0, len(table.columns)), np.int64)
        self._new: list[NDArray[np.int64]] = []
        self._next_write = -math.inf

    def add(self, rows: NDArray[np.int64]) -> None:
        self._new.append(rows)
        if time.monotonic() >= self._next_write:
            self.write()

    def write(self) -> None:
        if not self._new:
            return
        begin = time.monotonic()
        self.rows = np.concatenate([self.rows, *self._new])
        self.rows, self._new = self.rows[self.rows[:, 0].astype(np.uint64).argsort()], []
        write_label_file(self._path, self._columns, self.rows)
        end = time.monotonic()
        self._next_write = end + (end - begin) / SHARE_OF_WRITING


def read_labels(path: Path, table: DealTable) -> NDArray[np.int64]:
    """Reads a table of labels, [n, columns].

    Raises:
        ValueError: The file does not hold these labels.
    """
    columns = read_label_file(path)
    if tuple(columns) != table.columns:
        raise ValueError(f"expected columns {', '.join(table.columns)} in {path}, got {short(', '.join(columns))}")
    return np.stack(list(columns.values()), axis=1)


def write_label_file(path: Path, columns: Sequence[str], rows: NDArray[np.int64]) -> None:
    """Writes a table of labels, [n, columns]; a ``.gz`` file is compressed. The file is replaced atomically."""
    deals = rows[:, 0].astype(np.uint64).tolist()
    pairs = zip(deals, rows[:, 1:].tolist(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, (deal, *row))) for deal, row in pairs), ""]
    content = "\n".join(lines).encode("ascii")
    write_whole(path, gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def summary_text(table: Labels, rows: NDArray[np.int64]) -> str:
    """Returns a summary of a table of labels, [n, columns]: the results of perfect play with the stock open."""
    lines, more = [], int(len(rows) >= MANY)
    for name, values in table.summary(rows).items():
        numbers, is_share = values.astype(np.float64), values.dtype == np.bool_
        found = share(numbers) if is_share else mean(numbers)
        scale, digits, unit = (100, 1 + more, " %") if is_share else (1, 2 + more, "")
        value, low, high = (f"{scale * number:.{digits}f}" for number in (found.value, found.low, found.high))
        lines.append(f"{name}: {value}{unit} ({low} to {high}{unit})")
    return "\n".join(lines)
