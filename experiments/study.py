"""What experiments share: results that are kept, rows that outlast a killed run, and means over seeds in words."""

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from solitaire_evaluation.statistics import SEEDS_FOR_INTERVAL, Estimate, mean


def kept(file: Path, find: Callable[[], Any]) -> Any:
    """Returns the results in a file; they are found and written first if it is missing."""
    if not file.exists():
        results = json.dumps(find())
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(results, encoding="utf-8")
    return json.loads(file.read_text(encoding="utf-8"))


def told(values: Any, form: str) -> str:
    """Returns the mean of a value for each seed in the given format, from five seeds on with its 95 % interval."""
    found = mean(np.asarray(values, dtype=np.float64))
    if len(values) < SEEDS_FOR_INTERVAL:
        return f"{found.value:{form}}"
    return f"{found.value:{form}} [{found.low:{form}}, {found.high:{form}}]"


def in_percent(found: Estimate, digits: int = 2) -> str:
    """Returns a share with its interval in per cent."""
    value, low, high = (f"{100 * each:.{digits}f}" for each in (found.value, found.low, found.high))
    return f"{value} % ({low} to {high})"


def rows_in(file: Path, header: Sequence[str]) -> list[list[str]]:
    """Returns the rows of a CSV file to which a run appends; makes the file, with its header, if it is missing.

    What a killed run has left of a row is cut off.

    Raises:
        ValueError: The file has other columns.
    """
    if not file.exists():
        file.write_text(",".join(header) + "\n", encoding="ascii")
    lines = file.read_text(encoding="ascii").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        file.write_text("".join(lines[:-1]), encoding="ascii")
        del lines[-1]
    found, *rows = csv.reader(lines or [""])
    if found != list(header):
        raise ValueError(f"expected {file} to have columns {', '.join(header)}")
    return rows
