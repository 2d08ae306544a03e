"""What is known of deals beforehand: their optimum from `seeds/`, how hard they are, and parts of about equal size."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import solitaire_seeds
from solitaire_envs import pyramid
from solitaire_envs.cards import FIRST_RANDOM_DEAL, NUM_RANKS, decks_of_deals
from solitaire_training.evaluation.label_file import read_label_file
from solitaire_training.evaluation.play import NUM_VALIDATION_DEALS, VALIDATION_DEALS
from solitaire_training.evaluation.store import Arena
from solitaire_training.provenance import hash_files

SEEDS = solitaire_seeds.FOLDER
LOST, WINNABLE, OPEN = 0, 1, -1
PARTS = 4


def label_file(arena: Arena) -> Path | None:
    """Returns the file of labels for an environment's rules, which may be missing; None: there never was one."""
    options: Any = arena.options
    if arena.game.name == "pyramid":
        if (options.passes, options.stock_waste_pairs, options.goal, options.max_moves) == (3, True, "all", None):
            return SEEDS / "pyramid-test.csv"
    elif arena.game.name == "tour_infernale":
        long = options.max_moves is None or options.max_moves >= 1_000
        if (options.passes, options.piles) == (1, 6) and long:
            return SEEDS / "tour-infernale-one-pass-test.csv"
    return None


def label_deals(arena: Arena, deals: NDArray[np.uint64]) -> pd.DataFrame:
    """Returns what is known of each deal, in the order of the list.

    Returns:
        Columns ``deal``, ``winnable`` (`LOST`, `WINNABLE`, `OPEN`), ``best_score`` and ``nodes`` (nan: not known), and
        in Pyramid ``blockers``.

    Raises:
        ValueError: The file of labels is damaged.
    """
    table = pd.DataFrame({"deal": deals})
    path = label_file(arena)
    if path is not None and path.exists():
        table = table.merge(_read(path), on="deal", how="left")
    for name, unknown in (("winnable", OPEN), ("best_score", np.nan), ("nodes", np.nan)):
        table[name] = table[name].fillna(unknown) if name in table else unknown
    table["winnable"] = table["winnable"].astype(int)
    if arena.game.name == "pyramid":
        table["blockers"] = count_blockers(deals)
    return table


def about_labels(arena: Arena) -> dict[str, Any] | None:
    """Returns which labels are used, for the record; the SHA-256 is None where the file is missing."""
    path = label_file(arena)
    return None if path is None else {"file": path.name, "sha256": hash_files([path]) if path.exists() else None}


def remarks(labels: Mapping[str, Any] | None, deals: NDArray[np.uint64]) -> Iterator[str]:
    """Yields what has to be said of results on some deals.

    Args:
        labels: What `about_labels` says.
        deals: Deal numbers.
    """
    validation = (deals >= VALIDATION_DEALS) & (deals < VALIDATION_DEALS + NUM_VALIDATION_DEALS)
    for kind, inside in (("validation", validation), ("training", deals >= FIRST_RANDOM_DEAL)):
        if inside.any():
            yield f"Not test results: {inside.sum():,} of the {len(deals):,} deals are {kind} deals."
    if labels and labels["sha256"] is None:
        yield f"Without the labels {labels['file']}, which are in the repository's seeds/ and not installed with it."


def _read(path: Path) -> pd.DataFrame:
    table = pd.DataFrame(read_label_file(path))
    if "nodes" not in table or not {"winnable", "winnable_in"} & set(table):
        raise ValueError(f"expected a table of labels in {path}, got columns {', '.join(table)}")
    if "winnable" not in table:
        table["winnable"] = (table["winnable_in"] > 0).astype(int)
    kept = [name for name in ("deal", "winnable", "best_score", "nodes") if name in table]
    return table[kept].astype({"deal": np.uint64})


def count_blockers(deals: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Counts, for each deal of Pyramid, the pairs of cards that add up to 13 and of which one lies on the other.

    'On' means: has to go first, directly or not. Such two cards can never be discarded together.
    """
    ranks = decks_of_deals(deals)[:, : pyramid.PYRAMID_SIZE] % NUM_RANKS + 1
    count = np.zeros(len(deals), dtype=np.int64)
    for position in range(pyramid.PYRAMID_SIZE):
        for cover in pyramid.all_covers(position):
            count += ranks[:, position] + ranks[:, cover] == pyramid.KING
    return count


def parts_of(labels: pd.DataFrame) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yields the parts of the deals for which figures are told apart: name, and which deals are in it."""
    yield "all", np.ones(len(labels), dtype=np.bool_)
    for name, words in (("nodes", "solver nodes"), ("blockers", "blockers")):
        if name in labels and labels[name].notna().all():
            yield from _quantiles(labels[name].to_numpy(), words)
    if (labels["winnable"] != OPEN).any():
        yield "winnable", (labels["winnable"] == WINNABLE).to_numpy()
        yield "not winnable", (labels["winnable"] == LOST).to_numpy()


def _quantiles(values: NDArray[np.float64], words: str) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Cuts deals into `PARTS` of about equal size, or fewer where many values are the same."""
    ends = np.unique(np.quantile(values, np.arange(1, PARTS + 1) / PARTS, method="inverted_cdf"))
    low = values.min()
    for end in ends:
        inside = (values >= low) & (values <= end)
        yield f"{words} {int(low):,}-{int(end):,}" if end > low else f"{words} {int(end):,}", inside
        above = values[values > end]
        low = above.min() if len(above) else end
