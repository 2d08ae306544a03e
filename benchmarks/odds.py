"""The odds of perfect play with the stock open, from the counts among the seeds: the tables of the documentation.

`python benchmarks/odds.py` reads `odds.csv` among the seeds; another file can be named. The share of series that reach
par follows from the distribution of the best score, since deals are independent. Its interval is that of a U-statistic
(Hoeffding 1948): what one deal contributes is the chance that the others of a series make up for it.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import solitaire_seeds
from solitaire_agents.kit import OPEN, WINNABLE
from solitaire_agents.pyramid.odds import PyramidOdds
from solitaire_agents.pyramid.solving import PASSES, within
from solitaire_agents.tour_infernale.odds import RULES
from solitaire_envs.pyramid import PAR
from solitaire_training.evaluation.statistics import LEVEL, Estimate, mean, share
from solitaire_training.solving.counts import read_counts

NAMES: Final = {
    "clearable_in": "the pyramid can be cleared",
    "winnable_in": "all 52 cards can be discarded",
    "clearable_in_without_pairs": "the pyramid, no pair of stock and waste",
    "winnable_in_without_pairs": "all 52, no pair of stock and waste",
}


def values_of(counts: dict[int, int]) -> NDArray[np.int64]:
    """Returns each value as often as it was counted, [deals]."""
    return np.repeat(np.array(list(counts), np.int64), list(counts.values()))


def odds_table(columns: dict[str, dict[int, int]]) -> str:
    """Returns the shares of deals by rule and passes, as Markdown."""
    deals = sum(columns[PyramidOdds.columns[1]].values())
    lines = [
        f"| of {deals:,} deals | " + " | ".join(f"{n} pass{'es' * (n > 1)}" for n in PASSES) + " |",
        "|---|" + "---|" * len(PASSES),
    ]
    for column in PyramidOdds.columns[1:]:
        fewest = values_of(columns[column])
        found = [percent(share(within(fewest, passes).astype(np.float64))) for passes in PASSES]
        lines.append(f"| {NAMES[column]} | {' | '.join(found)} |")
    return "\n".join(lines)


def scores_table(columns: dict[str, dict[int, int]]) -> str:
    """Returns mean and deciles of the best score, and the share of series that reach par, as Markdown."""
    scores = values_of(columns["best_score"])
    found = mean(scores.astype(np.float64))
    deciles = ", ".join(str(int(one)) for one in np.quantile(scores, np.arange(1, 10) / 10, method="inverted_cdf"))
    return "\n".join(
        [
            f"| of {len(scores):,} deals | perfect play for the score, three passes |",
            "|---|---|",
            f"| mean | {found.value:.2f} ({found.low:.2f} to {found.high:.2f}) |",
            f"| deciles | {deciles} |",
            f"| {PAR.doc} | {percent(par(scores))} |",
        ]
    )


def par(scores: NDArray[np.int64]) -> Estimate:
    """Estimates the share of series of independent deals that reach par."""
    low = int(scores.min())
    one = np.bincount(scores - low) / len(scores)
    others = np.array([1.0])
    for _ in range(PAR.size - 1):
        others = np.convolve(others, one)
    sums = np.arange(len(others)) + low * (PAR.size - 1)
    reached = np.array([others[sums + low + at >= PAR.at_least].sum() for at in range(len(one))])
    value = float(one @ reached)
    error = PAR.size * np.sqrt(one @ (reached - value) ** 2 / len(scores))
    half = float(stats.norm.ppf((1 + LEVEL) / 2) * error)
    return Estimate(value, value - half, value + half)


def tour_infernale_table(columns: dict[str, dict[int, int]]) -> str:
    """Returns the shares of deals that can be won and that are open, by piles and passes, as Markdown."""
    deals = sum(next(iter(columns.values())).values())
    lines = [f"| of {deals:,} deals | can be won, at least | open |", "|---|---|---|"]
    for column in RULES:
        answers = values_of(columns[column])
        found = (percent(share((answers == one).astype(np.float64))) for one in (WINNABLE, OPEN))
        lines.append(f"| {column.replace('_', ' ')} | {' | '.join(found)} |")
    return "\n".join(lines)


def percent(found: Estimate) -> str:
    """Returns a share with its interval in per cent."""
    return f"{100 * found.value:.2f} % ({100 * found.low:.2f} to {100 * found.high:.2f})"


TABLES: Final[dict[str, Callable[[dict[str, dict[int, int]]], str]]] = {
    "pyramid odds": odds_table,
    "pyramid scores": scores_table,
    "tour_infernale odds": tour_infernale_table,
}
"""Name of a table of counts -> what the documentation shows of it."""


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", type=Path, nargs="?", default=solitaire_seeds.FOLDER / "odds.csv")
    path = parser.parse_args().counts
    for name, table in TABLES.items():
        counts = read_counts(path, name)
        if counts:
            print(f"{table(counts)}\n")


if __name__ == "__main__":
    main()
