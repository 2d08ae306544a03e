"""What the studies with several training seeds share: results that are kept, and means over the seeds in words."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from solitaire_evaluation.statistics import SEEDS_FOR_INTERVAL, mean


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
