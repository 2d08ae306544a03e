"""Lists of deals labelled by the exact solver: a CSV file that grows chunk by chunk, and goes on where it stopped."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.files import locked
from solitaire_agents.kit import Labels
from solitaire_envs.checks import short
from solitaire_training.evaluation.label_file import read_label_file, write_label_file
from solitaire_training.evaluation.pool import in_processes
from solitaire_training.evaluation.statistics import mean, share


def label_deals(
    path: Path,
    deals: NDArray[np.uint64],
    labels: Labels,
    jobs: int = 1,
    progress: Callable[[int], None] = lambda count: None,
) -> int:
    """Labels a list of deals; goes on where an interrupted run has stopped.

    Args:
        path: The CSV file. Its rows are kept, and sorted by deal with the new ones; it is replaced after each chunk.
        deals: Deal numbers.
        labels: What is recorded of each.
        jobs: Number of processes.
        progress: Called with the number of deals finished since the last call.

    Returns:
        The number of deals labelled in this call.

    Raises:
        ValueError: Another process writes the file, it is no table of these labels, a deal number is above 2**63 - 1,
            or a deal could not be settled.
    """
    if deals.max(initial=0) >= 2**63:
        raise ValueError(f"expected deal numbers below 2**63, got {deals.max()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path):
        rows = read_labels(path, labels) if path.exists() else np.empty((0, len(labels.columns)), np.int64)
        todo = np.setdiff1d(deals, rows[:, 0].astype(np.uint64))
        progress(len(deals) - len(todo))
        chunks = [todo[start : start + labels.chunk] for start in range(0, len(todo), labels.chunk)]
        for labelled in in_processes(labels.label, chunks, jobs):
            rows = np.concatenate([rows, labelled])
            rows = rows[rows[:, 0].argsort()]
            write_label_file(path, labels.columns, rows)
            progress(len(labelled))
        return len(todo)


def read_labels(path: Path, labels: Labels) -> NDArray[np.int64]:
    """Reads a table of labels, [n, columns].

    Raises:
        ValueError: The file is no table of these labels.
    """
    table = read_label_file(path)
    if tuple(table) != labels.columns:
        raise ValueError(f"expected columns {', '.join(labels.columns)} in {path}, got {short(', '.join(table))}")
    return np.stack(list(table.values()), axis=1)


def summary_text(labels: Labels, rows: NDArray[np.int64]) -> str:
    """Returns what a table of labels [n, columns] says of perfect play with the stock open."""
    lines = []
    for name, values in labels.summary(rows).items():
        numbers, is_share = values.astype(np.float64), values.dtype == np.bool_
        found, scale, digits, unit = (share(numbers), 100, 1, " %") if is_share else (mean(numbers), 1, 2, "")
        value, low, high = (f"{scale * number:.{digits}f}" for number in (found.value, found.low, found.high))
        lines.append(f"{name}: {value}{unit} ({low} to {high}{unit})")
    return "\n".join(lines)
