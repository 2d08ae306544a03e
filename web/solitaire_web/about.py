"""What the page loads once: environments, options, agents and texts. Also the environment of a transcript."""

from dataclasses import asdict, fields
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from solitaire_agents.catalogue import LANGUAGES_OF_AGENTS, agents_of, kit_of, share_winnable
from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.game import Game, Options
from solitaire_envs.piles.declaration import Foundations, PileGame
from solitaire_envs.piles.games import DECLARED
from solitaire_envs.transcript import Transcript
from solitaire_envs.words import OptionWords, read_catalogue
from solitaire_evaluation.deals import daily_deal
from solitaire_evaluation.descriptions import first_sentence, rules_for_players, title_of_game
from solitaire_evaluation.provenance import versions
from solitaire_web.analyses import Agents

ENGLISH = "en"
"""The language of the sources, which needs no catalogue."""
LANGUAGES_OF_PAGE = Path(__file__).parent / "languages"
"""The page's own catalogues, one for each language that it offers besides English."""


DECLARED_SHAPES = {declared.env_id: declared for declared in DECLARED}
"""Environment id -> the declared game, whose shape is drawn on the shelf."""


@cache
def languages() -> tuple[str, ...]:
    """Returns the codes of the page's languages, sorted."""
    return tuple(sorted([ENGLISH, *(file.stem for file in LANGUAGES_OF_PAGE.glob("*.json"))]))


def language_of(wanted: str) -> str:
    """Returns the first wanted language that the page has; English if it has none of them.

    Args:
        wanted: Language codes separated by commas, the best first, such as ``de-CH,fr``; or an Accept-Language header,
            whose weights are ignored.
    """
    known, codes = languages(), [part.partition(";")[0].strip().lower() for part in wanted[:200].split(",")]
    return next((code for code in (code.partition("-")[0] for code in codes) if code in known), ENGLISH)


def words_of(language: str) -> dict[str, str]:
    """Returns the page's texts: English text -> translation; empty for English.

    A game that is registered later cannot change the translations of earlier ones.
    """
    games = [entry.game for entry in CATALOGUE.values()]
    folders = [LANGUAGES_OF_PAGE, LANGUAGES_OF_AGENTS]
    for game in dict.fromkeys(games):
        folders += [*game.words.languages, *kit_of(game).languages]
    return read_catalogue(dict.fromkeys(folders), language)


def about(agents: Agents) -> dict[str, Any]:
    """Returns the version, the languages, and the environments with their options and agents."""
    return {
        "version": versions(["solitaire-rl"]).get("solitaire-rl", ""),
        "languages": languages(),
        "environments": [_environment(env, agents) for env in CATALOGUE],
    }


def daily() -> dict[str, str]:
    """Returns today's date, in UTC, and the deal of the day."""
    today = datetime.now(UTC).date()
    return {"date": today.isoformat(), "deal": str(daily_deal(today))}


def _environment(env: str, agents: Agents) -> dict[str, Any]:
    entry = CATALOGUE[env]
    game, options = entry.game, entry.game.options(**entry.preset)
    words = [_in_words(game, name, value) for name, value in entry.preset.items()]
    return {
        "env": env,
        "title": [title_of_game(game), *words],
        "about": game.words.about,
        "rules": rules_for_players(game),
        "hidden": game.unseen.stop > 0,
        "shape": _shape(DECLARED_SHAPES[env]) if env in DECLARED_SHAPES else None,
        "options": [_option(game, options, spec.name) for spec in fields(options)],
        "blocks": [asdict(block) for block in game.blocks],
        "agents": [{"name": name, "about": _about_agent(name, game)} for name in agents.names(game)],
        "solver": kit_of(game).solver is not None and game.base is None,
        "winnable": share_winnable(game, options),
    }


def _shape(declared: PileGame) -> dict[str, Any]:
    """Returns what a small picture of a declared game's table needs."""
    reserve = declared.reserve
    return {
        "piles": declared.tableau.deal,
        "up": declared.tableau.face_up,
        "cells": declared.cells.number if declared.cells else 0,
        "reserve": 0 if reserve is None else 1 if reserve.stacked else reserve.cards,
        "stock": declared.stock is not None,
        "goals": 4 if isinstance(declared.goal, Foundations) else 1,
    }


def _about_agent(name: str, game: Game) -> str:
    make = agents_of(game).get(name)
    return first_sentence(make) if make is not None else "An agent that was named when the server was started."


def _in_words(game: Game, name: str, value: Any) -> str:
    words = _words(game, name)
    return words.choices.get(value) or f"{words.label.lower()}: {value}"


def _words(game: Game, name: str) -> OptionWords:
    return game.words.options.get(name) or OptionWords(label=name.replace("_", " "))


def _option(game: Game, options: Options, name: str) -> dict[str, Any]:
    """Describes an option: its choices, or its range of whole numbers, and whether it may be None."""
    hint, metadata = get_type_hints(game.options)[name], game.options.__dataclass_fields__[name].metadata
    kinds = get_args(hint) or (hint,)
    choices = [True, False] if kinds == (bool,) else [kind for kind in kinds if not isinstance(kind, type)]
    words = _words(game, name)
    return {
        "name": name,
        "label": words.label,
        "value": getattr(options, name),
        "choices": [{"value": value, "words": words.choices.get(value, str(value))} for value in choices],
        "none": words.choices.get(None, "none"),
        "minimum": metadata["minimum"],
        "maximum": metadata["maximum"],
        "optional": NoneType in kinds,
    }


def env_of(transcript: Transcript) -> str:
    """Returns the environment of a transcript.

    Of the environments whose presets agree with its options, this is the one with the longest preset, the first on a
    tie. If none agrees, it is the first environment of the game.

    Raises:
        ValueError: No environment has its game.
    """
    options = asdict(transcript.options)
    fitting = {
        env: len(entry.preset)
        for env, entry in CATALOGUE.items()
        if entry.game is transcript.game and entry.preset.items() <= options.items()
    }
    others = [env for env, entry in CATALOGUE.items() if entry.game is transcript.game]
    if not others:
        raise ValueError(f"expected a game that has an environment, got {transcript.game.name}")
    return max(fitting, key=lambda env: fitting[env], default=others[0])
