"""The commands ``solve`` and ``label``."""

import argparse
import json
from pathlib import Path

from solitaire_training.commands.arguments import (
    add_game_arguments,
    add_workers_arguments,
    chosen_env_spec,
    chosen_workers,
    whole,
)

MAX_LABELLED = 100_000_000
"""Deals in one list of labels, at most, since the list is held in memory."""


def _add_solve(parser: argparse.ArgumentParser) -> None:
    add_game_arguments(parser)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--deal", type=whole(0, 2**64 - 1), help="deal number")
    which.add_argument("--deck", help="the cards in dealing order")
    parser.add_argument(
        "--goal", default="", help="what to reach, such as score; an unknown goal is answered with a list"
    )
    parser.add_argument("--max-nodes", type=whole(1), help="give up after so many positions")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_label(parser: argparse.ArgumentParser) -> None:
    add_game_arguments(parser)
    parser.add_argument(
        "--first",
        type=whole(0, 2**64 - 1),
        default=0,
        help=f"first deal number (default 0); training deals begin at {2**63}",
    )
    parser.add_argument("--count", type=whole(1, MAX_LABELLED), required=True, help="number of deals")
    parser.add_argument("--out", type=Path, required=True, help="the CSV file; one named .csv.gz is packed")
    parser.add_argument(
        "--max-nodes",
        type=whole(1),
        help="leave a deal unsettled after so many positions (default: the limit of the game, if it has one); "
        "deals that are in the file already are not tried again",
    )
    add_workers_arguments(parser)


def _solve(chosen: argparse.Namespace) -> None:
    from solitaire_envs.cards import deck_of_deal, parse_deck
    from solitaire_evaluation.solving.solve import solve_deal

    env_spec = chosen_env_spec(chosen.env, chosen.options)
    cards = env_spec.game.num_cards
    deck = parse_deck(chosen.deck, cards) if chosen.deal is None else deck_of_deal(chosen.deal, cards)
    answer = solve_deal(env_spec.game, env_spec.options, deck, chosen.goal, chosen.max_nodes, deal=chosen.deal)
    print(json.dumps(answer.to_json()) if chosen.json else answer.to_text())


def _label(chosen: argparse.Namespace) -> None:
    import numpy as np
    from tqdm import tqdm

    from solitaire_agents.catalogue import labels_under
    from solitaire_envs.cards import check_deal
    from solitaire_evaluation.solving.label_store import read_labels, summary_text, write_labels

    check_deal(chosen.first + chosen.count - 1)
    env_spec, deals = (
        chosen_env_spec(chosen.env, chosen.options),
        chosen.first + np.arange(chosen.count, dtype=np.uint64),
    )
    labels = labels_under(env_spec.game, env_spec.options)
    if chosen.max_nodes is not None:
        labels = labels.limited(chosen.max_nodes)
    with chosen_workers(chosen) as workers, tqdm(total=len(deals), unit="deal") as bar:
        count = write_labels(chosen.out, deals, labels, workers, bar.update)
    print(f"{count:,} deals labelled; {chosen.out} has all {len(deals):,}")
    print(summary_text(labels, read_labels(chosen.out, labels)))


ARGUMENTS = {"solve": (_add_solve, _solve), "label": (_add_label, _label)}
