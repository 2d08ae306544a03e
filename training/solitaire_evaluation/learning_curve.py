"""The learning curve of a training run: a JSON line for each evaluation on validation deals."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from solitaire_agents.files import append_line
from solitaire_evaluation.play import Played
from solitaire_evaluation.statistics import mean, share

EVALUATIONS = "evaluations.jsonl"
Metrics = dict[str, dict[str, float]]
"""Field of the outcome -> its mean ('value') and the ends of its interval ('low', 'high')."""


def append_evaluation(folder: Path, steps: int, seconds: float, played: Played) -> Metrics:
    """Appends an evaluation to the learning curve of a run.

    Args:
        folder: The run's folder, created if missing.
        steps: Decisions learned from so far.
        seconds: Time spent on learning so far.
        played: Outcomes of the agent on the validation deals.

    Returns:
        The metrics over these deals.
    """
    metrics = {}
    for name in played.outcomes.dtype.names:
        values = played.column(name)
        metrics[name] = asdict(share(values) if played.outcomes.dtype[name] == np.bool_ else mean(values))
    folder.mkdir(parents=True, exist_ok=True)
    point = {"steps": steps, "seconds": round(seconds, 1), "deals": len(played.outcomes), "metrics": metrics}
    append_line(folder / EVALUATIONS, json.dumps(point))
    return metrics


def read_evaluations(folder: Path) -> list[dict[str, Any]]:
    """Returns the learning curve of a run, by rising steps; empty if there is none.

    Each evaluation has ``steps``, ``seconds``, ``deals`` and ``metrics``. If a resumed run has repeated an evaluation,
    the later one counts.
    """
    try:
        lines = (folder / EVALUATIONS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    points: dict[int, dict[str, Any]] = {}
    for line in lines:
        try:
            point = json.loads(line)
            points[int(point["steps"])] = {**point, "metrics": point["metrics"]}
        except (ValueError, TypeError, KeyError, OverflowError):  # infinite steps overflow
            continue  # the run was killed while it wrote this line
    return [points[steps] for steps in sorted(points)]


def load_curve(run: Path | str) -> pd.DataFrame:
    """Returns the learning curve of a run as a tidy table, with a row for each evaluation and metric.

    Columns: run (the folder's name), steps (decisions learned from), seconds (of learning), deals (validation deals
    played), metric, value (the mean over the deals), low and high (ends of its 95 % interval).

    Args:
        run: The run's folder.

    Raises:
        ValueError: It holds no learning curve.
    """
    folder = Path(run)
    rows = [
        {
            "run": folder.name,
            **{name: point[name] for name in ("steps", "seconds", "deals")},
            "metric": metric,
            **{name: estimate[name] for name in ("value", "low", "high")},
        }
        for point in read_evaluations(folder)
        for metric, estimate in point["metrics"].items()
    ]
    if not rows:
        raise ValueError(f"expected the folder of a run, with a learning curve, got {folder}")
    return pd.DataFrame(rows)
