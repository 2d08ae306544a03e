"""The one table of environments: id -> game and preset options."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium

from solitaire_envs import pyramid, series, tour_infernale
from solitaire_envs.game import Game

GAMES: dict[str, Game] = {game.name: game for game in (pyramid.GAME, tour_infernale.GAME, series.PAR, series.SPRINT)}


@dataclass(frozen=True)
class Entry:
    """An environment that people compare results on."""

    game: Game
    preset: Mapping[str, Any] = field(default_factory=dict)
    """Options that differ from the game's defaults."""


CATALOGUE: dict[str, Entry] = {
    "solitaire/Pyramid-v0": Entry(pyramid.GAME),
    "solitaire/PyramidPar-v0": Entry(series.PAR),
    "solitaire/TourInfernale-v0": Entry(tour_infernale.GAME),
    "solitaire/TourInfernaleOnePass-v0": Entry(tour_infernale.GAME, {"passes": 1}),
    "solitaire/TourInfernaleSprint-v0": Entry(series.SPRINT),
}


def find_entry(env_id: str) -> Entry:
    """Returns the entry of an environment id.

    Raises:
        ValueError: There is no such id.
    """
    if env_id not in CATALOGUE:
        raise ValueError(f"expected an environment id among {', '.join(CATALOGUE)}; got {env_id!r}")
    return CATALOGUE[env_id]


def find_game(name: str) -> Game:
    """Returns a game by its name.

    Raises:
        ValueError: There is no such game.
    """
    if name not in GAMES:
        raise ValueError(f"expected a game among {', '.join(GAMES)}; got {name!r}")
    return GAMES[name]


def register() -> None:
    """Registers every environment with Gymnasium."""
    for env_id, entry in CATALOGUE.items():
        gymnasium.register(
            env_id,
            entry_point="solitaire_envs.gym_env:SolitaireEnv",
            vector_entry_point="solitaire_envs.vector_env:SolitaireVectorEnv",
            kwargs={"game": entry.game.name, **entry.preset},
        )
