"""The commands ``solve`` and ``label``."""

import argparse
import json
from pathlib import Path

from solitaire_training.commands.arguments import (
    add_option_argument,
    add_workers_arguments,
    chosen_workers,
    parse_options,
    print_repeats,
    whole,
)

MAX_DEALS = 100_000_000
"""In one list of labels, which is held in memory."""


def _add_solve(parser: argparse.ArgumentParser) -> None:
    _add_game(parser)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--deal", type=whole(0, 2**64 - 1), help="deal number")
    which.add_argument("--deck", help="52 cards in dealing order")
    parser.add_argument(
        "--goal", default="", help="what to reach, such as score; an unknown goal is answered with a list"
    )
    parser.add_argument("--max-nodes", type=whole(1), help="give up after so many positions")
    add_option_argument(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_solve)


def _add_label(parser: argparse.ArgumentParser) -> None:
    _add_game(parser)
    parser.add_argument(
        "--first",
        type=whole(0, 2**64 - 1),
        default=0,
        help=f"first deal number (default 0); training deals begin at {2**63}",
    )
    parser.add_argument("--count", type=whole(1, MAX_DEALS), required=True, help="number of deals")
    parser.add_argument(
        "--table", default="labels", help="what to record of each; an unknown name is answered with a list"
    )
    parser.add_argument("--out", type=Path, required=True, help="the CSV file")
    parser.add_argument("--counts", type=Path, help="add how many of the deals have each value to this CSV file")
    add_workers_arguments(parser)
    parser.set_defaults(run=_label)


ARGUMENTS = {"solve": _add_solve, "label": _add_label}


def _add_game(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", default="pyramid", help="game that has a solver (default pyramid)")


def _solve(chosen: argparse.Namespace) -> None:
    from solitaire_envs.cards import deck_of_deal, parse_deck
    from solitaire_envs.catalogue import find_game
    from solitaire_envs.game import make_options
    from solitaire_training.solving.solve import solve_deal

    game = find_game(chosen.game)
    options = make_options(game.options, parse_options(game, chosen.options))
    deck = parse_deck(chosen.deck) if chosen.deal is None else deck_of_deal(chosen.deal)
    answer = solve_deal(game, options, deck, chosen.goal, chosen.max_nodes, deal=chosen.deal)
    print(json.dumps(answer.to_json()) if chosen.json else answer.to_text())


def _label(chosen: argparse.Namespace) -> None:
    import numpy as np
    from tqdm import tqdm

    from solitaire_agents.catalogue import table_of
    from solitaire_agents.files import check_writable
    from solitaire_envs.cards import check_deal
    from solitaire_envs.catalogue import find_game
    from solitaire_training.solving.counts import check_range, write_counts
    from solitaire_training.solving.label_store import label_deals, read_labels, summary_text

    first, last = check_deal(chosen.first), check_deal(chosen.first + chosen.count - 1)
    deals, game = first + np.arange(chosen.count, dtype=np.uint64), find_game(chosen.game)
    table, name = table_of(game, chosen.table), f"{game.name} {chosen.table}"
    if chosen.counts:
        check_writable(chosen.counts)
        check_range(chosen.counts, name, first, last)
    with chosen_workers(chosen) as workers, tqdm(total=len(deals), unit="deal") as bar:
        count = label_deals(chosen.out, deals, table, workers, bar.update)
    print_repeats(workers)
    rows = read_labels(chosen.out, table)
    print(f"{count:,} deals labelled; {chosen.out} has all {len(deals):,}")
    print(summary_text(table, rows))
    if chosen.counts:
        write_counts(chosen.counts, name, table, rows[np.isin(rows[:, 0].astype(np.uint64), deals)])
