"""An upper bound on what any fair player of Pyramid can win: how much of what is missing is luck?

    .venv/bin/python experiments/fair_bound.py --deals 0-999 --hidden 4 --out fair-bound.csv
    .venv/bin/python experiments/fair_bound.py --deals 0-999 --option passes=2 --out fair-bound-2.csv

One who sees all cards plays each deal, but pays for what he learns early (`solitaire_agents.pyramid.fair_bound`). He
pays by the regrets where at most `--hidden` cards are hidden, and nothing before. The table, in Markdown, has the bound
without payment, which has to be the share that can be won; the bound; and the difference on the same deals. A row for
each deal goes to the file at once, so an interrupted run goes on where it was.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from study import in_percent, rows_in

from solitaire_agents.kit import Status, dealt
from solitaire_agents.pyramid.fair_bound import pass_one
from solitaire_agents.pyramid.solver.api import new_memory, solve
from solitaire_envs.pyramid import GAME, PyramidOptions
from solitaire_evaluation.deals import read_deals
from solitaire_evaluation.statistics import mean
from solitaire_training.commands.arguments import chosen_env_spec

HEADER = ("rules", "hidden", "deal", "winnable", "without", "bound", "positions", "seconds")


def read_rows(path: Path, rules: str, hidden: int) -> dict[int, list[float]]:
    """Reads the rows of a file that hold under these rules: deal -> winnable, bounds, positions, seconds."""
    rows = rows_in(path, HEADER)
    if any(row[:2] != [rules, str(hidden)] for row in rows):
        raise ValueError(f"expected {path} to have rows of {rules}, hidden={hidden}")
    return {int(row[2]): [float(each) for each in row[3:]] for row in rows}


def measure(deals: NDArray[np.uint64], options: PyramidOptions, hidden: int, path: Path) -> NDArray[np.float64]:
    """Returns the rows of some deals, [n, 5], and appends the new ones to a file."""
    rules = f"{options.passes} passes; pairs {options.stock_waste_pairs}; {options.goal}"
    rows, memory = read_rows(path, rules, hidden), new_memory(16)
    with path.open("a", encoding="ascii", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        for deal in (each for each in deals.tolist() if each not in rows):
            state, start = dealt(GAME, options, np.array([deal], np.uint64))[0], time.perf_counter()
            found = pass_one(state, options, memory)
            regrets = found.regrets(hidden)
            bounds = found.bound(0 * regrets), found.bound(-regrets)
            seconds = time.perf_counter() - start
            winnable = solve(state, options, memory=memory).status is Status.SOLVED
            if bounds[0] != winnable:
                raise AssertionError(f"deal {deal}: the bound without penalties is {bounds[0]}, winnable: {winnable}")
            rows[deal] = [float(winnable), *bounds, len(found.positions.left), round(seconds, 3)]
            table.writerow([rules, hidden, deal, *rows[deal]])
            file.flush()
    return np.array([rows[deal] for deal in deals.tolist()])


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", default="0-99", help="deals, as for compare (default the first 100 test deals)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the game")
    parser.add_argument("--hidden", type=int, default=4, help="most hidden cards where he pays (default 4)")
    parser.add_argument("--out", type=Path, default=Path("fair-bound.csv"), help="the file of rows")
    chosen = parser.parse_args()
    try:
        options = chosen_env_spec(
            "solitaire/Pyramid-v0",
            [*chosen.option, *([] if any("objective" in each for each in chosen.option) else ["objective=win"])],
        ).options
        rows = measure(read_deals(chosen.deals), options, chosen.hidden, chosen.out)
    except ValueError as error:
        parser.error(str(error))
    winnable, without, bound, positions, seconds = rows.T
    print(f"| of {len(rows):,} deals | |\n|---|---|")
    print(f"| can be won with all cards known | {in_percent(mean(winnable), 3)} |")
    print(f"| bound, v = 0 | {in_percent(mean(without), 3)} |")
    print(f"| bound, regrets of at most {chosen.hidden} hidden cards | {in_percent(mean(bound), 3)} |")
    print(f"| difference on the same deals | {in_percent(mean(bound - winnable), 3)} |")
    print(f"| deals with a lower bound | {int((bound < winnable - 1e-9).sum()):,} |")
    print(f"| positions of pass 1, mean | {positions.mean():,.0f} |")
    print(f"| seconds a deal, mean and most | {seconds.mean():.1f}, {seconds.max():.1f} |")


if __name__ == "__main__":
    main()
