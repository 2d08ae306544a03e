"""Deals that can be won in the declared games, by the exact solver, beside the published rates, as a table in Markdown.

python experiments/solver_rates.py --games FreeCell,BakersGame --deals 1000
python experiments/solver_rates.py --deals 1000 --jobs 2

It goes on from the labels of test deals in `seeds/`, and for other rules from files in `--folder`; with `--again` it
searches those once more that are open there. A rate agrees with a published one if this lies between the lower end for
deals won and the upper end for deals won or open.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np

from solitaire_agents.catalogue import labels_under
from solitaire_agents.kit import Status
from solitaire_envs.catalogue import find_entry
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.pool import ThisMachine
from solitaire_evaluation.solving.label_store import read_labels, write_label_file, write_labels
from solitaire_evaluation.statistics import share
from solitaire_training.commands.arguments import parse_options

PUBLISHED = Path(__file__).parents[1] / "docs" / "published-rates.csv"


def main() -> None:
    """Prints a row for each published rate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", help="titles in ids, with commas between (default: all that have a rate)")
    parser.add_argument("--deals", type=int, default=1_000)
    parser.add_argument("--max-nodes", type=int, help="most positions of a deal (default: those of the labels)")
    parser.add_argument("--again", action="store_true", help="search open deals once more")
    parser.add_argument("--folder", type=Path, default=Path("runs/solver-rates"))
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    games = chosen.games.split(",") if chosen.games else None
    print(
        "| game | option | won | open | published | agrees | ms a deal |\n| --- | --- | --- | --- | --- | --- | --- |"
    )
    with PUBLISHED.open(encoding="ascii") as file, ThisMachine(chosen.jobs) as workers:
        for row in csv.DictReader(file):
            name = row["env"].removeprefix("solitaire/").removesuffix("-v0")
            if games is not None and name not in games:
                continue
            game = find_entry(row["env"]).game
            spec = make_env_spec(row["env"], parse_options(game, [row["option"]] if row["option"] else []))
            labels = labels_under(game, spec.options)
            labels = labels.limited(chosen.max_nodes) if chosen.max_nodes else labels
            path = labels.file(spec.options) or chosen.folder / f"{game.name}-{row['option']}.csv"
            if chosen.again and path.exists():
                rows = read_labels(path, labels)
                write_label_file(path, labels.columns, rows[rows[:, 1] != Status.UNKNOWN])
            started = time.perf_counter()
            solved = write_labels(path, np.arange(chosen.deals, dtype=np.uint64), labels, workers)
            milliseconds = f"{1_000 * (time.perf_counter() - started) / solved:.1f}" if solved else "-"
            answers = read_labels(path, labels)[: chosen.deals, 1]
            won, unknown = answers == Status.SOLVED, answers == Status.UNKNOWN
            low, high = share(won).low, share(won | unknown).high
            published, wide = float(row["won"]), float(row["interval"])
            agrees = "yes" if low <= (published + wide) / 100 and (published - wide) / 100 <= high else "no"
            shares = f"{won.mean():.1%}", f"{unknown.mean():.1%}", f"{published} ± {wide}"
            print(f"| {name} | {row['option'] or '-'} | {' | '.join(shares)} | {agrees} | {milliseconds} |", flush=True)


if __name__ == "__main__":
    main()
