"""The command ``submit``."""

import argparse
from pathlib import Path

from solitaire_training.commands.arguments import add_import_argument, add_jobs_argument, import_chosen


def _add_submit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="what `compare --out` has written, with benchmark.json beside it")
    parser.add_argument("--scoreboard", type=Path, help="write the rows into this file (default: print them as JSON)")
    add_import_argument(parser)
    add_jobs_argument(parser)


def _submit(chosen: argparse.Namespace) -> None:
    import json
    from dataclasses import asdict

    from tqdm import tqdm

    from solitaire_evaluation.benchmark import write_rows
    from solitaire_evaluation.pool import ThisMachine
    from solitaire_evaluation.submission import check_submission

    import_chosen(chosen)
    with ThisMachine(chosen.jobs) as workers, tqdm(unit=" deals", leave=False, disable=None, delay=1) as bar:
        rows = check_submission(chosen.folder, workers=workers, progress=bar.update)
    for row in rows:
        print(row.to_text() if chosen.scoreboard else json.dumps(asdict(row)))
    if chosen.scoreboard:
        write_rows(chosen.scoreboard, rows)
        print(f"{len(rows)} row{'s' * (len(rows) > 1)} written into {chosen.scoreboard}")


ARGUMENTS = {"submit": (_add_submit, _submit)}
