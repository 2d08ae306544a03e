"""Every option of every game, and what each agent makes of it. `python -m tests.options` writes the tables of the docs.

`tests/agents/test_options.py` tries all of it.
"""

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple, get_args, get_type_hints

from solitaire_agents.catalogue import agents_of, find_agent, kit_of, solver_of, uses_of
from solitaire_agents.trained import SHIPPED, read_card
from solitaire_agents.uses import LEARNED
from solitaire_envs import klondike, series
from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.checks import short
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options
from solitaire_evaluation.solving.solve import checked_solver

PAGE = Path(__file__).parents[1] / "docs" / "evaluation.md"
BEGIN, END = "<!-- `python -m tests.options` writes this: begin -->", "<!-- end -->"
NUMBERS = (1, 2, 3, 5, 6, 102, 150, 999, 1_000, 1_001)
"""The numbers that are tried where an option is one."""
SHOWN = {"Pyramid": series.PAR, "La tour infernale": series.SPRINT, "Klondike": klondike.GAME}
"""Title of a table -> the game with the most options."""
OTHERS = ("solver", "labels")

QUICK_MOVES, SLOW_MOVES = 90, 2
"""Moves of a game that are compared; of agents that search, and are slow, only the first."""


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


# --- What is checked --------------------------------------------------------------------------------------------------


class Seen(NamedTuple):
    """What an agent saw before a move, and the move."""

    observation: bytes
    mask: bytes
    action: int


@cache
def moves(game: Game, options: Options, name: str) -> list[Seen]:
    """Plays the beginning of a game; an illegal move raises."""
    agent = find_agent(name, game, options)
    engine, seen = Engine(game, agent.shown(options), 1), list[Seen]()
    engine.deal_numbers([2**40])
    shown = slice(game.root.observation_size)  # without what a series adds
    while len(seen) < (QUICK_MOVES if agent.quick else SLOW_MOVES) and not _over(engine):
        actions, buffers = agent.choose(engine), engine.buffers
        seen.append(Seen(buffers.observations[0, shown].tobytes(), buffers.action_masks.tobytes(), int(actions[0])))
        engine.step(actions)
    return seen


def _over(engine: Engine) -> bool:
    """Returns whether the first game is over; in a series the next one may have begun."""
    states = engine.states
    return bool(states.ended[0] or ("games" in states.dtype.names and states.games[0] > 0))


def others(game: Game, name: str, changed: str) -> list[tuple[Any, Options]]:
    """Returns the other values of an option, each with the options that have them."""
    base = base_options(game, name)
    now = getattr(base, changed)
    return [(value, replace(base, **{changed: value})) for value in values_of(game, changed) if value != now]


def check_declared(game: Game, name: str) -> None:
    """Checks that an agent declares every option of a game."""
    assert {spec.name for spec in fields(game.options)} <= set(declared(game, name))


def check_refusals(game: Game, name: str) -> None:
    """Checks that the values that an agent is declared to refuse are refused, in one line, and no others."""
    for option in (spec.name for spec in fields(game.options)):
        use = declared(game, name)[option]
        for value, options in others(game, name, option):
            said, expected = refusal(game, name, options), use.expected(option, options)
            assert bool(said) == bool(expected) or (use == LEARNED and said), (option, value, said)
            if said and name != "labels":
                assert "expected " in said
                assert "\n" not in said
                parts = (option, name) if use == LEARNED else (option, name, short(value))
                assert all(part in said for part in parts), said


def check_moves(game: Game, name: str) -> None:
    """Checks that an agent plays under all values that it does not refuse, and that only inputs change its moves.

    Of quick agents it also checks that each input changes what they see or play. A trained agent may see an objective
    in few positions only, so it is left out.
    """
    base = moves(game, base_options(game, name), name)
    assert len(base) >= SLOW_MOVES
    seen_in_one_game = find_agent(name, game, base_options(game, name)).quick and name not in kit_of(game).trained
    for option in (spec.name for spec in fields(game.options)):
        influence, changes = declared(game, name)[option].influence, list[bool]()
        for value, options in others(game, name, option):
            if not refusal(game, name, options):
                found = moves(game, options, name)
                same = [one.action for one in found] == [one.action for one in base[: len(found)]]
                assert influence or same, (option, value)
                changes.append(found != base[: len(found)])
        assert any(changes) or not (influence and seen_in_one_game and changes), option


# --- What is written --------------------------------------------------------------------------------------------------


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
