"""What the tests of comparisons share."""

from pathlib import Path
from typing import Any

import numpy as np

from solitaire_evaluation.compare import compare
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.store import Results, to_records

PYRAMID, TOUR = "solitaire/Pyramid-v0", "solitaire/TourInfernaleOnePass-v0"
DEALS = np.arange(450, dtype=np.uint64)


def compared(folder: Path | None = None, agents: str = "uniform,careful", **changes: Any) -> Results:
    """Compares agents on `DEALS` of Pyramid, but for what is changed."""
    arguments: dict[str, Any] = {
        "env_specs": [make_env_spec(PYRAMID, {})],
        "deals": DEALS,
        "folder": folder,
        **changes,
    }
    return compare(agents=agents.split(","), **arguments)


def rows_of(found: Results) -> list[list[dict[str, Any]]]:
    """Returns the tables as plain values, to compare them."""
    return [to_records(table) for table in (found.outcomes, found.metrics, found.differences)]
