"""What is known of deals in advance: their optimum from the frozen lists, how hard they are, and strata of them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import solitaire_seeds
from solitaire_envs import pyramid
from solitaire_envs.cards import NUM_RANKS, decks_of_deals
from solitaire_training.evaluation.deals import deal_remarks
from solitaire_training.evaluation.env_spec import EnvSpec
from solitaire_training.provenance import hash_files

SEEDS = solitaire_seeds.FOLDER
LOST, WINNABLE, OPEN = 0, 1, -1
"""Values of the column ``winnable``."""
NUM_STRATA = 4
"""Strata into which a measure of difficulty cuts the deals, at most."""
ALL = "all"
"""The stratum of all deals."""


def label_file(env_spec: EnvSpec) -> Path | None:
    """Returns the file of labels for an environment's rules, which may be missing; None: these rules have no labels."""
    options: Any = env_spec.options
    if env_spec.game.name == "pyramid":
        if (options.passes, options.stock_waste_pairs, options.goal, options.max_moves) == (3, True, "all", None):
            return SEEDS / "pyramid-test.csv"
    elif env_spec.game.name == "tour_infernale":
        long = options.max_moves is None or options.max_moves >= 1_000
        if (options.passes, options.piles) == (1, 6) and long:
            return SEEDS / "tour-infernale-one-pass-test.csv"
    return None


def label_deals(env_spec: EnvSpec, deals: NDArray[np.uint64]) -> pd.DataFrame:
    """Returns what is known of each deal, in the order of the list.

    Returns:
        Columns ``deal``, ``winnable`` (`LOST`, `WINNABLE`, `OPEN`), ``best_score`` and ``nodes`` (nan: not known), and
        in Pyramid ``blockers``.

    Raises:
        ValueError: The file of labels is damaged.
    """
    table = pd.DataFrame({"deal": deals})
    path = label_file(env_spec)
    if path is not None and path.exists():
        table = table.merge(_read(path), on="deal", how="left")
    for name, unknown in (("winnable", OPEN), ("best_score", np.nan), ("nodes", np.nan)):
        table[name] = table[name].fillna(unknown) if name in table else unknown
    table["winnable"] = table["winnable"].astype(int)
    if env_spec.game.name == "pyramid":
        table["blockers"] = count_blockers(deals)
    return table


def about_labels(env_spec: EnvSpec) -> dict[str, Any] | None:
    """Returns which labels are used, for the protocol; the SHA-256 is None where the file is missing."""
    path = label_file(env_spec)
    return None if path is None else {"file": path.name, "sha256": hash_files([path]) if path.exists() else None}


def remarks(labels: Mapping[str, Any] | None, deals: NDArray[np.uint64]) -> Iterator[str]:
    """Yields what has to be said of results on some deals.

    Args:
        labels: What `about_labels` returns.
        deals: Deal numbers, uint64 [n].
    """
    yield from deal_remarks(deals)
    if labels and labels["sha256"] is None:
        yield f"Without the labels {labels['file']}: the file is missing from this installation."


def _read(path: Path) -> pd.DataFrame:
    table = pd.read_csv(path, dtype=np.int64)
    required = {"deal", "nodes"}
    if not required <= set(table) or not {"winnable", "winnable_in"} & set(table) or table["deal"].duplicated().any():
        raise ValueError(f"expected a table of labels with one row per deal in {path}, got columns {', '.join(table)}")
    if "winnable" not in table:
        table["winnable"] = (table["winnable_in"] > 0).astype(int)
    kept = [name for name in ("deal", "winnable", "best_score", "nodes") if name in table]
    return table[kept].astype({"deal": np.uint64})


def count_blockers(deals: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Counts blockers: pairs of cards of the pyramid that add up to 13 and of which one covers the other.

    'Covers' includes indirectly. Two such cards can never be discarded together.

    Args:
        deals: Deal numbers of Pyramid, uint64 [n].

    Returns:
        Blockers of each deal, int64 [n].
    """
    ranks = decks_of_deals(deals)[:, : pyramid.PYRAMID_SIZE] % NUM_RANKS + 1
    count = np.zeros(len(deals), dtype=np.int64)
    for position in range(pyramid.PYRAMID_SIZE):
        for cover in pyramid.all_covers(position):
            count += ranks[:, position] + ranks[:, cover] == pyramid.KING
    return count


def strata(labels: pd.DataFrame) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yields the strata of the deals that have metrics of their own: name, and which deals belong to it, bool [n]."""
    yield ALL, np.ones(len(labels), dtype=np.bool_)
    for column, name in (("nodes", "solver nodes"), ("blockers", "blockers")):
        if column in labels and labels[column].notna().all():
            yield from _quantiles(labels[column].to_numpy(), name)
    if (labels["winnable"] != OPEN).any():
        yield "winnable", (labels["winnable"] == WINNABLE).to_numpy()
        yield "not winnable", (labels["winnable"] == LOST).to_numpy()


def _quantiles(values: NDArray[np.float64], name: str) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Cuts deals into `NUM_STRATA` strata of about equal size, or fewer where many values are the same."""
    ends = np.unique(np.quantile(values, np.arange(1, NUM_STRATA + 1) / NUM_STRATA, method="inverted_cdf"))
    low = values.min()
    for end in ends:
        inside = (values >= low) & (values <= end)
        yield f"{name} {int(low):,}-{int(end):,}" if end > low else f"{name} {int(end):,}", inside
        above = values[values > end]
        low = above.min() if len(above) else end
