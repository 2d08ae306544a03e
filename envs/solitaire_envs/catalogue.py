"""The table of environments: id -> game and preset options. Other packages add theirs with `register_game`."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import solitaire_seeds
from solitaire_envs import klondike, pyramid, series, tour_infernale
from solitaire_envs.cards import ALL_DEALS
from solitaire_envs.checks import check_value, did_you_mean, short, some_of
from solitaire_envs.deals import Deals, LabelledDeals, check_difficulty, list_deals
from solitaire_envs.game import REGISTERED, Game, Options, make_options, non_default_options
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from solitaire_envs.register import Value


@dataclass(frozen=True)
class Entry:
    """An environment that people compare results on."""

    name: str
    """That of the game."""
    preset: Mapping[str, Any] = field(default_factory=dict)
    """Options that differ from the game's defaults."""

    @property
    def game(self) -> Game:
        """The game."""
        return GAMES[self.name]


GAMES = REGISTERED
CATALOGUE: dict[str, Entry] = {}
LABELLED: dict[str, LabelledDeals] = {}
"""Name of a game -> its labelled training deals."""
NAMED: set[str] = set()
"""Modules that the user has named: on a command line, or by a call in Python."""


def register_game(
    game: Game, environments: Mapping[str, Mapping[str, Any]], labelled: LabelledDeals | None = None
) -> None:
    """Adds a game and its environments, here and to Gymnasium.

    Call it where your package is imported. Then ``gymnasium.make("your_package:your/Game-v0")`` and
    ``solitaire-rl compare --env your_package:your/Game-v0`` find the game.

    Args:
        game: The game.
        environments: Environment id -> options that differ from the game's defaults.
        labelled: Labelled training deals, for ``winnable`` and ``difficulty``; None: there are none.

    Raises:
        ValueError: Another game has that name or one of these ids, an option is not allowed, or the outcome lacks score
            or won.
    """
    if GAMES.get(game.name, game).options is not game.options:
        raise ValueError(f"expected a name that no other game has, got {short(game.name)}")
    for env_id, preset in environments.items():
        if env_id in CATALOGUE and CATALOGUE[env_id].name != game.name:
            raise ValueError(f"expected an environment id that no other game has, got {short(env_id)}")
        make_options(game.options, dict(preset))
    kinds = {one.name: one.kind for one in game.outcome}
    if (kinds.get("score"), kinds.get("won")) != ("mean", "share"):
        raise ValueError(f"expected {game.name} to have the outcomes score (mean) and won (share), got {short(kinds)}")
    GAMES[game.name] = game
    if labelled is not None:
        LABELLED[game.name] = labelled
    NAMED.update((game.options.__module__, game.options.__module__.partition(".")[0]))
    for env_id, preset in environments.items():
        _add_environment(env_id, Entry(game.name, preset))


def _add_environment(env_id: str, entry: Entry) -> None:
    if CATALOGUE.get(env_id) == entry:
        return
    CATALOGUE[env_id] = entry
    gymnasium.register(
        env_id,
        entry_point="solitaire_envs.gym_env:SolitaireEnv",
        vector_entry_point="solitaire_envs.vector_env:SolitaireVectorEnv",
        kwargs={"game": entry.name, **entry.preset},
    )


def find_entry(env_id: str) -> Entry:
    """Returns the entry of an environment id; ``module:id`` imports the module first, as Gymnasium does.

    Raises:
        ValueError: There is no such module or id.
    """
    return _find(CATALOGUE, env_id, "an environment id", "id")


def find_game(name: str) -> Game:
    """Returns a game by its name; ``module:name`` imports the module first.

    Raises:
        ValueError: There is no such module or game.
    """
    return _find(GAMES, name, "a game", "name")


def _find(known: Mapping[str, Value], text: str, kind: str, own: str) -> Value:
    module, colon, name = str(text).rpartition(":")
    if colon:
        import_named(module)
    if name not in known:
        hint = "" if colon else f" (or module:{own}, for one of your own)"
        raise ValueError(f"expected {kind} among {some_of(known)}{hint}; got {short(text)}{did_you_mean(name, known)}")
    return known[name]


def choose_deals(
    game: Game,
    options: Options,
    deals: Deals | None = None,
    winnable: bool = False,
    difficulty: tuple[float, float] | None = None,
) -> NDArray[np.uint64]:
    """Returns the list of deals that the keywords of an environment choose, uint64 [n].

    Args:
        game: The game.
        options: Its options.
        deals: As in `list_deals`.
        winnable: Whether to take only labelled training deals that can be won.
        difficulty: The band of labelled training deals to take, (low, high) of 0..1; see `LabelledDeals.choose`.

    Returns:
        `ALL_DEALS` if nothing is chosen.

    Raises:
        ValueError: An argument is invalid; `deals` is combined with `winnable` or `difficulty`; the game is a series,
            whose first deal names the others; or no deals are labelled under the rules.
    """
    check_value("winnable", winnable, bool, {})
    band = (0.0, 1.0) if difficulty is None else check_difficulty(difficulty)
    chosen = list_deals(deals)
    if not winnable and difficulty is None and deals is None:
        return ALL_DEALS
    names = " and ".join(name for name, one in (("winnable", winnable), ("difficulty", difficulty is not None)) if one)
    if game.base is not None:
        raise ValueError(f"expected {names or 'deals'} for a game of single deals, got the series {game.name}")
    if not names:
        return chosen
    if deals is not None:
        raise ValueError(f"expected either deals or {names}, got both: each chooses the list of deals")
    labelled = LABELLED.get(game.name)
    if labelled is None or not labelled.fits(options):
        among = ", ".join(f"{name} with {one.under}" for name, one in LABELLED.items())
        got = f"{game.name} with {non_default_options(options, game.options())}"
        raise ValueError(f"expected {names} under rules whose deals are labelled, {among}; got {got}")
    found = labelled.choose(winnable=bool(winnable), difficulty=band)
    if not len(found):
        raise ValueError(f"expected {names} to choose at least one deal, got none")
    return found


def check_named(where: object, name: object) -> None:
    """Checks that a file names only modules that the user has named, since its sender must not choose what code runs.

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
    """Imports a module that the user has named.

    Raises:
        ValueError: There is none, or it fails.
    """
    try:
        found = importlib.import_module(module)
    except Exception as error:  # a user's module may raise anything
        raise ValueError(
            f"expected a module to import, got {short(module)}: {type(error).__name__}: {error!s:.200}"
        ) from error
    NAMED.add(module)
    return found


def _fits_pyramid(options: pyramid.PyramidOptions) -> bool:
    return options == pyramid.PyramidOptions(information=options.information, objective=options.objective)


def _fits_one_pass(options: tour_infernale.TourInfernaleOptions) -> bool:
    enough = options.max_moves is None or options.max_moves >= ONE_PASS_MOVES
    return enough and options == tour_infernale.TourInfernaleOptions(
        passes=1, max_moves=options.max_moves, information=options.information, objective=options.objective
    )


def _difficulty_of_one_pass(columns: Mapping[str, NDArray[np.int64]]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Sorts deals: many configurations mean room in the first search of the solver, and trouble in later ones."""
    nodes = columns["nodes"]
    late = nodes > FIRST_SEARCH
    return late, np.where(late, nodes, -nodes)


FIRST_SEARCH = 140_000
"""Most configurations of the solver's first search of a deal of one pass, nearly always."""
ONE_PASS_MOVES = 1_000
"""Enough moves to win every winnable labelled deal of La tour infernale with one pass."""

register_game(
    pyramid.GAME,
    {"solitaire/Pyramid-v0": {}},
    LabelledDeals(
        file=solitaire_seeds.FOLDER / "pyramid-train.csv.gz",
        under="its default rules",
        fits=_fits_pyramid,
        winnable="winnable_in",
        difficulty=lambda columns: (-columns["best_score"], columns["nodes"]),
    ),
)
register_game(series.PAR, {"solitaire/PyramidPar-v0": {}})
register_game(
    tour_infernale.GAME,
    {"solitaire/TourInfernale-v0": {}, "solitaire/TourInfernaleOnePass-v0": {"passes": 1}},
    LabelledDeals(
        file=solitaire_seeds.FOLDER / "tour-infernale-one-pass-train.csv.gz",
        under=f"six piles, one pass and {ONE_PASS_MOVES:,} moves or more",
        fits=_fits_one_pass,
        winnable="winnable",
        difficulty=_difficulty_of_one_pass,
    ),
)
register_game(series.SPRINT, {"solitaire/TourInfernaleSprint-v0": {}})
register_game(klondike.GAME, {"solitaire/Klondike-v0": {}, "solitaire/KlondikeDrawOne-v0": {"draw": 1}})
NAMED.update(("solitaire_envs", "solitaire_envs.piles.games"))
for _declared in DECLARED:
    GAMES.later(_declared.name, partial(PILE_GAMES.__getitem__, _declared.env_id))
    _add_environment(_declared.env_id, Entry(_declared.name))
