"""The learning curve of a training run: its evaluations on validation deals, one JSON line each."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from solitaire_agents.files import append_line
from solitaire_training.evaluation.play import Played
from solitaire_training.evaluation.statistics import mean, share

EVALUATIONS = "evaluations.jsonl"
Metrics = dict[str, dict[str, float]]
"""Field of the outcome -> its mean as 'value', and the ends of its interval as 'low' and 'high'."""


def append_evaluation(folder: Path, steps: int, played: Played) -> Metrics:
    """Appends an evaluation to the learning curve of a run.

    Args:
        folder: The run's folder, created if missing.
        steps: Environment steps of training so far.
        played: Outcomes of the policy on the validation deals.

    Returns:
        The metrics over these deals.
    """
    metrics = {}
    for name in played.outcomes.dtype.names:
        values = played.column(name)
        metrics[name] = asdict(share(values) if played.outcomes.dtype[name] == np.bool_ else mean(values))
    folder.mkdir(parents=True, exist_ok=True)
    append_line(folder / EVALUATIONS, json.dumps({"steps": steps, "deals": len(played.outcomes), "metrics": metrics}))
    return metrics


def read_evaluations(folder: Path) -> list[dict[str, Any]]:
    """Returns the learning curve of a run, by rising steps; empty if there is none.

    Each evaluation has ``steps``, ``deals`` and ``metrics``. Where a resumed run has repeated an evaluation, the later
    one counts.
    """
    try:
        lines = (folder / EVALUATIONS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    points: dict[int, dict[str, Any]] = {}
    for line in lines:
        try:
            point = json.loads(line)
            metrics = point["metrics"] if "metrics" in point else point["figures"]  # as older versions called them
            points[int(point["steps"])] = {**point, "metrics": metrics}
        except (ValueError, TypeError, KeyError, OverflowError):  # infinite steps overflow
            continue  # the run was killed while it wrote this line
    return [points[steps] for steps in sorted(points)]
