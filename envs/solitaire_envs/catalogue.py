"""The one table of environments: id -> game and preset options. Other packages add theirs by `register_game`."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium

from solitaire_envs import klondike, pyramid, series, tour_infernale
from solitaire_envs.checks import short
from solitaire_envs.game import REGISTERED, Game, make_options


@dataclass(frozen=True)
class Entry:
    """An environment that people compare results on."""

    game: Game
    preset: Mapping[str, Any] = field(default_factory=dict)
    """Options that differ from the game's defaults."""


GAMES = REGISTERED
CATALOGUE: dict[str, Entry] = {}
NAMED: set[str] = set()
"""Modules that a person has named: on a command line, or by a call in Python."""


def register_game(game: Game, environments: Mapping[str, Mapping[str, Any]]) -> None:
    """Adds a game and its environments, here and to Gymnasium.

    Call it where your package is imported. Then ``gymnasium.make("your_package:your/Game-v0")`` and
    ``solitaire-rl compare --env your_package:your/Game-v0`` find the game.

    Args:
        game: The game.
        environments: Environment id -> options that differ from the game's defaults.

    Raises:
        ValueError: Another game has that name or one of these ids, or an option is not allowed.
    """
    if GAMES.get(game.name, game).options is not game.options:
        raise ValueError(f"expected a name that no other game has, got {short(game.name)}")
    for env_id, preset in environments.items():
        if env_id in CATALOGUE and CATALOGUE[env_id].game.name != game.name:
            raise ValueError(f"expected an environment id that no other game has, got {short(env_id)}")
        make_options(game.options, dict(preset))
    GAMES[game.name] = game
    NAMED.update((game.options.__module__, game.options.__module__.partition(".")[0]))
    for env_id, preset in environments.items():
        if CATALOGUE.get(env_id) == Entry(game, preset):
            continue
        CATALOGUE[env_id] = Entry(game, preset)
        gymnasium.register(
            env_id,
            entry_point="solitaire_envs.gym_env:SolitaireEnv",
            vector_entry_point="solitaire_envs.vector_env:SolitaireVectorEnv",
            kwargs={"game": game.name, **preset},
        )


def find_entry(env_id: str) -> Entry:
    """Returns the entry of an environment id; ``module:id`` imports the module first, as Gymnasium does.

    Raises:
        ValueError: There is no such module or id.
    """
    module, colon, name = str(env_id).rpartition(":")
    if colon:
        import_named(module)
    if name not in CATALOGUE:
        hint = "" if colon else " (or module:id, for one of your own)"
        raise ValueError(f"expected an environment id among {', '.join(CATALOGUE)}{hint}; got {short(env_id)}")
    return CATALOGUE[name]


def find_game(name: str) -> Game:
    """Returns a game by its name; ``module:name`` imports the module first.

    Raises:
        ValueError: There is no such module or game.
    """
    module, colon, own_name = str(name).rpartition(":")
    if colon:
        import_named(module)
    if own_name not in GAMES:
        hint = "" if colon else " (or module:name, for one of your own)"
        raise ValueError(f"expected a game among {', '.join(GAMES)}{hint}; got {short(name)}")
    return GAMES[own_name]


def check_named(where: object, name: object) -> None:
    """Checks that a file names no module but those that a person has named: who sent it may not choose what is run.

    Args:
        where: The file, for the message.
        name: What the file says, such as ``module:id``.

    Raises:
        ValueError: It names another module.
    """
    module, colon, _ = str(name).rpartition(":")
    if colon and module not in NAMED:
        raise ValueError(
            f"expected `--import {module[:120]}`, for {where} is of {short(name)}: do so only if you trust it"
        )


def import_named(module: str) -> Any:
    """Imports a module that a person has named.

    Raises:
        ValueError: There is none, or it fails.
    """
    try:
        found = importlib.import_module(module)
    except Exception as error:  # whatever a stranger's module does
        raise ValueError(
            f"expected a module to import, got {short(module)}: {type(error).__name__}: {error!s:.200}"
        ) from error
    NAMED.add(module)
    return found


register_game(pyramid.GAME, {"solitaire/Pyramid-v0": {}})
register_game(series.PAR, {"solitaire/PyramidPar-v0": {}})
register_game(
    tour_infernale.GAME, {"solitaire/TourInfernale-v0": {}, "solitaire/TourInfernaleOnePass-v0": {"passes": 1}}
)
register_game(series.SPRINT, {"solitaire/TourInfernaleSprint-v0": {}})
register_game(klondike.GAME, {"solitaire/Klondike-v0": {}, "solitaire/KlondikeDrawOne-v0": {"draw": 1}})
