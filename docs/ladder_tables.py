"""How well each game can be played: tables for the documentation.

They are made from the labels of test deals, from `published-rates.csv`, and from `played.csv`, which
`experiments/ladder.py` and `experiments/fair_bound.py` write.
"""

import csv
from collections.abc import Callable
from pathlib import Path

from game_tables import table

from solitaire_agents.catalogue import share_winnable
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_training.commands.arguments import chosen_env_spec

DOCS = Path(__file__).parent
AGENTS = ("uniform", "greedy", "trained", "planner")
BOUND, TRAINED, ORACLE = "bound", ("best", "trained"), "oracle"
LADDERS = {
    "Pyramid, three passes": ("solitaire/Pyramid-v0", "objective=win"),
    "Pyramid, one pass": ("solitaire/Pyramid-v0", "objective=win passes=1"),
    "La tour infernale, one pass": ("solitaire/TourInfernaleOnePass-v0", ""),
    "Klondike, three cards a draw": ("solitaire/Klondike-v0", ""),
    "Klondike, one card a draw": ("solitaire/KlondikeDrawOne-v0", ""),
    "Golf": ("solitaire/Golf-v0", ""),
    "Canfield": ("solitaire/Canfield-v0", ""),
}
"""Title -> environment and options."""


def ladder(argument: str) -> str:
    """Returns the table of the games that are not declared: from random moves to what is possible."""
    lines = []
    for title, (env, option) in LADDERS.items():
        rows = {row["agent"]: row for row in _rows("played.csv") if (row["env"], row["option"]) == (env, option)}
        known = ("uniform", *TRAINED, "planner", BOUND, ORACLE)
        rules = [row for agent, row in rows.items() if agent not in known]
        rule = max(rules, key=lambda row: float(row["won"]), default=None)
        trained = next((rows[agent] for agent in TRAINED if agent in rows), None)
        spec = chosen_env_spec(env, option.split())
        least, most = _winnable(spec)
        possible = least if least == most else f"{least} to {most}"
        lines.append(
            (
                title,
                _cell(rows.get("uniform")),
                f"{_cell(rule)} `{rule['agent']}`" if rule else "",
                _cell(trained),
                _cell(rows.get("planner")),
                _cell(rows.get(BOUND)),
                possible or _cell(rows.get(ORACLE)),
            )
        )
    heads = ["game", "random", "best rule", "trained", "planner", "no fair player wins more", "all cards known"]
    return table(heads, lines)


def shelf(argument: str) -> str:
    """Returns the table of the declared games: what can be won, and what agents win."""
    published = {row["env"]: row["won"] for row in _rows("published-rates.csv") if not row["option"]}
    won = {(row["env"], row["agent"]): _percent(row) for row in _rows("played.csv") if not row["option"]}
    lines = []
    for declared in DECLARED:
        env, hidden = declared.env_id, "yes" if PILE_GAMES[declared.env_id].unseen.stop else "no"
        played = [won.get((env, agent), "") for agent in AGENTS]
        winnable = _winnable(EnvSpec(env=env, options=PILE_GAMES[env].options()))
        lines.append((declared.title, hidden, *winnable, published.get(env, ""), *played))
    return table(["game", "hidden cards", "won at least", "won at most", "published", *AGENTS], lines)


def _rows(name: str) -> list[dict[str, str]]:
    with (DOCS / name).open(encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def _percent(row: dict[str, str]) -> str:
    won, low, high = (100 * float(row[name]) for name in ("won", "won_low", "won_high"))
    return f"{won:.1f} ± {(high - low) / 2:.1f}"


def _cell(row: dict[str, str] | None) -> str:
    """Returns a share in per cent, and the seconds of a deal where they can be felt."""
    if row is None:
        return ""
    seconds = float(row["seconds"])
    return _percent(row) + (f" ({seconds:.2g} s)" if seconds >= 0.005 else "")


def _winnable(spec: EnvSpec) -> tuple[str, str]:
    """Returns the least and the most share of test deals that can be won."""
    found = share_winnable(spec.game, spec.options)
    return ("", "") if found is None else (f"{100 * found[0]:.1f}", f"{100 * found[1]:.1f}")


TABLES: dict[str, Callable[[str], str]] = {"ladder": ladder, "shelf": shelf}
"""Name -> what makes its Markdown from its argument."""
