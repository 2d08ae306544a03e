"""How well each game can be played: tables for the documentation.

They are made from the labels of test deals, from `published-rates.csv`, and from `played.csv`, which
`experiments/ladder.py` and `experiments/fair_bound.py` write.
"""

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from game_tables import table

from solitaire_agents.catalogue import share_winnable
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_training.commands.arguments import chosen_env_spec

DOCS = Path(__file__).parent
RULES, LEARNERS = ("uniform", "greedy"), ("self-play", "ppo")
BOUND, TRAINED, ORACLE = "bound", ("best", *LEARNERS), "oracle"
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
    """Returns the table of `LADDERS`: from random moves to what is possible."""
    lines = []
    played = _played()
    for title, (env, option) in LADDERS.items():
        rows = played[env, option]
        known = ("uniform", *TRAINED, "planner", BOUND, ORACLE)
        rules = [row for agent, row in rows.items() if agent not in known]
        rule = _strongest(rules)
        trained = _strongest(rows[agent] for agent in TRAINED if agent in rows)
        spec = chosen_env_spec(env, option.split())
        lines.append(
            (
                title,
                _cell(rows.get("uniform")),
                f"{_cell(rule)} `{rule['agent']}`" if rule else "",
                _cell(trained),
                _cell(rows.get("planner")),
                _cell(rows.get(BOUND)),
                _possible(spec) or _cell(rows.get(ORACLE)),
            )
        )
    heads = ["game", "random", "best rule", "trained", "planner", "no fair player wins more", "all cards known"]
    return table(heads, lines)


def shelf(argument: str) -> str:
    """Returns the table of the declared games: what can be won, and what agents win."""
    published = {row["env"]: row["won"] for row in _rows("published-rates.csv") if not row["option"]}
    played = _played()
    lines = []
    for declared in DECLARED:
        env, hidden = declared.env_id, "yes" if PILE_GAMES[declared.env_id].unseen.stop else "no"
        rows = played[env, ""]
        trained = _strongest(rows[agent] for agent in LEARNERS if agent in rows)
        agents = (_share(row) for row in (*map(rows.get, RULES), trained, rows.get("planner")))
        winnable = _winnable(EnvSpec(env=env, options=PILE_GAMES[env].options()))
        lines.append((declared.title, hidden, *winnable, published.get(env, ""), *agents))
    heads = ["game", "hidden cards", "won at least", "won at most", "published", *RULES, "trained", "planner"]
    return table(heads, lines)


def learned(argument: str) -> str:
    """Returns the table of what learners reach in declared games, with the amount and the minutes of training."""
    titles, lines = {declared.env_id: declared.title for declared in DECLARED}, []
    for (env, option), rows in _played().items():
        if env in titles and any(agent in rows for agent in LEARNERS):
            title = f"{titles[env]} `{option}`" if option else titles[env]
            possible = _possible(chosen_env_spec(env, option.split()))
            rules, learners = map(rows.get, RULES), map(rows.get, LEARNERS)
            lines.append(
                (title, possible, *map(_share, rules), *map(_training, learners), _planning(rows.get("planner")))
            )
    heads = ["game", "can be won", *RULES, "self-play (games)", "PPO (decisions)", "planner (simulations, deals)"]
    return table(heads, lines)


def _rows(name: str) -> list[dict[str, str]]:
    with (DOCS / name).open(encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def _played() -> defaultdict[tuple[str, str], dict[str, dict[str, str]]]:
    """Returns the rows of the agents by environment and options."""
    played = defaultdict[tuple[str, str], dict[str, dict[str, str]]](dict)
    for row in _rows("played.csv"):
        played[row["env"], row["option"]][row["agent"]] = row
    return played


def _strongest(rows: Iterable[dict[str, str]]) -> dict[str, str] | None:
    """Returns the row of the agent that wins most."""
    return max(rows, key=lambda row: float(row["won"]), default=None)


def _share(row: dict[str, str] | None) -> str:
    return _percent(row) if row else ""


def _training(row: dict[str, str] | None) -> str:
    """Returns a share in per cent, how much training that took, and the minutes."""
    return f"{_percent(row)} ({int(row['amount']):,}, {float(row['minutes']):.0f} min)" if row else ""


def _planning(row: dict[str, str] | None) -> str:
    """Returns a share in per cent, the most simulations a decision, the deals, and the seconds of a game."""
    if row is None:
        return ""
    simulations, deals = (f"{int(row[name]):,}" for name in ("amount", "deals"))
    return f"{_percent(row)} ({simulations}, {deals}, {float(row['seconds']):.2g} s)"


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


def _possible(spec: EnvSpec) -> str:
    """Returns the share of test deals that can be won, as a range where some are open."""
    return " to ".join(dict.fromkeys(filter(None, _winnable(spec))))


TABLES: dict[str, Callable[[str], str]] = {"ladder": ladder, "learned": learned, "shelf": shelf}
"""Name -> what makes its Markdown from its argument."""
