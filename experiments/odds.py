"""The odds of perfect play with the stock open: counts them, and prints the tables of the documentation.

    .venv/bin/python experiments/odds.py
    .venv/bin/python experiments/odds.py --table "pyramid odds" --first 1000000000 --count 1000000 --out deals.csv

The first prints the tables from the counts among the seeds. The second answers for a range of deals, and goes on where
it was stopped. Then it writes how many of them have each answer into the file of counts, in place of what the file has
for the same range. Ranges must not overlap: their counts are added up.
"""

import argparse
import csv
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from study import in_percent
from tqdm import tqdm

import solitaire_seeds
from solitaire_agents.kit import DealTable, Status, dealt
from solitaire_agents.pyramid.solver.api import new_memory
from solitaire_agents.pyramid.solving import PASSES, RULES, fewest_passes, settled, within
from solitaire_agents.tour_infernale.solver import api as tour_solver
from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.pyramid import PAR_SHARE
from solitaire_envs.tour_infernale import TourInfernaleOptions
from solitaire_evaluation.pool import ThisMachine
from solitaire_evaluation.solving.label_store import read_labels, write_labels
from solitaire_evaluation.statistics import LEVEL, Estimate, mean, share

Counts = dict[str, dict[int, int]]
"""Column -> value -> deals that have it."""
HEADER = ("table", "first", "last", "column", "value", "deals")


class PyramidOdds(DealTable):
    """In how few passes deals can be won (all 52 cards) and cleared (the pyramid), with and without stock-waste pairs.

    0: not in three passes. A deal that can be won can be cleared, and one that can be won without pairs of stock and
    waste can be won with them: so each question is only asked where the one before it was answered with yes.
    """

    columns = ("deal", "clearable_in", "winnable_in", "clearable_in_without_pairs", "winnable_in_without_pairs")
    names = (
        "the pyramid can be cleared",
        "all 52 cards can be discarded",
        "the pyramid, no pair of stock and waste",
        "all 52, no pair of stock and waste",
    )
    chunk = 500

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Answers for deals, [n] -> [n, 5]."""
        states, memory = dealt(pyramid.GAME, RULES["all"], deals), new_memory()
        without = {goal: replace(options, stock_waste_pairs=False) for goal, options in RULES.items()}
        cleared = fewest_passes(states, RULES["pyramid"], memory)
        won = fewest_passes(states, RULES["all"], memory, possible=cleared)
        cleared_without = fewest_passes(states, without["pyramid"], memory, possible=cleared)
        possible = np.where(won > 0, cleared_without, 0)
        won_without = fewest_passes(states, without["all"], memory, possible=possible)
        return np.stack([deals.astype(np.int64), cleared, won, cleared_without, won_without], axis=1)

    def table(self, counts: Counts) -> str:
        """Returns the shares of deals by rule and passes, as Markdown."""
        head = " | ".join(f"{n} pass{'es' * (n > 1)}" for n in PASSES)
        lines = [f"| of {deals_of(counts):,} deals | {head} |", "|---|" + "---|" * len(PASSES)]
        for column, name in zip(self.columns[1:], self.names, strict=True):
            fewest = values_of(counts[column])
            lines.append(f"| {name} | {' | '.join(percent(within(fewest, passes)) for passes in PASSES)} |")
        return "\n".join(lines)


class PyramidScores(DealTable):
    """The best score of each deal under the default rules."""

    columns = ("deal", "best_score")
    chunk = 100

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Answers for deals, [n] -> [n, 2]."""
        found = settled(dealt(pyramid.GAME, RULES["all"], deals), RULES["all"], "score", new_memory())
        return np.stack([deals.astype(np.int64), found[:, 1]], axis=1)

    def table(self, counts: Counts) -> str:
        """Returns mean and deciles of the best score, and the share of series that reach par, as Markdown."""
        scores = values_of(counts["best_score"])
        found = mean(scores.astype(np.float64))
        deciles = ", ".join(str(int(one)) for one in np.quantile(scores, np.arange(1, 10) / 10, method="inverted_cdf"))
        return "\n".join(
            [
                f"| of {len(scores):,} deals | perfect play for the score, three passes |",
                "|---|---|",
                f"| mean | {found.value:.2f} ({found.low:.2f} to {found.high:.2f}) |",
                f"| deciles | {deciles} |",
                f"| {PAR_SHARE.doc} | {in_percent(par(scores))} |",
            ]
        )


class TourInfernaleOdds(DealTable):
    """Which deals can be won, under four rules: 1 where a win is known, 0 where a loss is proved, -1 where neither.

    A win in one pass is a win in two. And a win with five piles is a win with six: the card that lies on the sixth pile
    is played from there where it was played as the lowest card of the waste. So the hardest game is asked for first.
    """

    rules = ((5, 1), (5, 2), (6, 1), (6, 2))
    """Piles and passes, the hardest first."""
    columns = ("deal", "five_piles_one_pass", "five_piles_two_passes", "six_piles_one_pass", "six_piles_two_passes")
    max_nodes = 5_000_000
    """Configurations searched for one answer, at most: two seconds or so."""
    chunk = 20

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Answers for deals, [n] -> [n, 5]."""
        memory = tour_solver.new_memory()
        answers = np.full((len(deals), len(self.rules)), Status.UNKNOWN)
        for column, (piles, passes) in enumerate(self.rules):
            harder = [at for at, rule in enumerate(self.rules) if rule[0] <= piles and rule[1] <= passes]
            won = (answers[:, harder] == Status.SOLVED).any(axis=1)
            answers[won, column] = Status.SOLVED
            options = TourInfernaleOptions(piles=piles, passes=passes)
            states = dealt(tour_infernale.GAME, options, deals)
            for at in np.flatnonzero(~won):
                found = tour_solver.solve(states[at], options, max_nodes=self.max_nodes, memory=memory)
                answers[at, column] = found.status
        return np.column_stack([deals.astype(np.int64), answers])

    def table(self, counts: Counts) -> str:
        """Returns the shares of deals that can be won and that are open, by piles and passes, as Markdown."""
        lines = [f"| of {deals_of(counts):,} deals | can be won, at least | open |", "|---|---|---|"]
        for column in self.columns[1:]:
            answers = values_of(counts[column])
            found = (percent(answers == one) for one in (Status.SOLVED, Status.UNKNOWN))
            lines.append(f"| {column.replace('_', ' ')} | {' | '.join(found)} |")
        return "\n".join(lines)


TABLES: Final = {
    "pyramid odds": PyramidOdds(),
    "pyramid scores": PyramidScores(),
    "tour_infernale odds": TourInfernaleOdds(),
}


def read_counts(path: Path) -> list[list[str]]:
    """Reads the rows of a file of counts."""
    header, *rows = csv.reader(path.read_text(encoding="ascii").splitlines())
    if tuple(header) != HEADER:
        raise ValueError(f"expected columns {', '.join(HEADER)} in {path}, got {', '.join(header)}")
    return rows


def add_counts(path: Path, name: str, table: DealTable, rows: NDArray[np.int64]) -> None:
    """Writes how many deals of a range have each value of each column, in place of what the file has for that range.

    Args:
        path: The file of counts, which need not exist.
        name: Name of the table.
        table: The table.
        rows: Its rows for consecutive deals, [n, columns].
    """
    first, last = rows[[0, -1], 0].astype(np.uint64).tolist()
    counted = [
        [name, str(first), str(last), column, *map(str, pair)]
        for column, values in zip(table.columns[1:], rows.T[1:], strict=True)
        for pair in zip(*np.unique(values, return_counts=True), strict=True)
    ]
    others = [row for row in read_counts(path) if row[:3] != counted[0][:3]] if path.exists() else []
    lines = sorted([*others, *counted], key=lambda row: (row[0], int(row[1])))
    path.write_text("".join(f"{','.join(line)}\n" for line in [list(HEADER), *lines]), encoding="ascii")


def total(rows: list[list[str]], name: str) -> Counts:
    """Adds up the ranges of a table."""
    counts: Counts = {}
    for table, _, _, column, value, deals in rows:
        if table == name:
            of_column = counts.setdefault(column, {})
            of_column[int(value)] = of_column.get(int(value), 0) + int(deals)
    return counts


def values_of(counts: dict[int, int]) -> NDArray[np.int64]:
    """Returns each value as often as it was counted, [deals]."""
    return np.repeat(np.array(list(counts), np.int64), list(counts.values()))


def deals_of(counts: Counts) -> int:
    """Returns how many deals were counted."""
    return sum(next(iter(counts.values())).values())


def par(scores: NDArray[np.int64]) -> Estimate:
    """Estimates the share of series of independent deals that reach par.

    It follows from the distribution of the best score. The interval is that of a U-statistic (Hoeffding 1948): what one
    deal contributes is the chance that the others of a series make up for it.
    """
    low = int(scores.min())
    one = np.bincount(scores - low) / len(scores)
    others = np.array([1.0])
    for _ in range(PAR_SHARE.size - 1):
        others = np.convolve(others, one)
    sums = np.arange(len(others)) + low * (PAR_SHARE.size - 1)
    reached = np.array([others[sums + low + at >= PAR_SHARE.at_least].sum() for at in range(len(one))])
    value = float(one @ reached)
    error = PAR_SHARE.size * np.sqrt(one @ (reached - value) ** 2 / len(scores))
    half = float(stats.norm.ppf((1 + LEVEL) / 2) * error)
    return Estimate(value, value - half, value + half)


def percent(yes: NDArray[np.bool_]) -> str:
    """Returns the share of deals that have something, with its interval, in per cent."""
    return in_percent(share(yes.astype(np.float64)))


def main() -> None:
    """Prints the tables, or counts a range of deals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", type=Path, default=solitaire_seeds.FOLDER / "odds.csv", help="the file of counts")
    parser.add_argument("--table", choices=TABLES, help="what to count")
    parser.add_argument("--first", type=int, default=1_000_000_000, help="first deal (default 1,000,000,000)")
    parser.add_argument("--count", type=int, default=1_000, help="number of deals (default 1,000)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--out", type=Path, default=Path("deals.csv"), help="the answers, deal by deal")
    chosen = parser.parse_args()
    if chosen.table:
        table, deals = TABLES[chosen.table], chosen.first + np.arange(chosen.count, dtype=np.uint64)
        with ThisMachine(chosen.jobs) as workers, tqdm(total=len(deals), unit="deal") as bar:
            write_labels(chosen.out, deals, table, workers, bar.update)
        rows = read_labels(chosen.out, table)
        add_counts(chosen.counts, chosen.table, table, rows[np.isin(rows[:, 0].astype(np.uint64), deals)])
    rows_of_counts = read_counts(chosen.counts)
    for name, table in TABLES.items():
        if counts := total(rows_of_counts, name):
            print(f"{table.table(counts)}\n")


if __name__ == "__main__":
    main()
