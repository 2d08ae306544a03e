"""Every option of every game, and what each agent makes of it. `python -m tests.options` writes the tables of the docs.

`tests/agents/test_options.py` tries all of it.
"""

import re
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from solitaire_agents.catalogue import agents_of, find_agent, kit_of, solver_of, uses_of
from solitaire_agents.trained import SHIPPED, read_card
from solitaire_envs import klondike, series
from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.game import Game, Options
from solitaire_evaluation.solving.solve import checked_solver

PAGE = Path(__file__).parents[1] / "docs" / "evaluation.md"
BEGIN, END = "<!-- `python -m tests.options` writes this: begin -->", "<!-- end -->"
NUMBERS = (1, 2, 3, 5, 6, 102, 150, 999, 1_000, 1_001)
"""The numbers that are tried where an option is one."""
SHOWN = {"Pyramid": series.PAR, "La tour infernale": series.SPRINT, "Klondike": klondike.GAME}
"""Title of a table -> the game with the most options."""
OTHERS = ("solver", "labels")


def names_of(game: Game) -> list[str]:
    """Returns all that treats the options of a game: its agents, trained agents, solver and labels."""
    kit = kit_of(game)
    parts = [name for name in OTHERS if getattr(kit, name) is not None and game.base is None]
    return [*agents_of(game), *kit.trained, *parts]


def declared(game: Game, name: str) -> Any:
    """Returns the declared uses of the options by an agent, or another of `names_of`."""
    return uses_of(game, "trained" if name in kit_of(game).trained else name)


def refusal(game: Game, name: str, options: Any) -> str:
    """Returns the message of a refusal; empty if the agent plays under the options, or there are labels for them."""
    try:
        if name == "labels":
            make = kit_of(game).labels
            return "" if make is None or make().file(options) else "no labels"
        if name == "solver":
            return min((_refused_goal(game, options, goal) for goal in solver_of(game).goals), key=len)
        find_agent(name, game, options)
    except ValueError as error:
        return str(error)
    return ""


def _refused_goal(game: Game, options: Any, goal: str) -> str:
    try:
        checked_solver(game, options, goal)
    except ValueError as error:
        return str(error)
    return ""


@cache
def base_options(game: Game, name: str) -> Options:
    """Returns options under which an agent plays: those of an environment, or those that it has learned."""
    presets = [dict(entry.preset) for entry in CATALOGUE.values() if entry.game.root is game.root]
    if name in kit_of(game).trained:
        presets += read_card(SHIPPED / name)["rules"]
    found = (game.options(**preset) for preset in ({}, *presets))
    return next(options for options in found if not refusal(game, name, options))


def values_of(game: Game, option: str) -> Iterator[Any]:
    """Yields values of an option to try: all of them, or `NUMBERS` that it allows and None."""
    hint, about = get_type_hints(game.options)[option], game.options.__dataclass_fields__[option].metadata
    for kind in get_args(hint) or (hint,):
        if kind is bool:
            yield from (False, True)
        elif kind is int:
            yield from (number for number in NUMBERS if about["minimum"] <= number <= about["maximum"])
        else:
            yield None if kind is NoneType else kind


def tables() -> str:
    """Returns the tables: a row for each agent, a column for each option."""
    parts = []
    for title, game in SHOWN.items():
        options = [spec.name for spec in fields(game.options)]
        rows = [
            f"**{title}**",
            "",
            "| | " + " | ".join(f"`{name}`" for name in options) + " |",
            "|---" * (len(options) + 1) + "|",
        ]
        for name in (*agents_of(game), "trained", *OTHERS):
            uses = uses_of(game, name) or {}
            cells = [uses[option].words if option in uses else "" for option in options]
            rows.append(f"| {name} | " + " | ".join(cells) + " |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts)


def with_tables(text: str) -> str:
    """Returns the page's text with the tables of today between its marks."""
    pattern = f"{re.escape(BEGIN)}.*?{re.escape(END)}"
    return re.sub(pattern, lambda _: f"{BEGIN}\n{tables()}\n{END}", text, count=1, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
