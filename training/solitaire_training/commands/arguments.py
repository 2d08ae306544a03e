"""Arguments that several commands share."""

import argparse
import os
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

if TYPE_CHECKING:
    from solitaire_envs.game import Game, Options

DEFAULT_ENV = "solitaire/Pyramid-v0"


def add_game_arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Adds ``--env`` and ``--option``."""
    from solitaire_envs.catalogue import CATALOGUE

    some = "environment ids with commas between" if several else "environment id"
    parser.add_argument("--env", default=DEFAULT_ENV, help=f"{some}: {', '.join(CATALOGUE)}; or module:id")
    add_option_argument(parser)


def add_option_argument(parser: argparse.ArgumentParser) -> None:
    """Adds ``--option``."""
    parser.add_argument(
        "--option", dest="options", action="append", default=[], metavar="NAME=VALUE", help="an option of the game"
    )


def add_import_argument(parser: argparse.ArgumentParser) -> None:
    """Adds ``--import``."""
    parser.add_argument(
        "--import",
        dest="modules",
        action="append",
        default=[],
        metavar="MODULE",
        help="import a module of your own first, which registers its game; a file is never trusted to name one",
    )


def import_chosen(chosen: argparse.Namespace) -> None:
    """Imports the modules of ``--import``.

    Raises:
        ValueError: There is no such module, or it fails.
    """
    from solitaire_envs.catalogue import import_named

    for module in chosen.modules:
        import_named(module)


def add_jobs_argument(parser: argparse.ArgumentParser) -> None:
    """Adds ``--jobs``."""
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)")


def chosen_game(chosen: argparse.Namespace) -> "tuple[Game, Options]":
    """Returns the game of the chosen environment, and its options: the environment's own, then those given.

    Raises:
        ValueError: There is no such environment or option.
    """
    from solitaire_envs.catalogue import find_entry
    from solitaire_envs.game import make_options

    entry = find_entry(chosen.env)
    return entry.game, make_options(entry.game.options, {**entry.preset, **parse_options(entry.game, chosen.options)})


def parse_int(text: str) -> int:
    """Reads a whole number, also as ``1_000_000`` or ``2e6``."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if number != int(number):
            raise ValueError(f"expected a whole number, got {text!r}") from None
        return int(number)


def parse_options(game: "Game", texts: list[str]) -> dict[str, Any]:
    """Reads ``NAME=VALUE`` options of a game from the command line.

    Raises:
        ValueError: A text is not of that form. Names and values are checked by the game's options.
    """
    values: dict[str, Any] = {}
    hints = get_type_hints(game.options)
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"expected an option as NAME=VALUE, got {text!r}")
        words = {"true": True, "false": False, "none": None}
        choices = get_args(hints.get(name, str))
        if name in hints and value not in choices:
            values[name] = words[value.lower()] if value.lower() in words else _number_or_text(value)
        else:
            values[name] = value
    return values


def _number_or_text(text: str) -> int | str:
    try:
        return parse_int(text)
    except ValueError:
        return text
