"""What is known about deals in advance: perfect play, from the lists in `seeds/`, and measures of difficulty."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from solitaire_agents.catalogue import label_file, labels_of
from solitaire_agents.kit import Status
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.deals import read_label_file
from solitaire_evaluation.deals import NUM_VALIDATION_DEALS, VALIDATION_DEALS
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_evaluation.provenance import hash_files

NUM_STRATA = 4
"""Strata by difficulty, at most."""
SOLVER_NODES = "solver nodes"
"""The measure of difficulty: how many positions the solver searched. The names of its strata begin so."""
EVERY_DEAL = "all"
"""The stratum of all deals."""


def label_deals(env_spec: EnvSpec, deals: NDArray[np.uint64]) -> pd.DataFrame:
    """Returns what is known about each deal, in the order of the list.

    Returns:
        Columns ``deal``, ``winnable`` (as in `Labels`), ``best_score`` and ``nodes`` (nan: not known).

    Raises:
        ValueError: The file of labels is damaged.
    """
    game = env_spec.game
    table = pd.DataFrame({"deal": deals})
    path = label_file(game, env_spec.options)
    if path is not None and path.exists():
        columns = read_label_file(path)
        known: dict[str, Any] = {name: columns[name] for name in ("best_score", "nodes") if name in columns}
        known |= {"deal": columns["deal"].astype(np.uint64), "winnable": labels_of(game).winnable(columns)}
        table = table.merge(pd.DataFrame(known), on="deal", how="left")
    for name, unknown in (("winnable", Status.UNKNOWN), ("best_score", np.nan), ("nodes", np.nan)):
        table[name] = table[name].fillna(unknown) if name in table else unknown
    table["winnable"] = table["winnable"].astype(int)
    return table


def about_labels(env_spec: EnvSpec) -> dict[str, Any] | None:
    """Returns the file of labels and its SHA-256, for the protocol; the SHA-256 is None if the file is missing."""
    path = label_file(env_spec.game, env_spec.options)
    return None if path is None else {"file": path.name, "sha256": hash_files([path]) if path.exists() else None}


def remarks(labels: Mapping[str, Any] | None, deals: NDArray[np.uint64]) -> Iterator[str]:
    """Yields remarks that belong to results on some deals.

    Args:
        labels: What `about_labels` returns.
        deals: Deal numbers, uint64 [n].
    """
    validation = (deals >= VALIDATION_DEALS) & (deals < VALIDATION_DEALS + NUM_VALIDATION_DEALS)
    for kind, inside in (("validation", validation), ("training", deals >= FIRST_RANDOM_DEAL)):
        if inside.any():
            yield f"Not test results: {inside.sum():,} of the {len(deals):,} deals are {kind} deals."
    if labels and labels["sha256"] is None:
        yield f"Without the labels {labels['file']}: the file is missing from this installation."


def strata(labels: pd.DataFrame) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yields the strata of the deals, each with its name and a mask of its deals, bool [n]."""
    yield EVERY_DEAL, np.ones(len(labels), dtype=np.bool_)
    if labels["nodes"].notna().all():
        yield from _quantiles(labels["nodes"].to_numpy(), SOLVER_NODES)
    if (labels["winnable"] != Status.UNKNOWN).any():
        yield "winnable", (labels["winnable"] == Status.SOLVED).to_numpy()
        yield "not winnable", (labels["winnable"] == Status.IMPOSSIBLE).to_numpy()


def _quantiles(values: NDArray[np.float64], name: str) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Cuts deals into `NUM_STRATA` strata of about equal size, or fewer if many values are equal."""
    ends = np.unique(np.quantile(values, np.arange(1, NUM_STRATA + 1) / NUM_STRATA, method="inverted_cdf"))
    low = values.min()
    for end in ends:
        inside = (values >= low) & (values <= end)
        yield f"{name} {int(low):,}-{int(end):,}" if end > low else f"{name} {int(end):,}", inside
        above = values[values > end]
        low = above.min() if len(above) else end
