"""The table of the declared games at a glance, for the documentation.

It is made from the labels of test deals, from `published-rates.csv`, and from `shelf.csv`, which `experiments/shelf.py`
writes.
"""

import csv
from collections.abc import Callable
from pathlib import Path

from game_tables import table

from solitaire_agents.catalogue import labels_of
from solitaire_agents.kit import Status
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from solitaire_evaluation.solving.label_store import read_labels

DOCS = Path(__file__).parent
AGENTS = ("uniform", "greedy", "trained", "planner")


def shelf(argument: str) -> str:
    """Returns the table of the declared games: what can be won, and what agents win."""
    published = {row["env"]: row["won"] for row in _rows("published-rates.csv") if not row["option"]}
    won = {(row["env"], row["agent"]): _percent(row) for row in _rows("shelf.csv")}
    lines = []
    for declared in DECLARED:
        env, hidden = declared.env_id, "yes" if PILE_GAMES[declared.env_id].unseen.stop else "no"
        played = [won.get((env, agent), "") for agent in AGENTS]
        lines.append((declared.title, hidden, *_solved(env), published.get(env, ""), *played))
    return table(["game", "hidden cards", "can be won", "open", "published", *AGENTS], lines)


def _rows(name: str) -> list[dict[str, str]]:
    with (DOCS / name).open(encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def _percent(row: dict[str, str]) -> str:
    won, low, high = (100 * float(row[name]) for name in ("won", "won_low", "won_high"))
    return f"{won:.1f} ± {(high - low) / 2:.1f}"


def _solved(env: str) -> tuple[str, str]:
    """Returns the shares of test deals that can be won, and that are open."""
    game, labels = PILE_GAMES[env], labels_of(PILE_GAMES[env])
    path = labels.file(game.options())
    if path is None or not path.exists():
        return "", ""
    answers = read_labels(path, labels)[:, 1]
    return f"{100 * (answers == Status.SOLVED).mean():.1f}", f"{100 * (answers == Status.UNKNOWN).mean():.1f}"


TABLES: dict[str, Callable[[str], str]] = {"shelf": shelf}
"""Name -> what makes its Markdown from its argument."""
