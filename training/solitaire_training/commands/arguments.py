"""Arguments that several commands share."""

import argparse
import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

if TYPE_CHECKING:
    from solitaire_envs.game import Game
    from solitaire_evaluation.env_spec import EnvSpec
    from solitaire_evaluation.workers import Workers

DEFAULT_ENV = "solitaire/Pyramid-v0"


def add_game_arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Adds ``--env`` and ``--option``."""
    some = "environment ids with commas between" if several else "environment id"
    lists = "`solitaire-rl envs` lists them; or module:id"
    parser.add_argument("--env", default=DEFAULT_ENV, help=f"{some} (default {DEFAULT_ENV}); {lists}")
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
        help="import a module of your own first, which registers its game; modules named in files are not imported",
    )


def import_chosen(chosen: argparse.Namespace) -> None:
    """Imports the modules of ``--import``.

    Raises:
        ValueError: There is no such module, or its import fails.
    """
    from solitaire_envs.catalogue import import_named

    for module in chosen.modules:
        import_named(module)


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """Adds ``--data``."""
    parser.add_argument("--data", type=Path, help="folder of people's games (default: the user's data folder)")


def add_jobs_argument(parser: argparse.ArgumentParser) -> None:
    """Adds ``--jobs``."""
    parser.add_argument(
        "--jobs", type=whole(1, 1_024), default=os.cpu_count() or 1, help="processes (default: all cores)"
    )


def add_workers_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds ``--jobs`` and ``--cluster``."""
    parser.add_argument(
        "--jobs",
        type=whole(1, 1_024),
        help="processes (default: all cores); with --cluster, pieces in work at a time (default: as many as it can do)",
    )
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="work on a Ray cluster: host:port of its head, or auto (docs/cluster.md)"
    )


def listed(text: str) -> list[str]:
    """Returns the parts of a text between commas, without empty ones. A backslash before a comma makes it plain."""
    return [part.replace("\\,", ",") for part in re.split(r"(?<!\\),", text) if part]


def modules_named(chosen: argparse.Namespace) -> list[str]:
    """Returns the modules that the arguments name: in ``--import``, or before the colon of an environment or agent."""
    texts = [part for name in ("env", "agents", "agent") for part in listed(getattr(chosen, name, None) or "")]
    names = [name for text in texts for name in text.rpartition("=")[2].split("+")]
    modules = [name.rpartition(":")[0] for name in names if ":" in name and not name.startswith("human:")]
    return list(dict.fromkeys([*(getattr(chosen, "modules", None) or ()), *modules]))


@contextmanager
def chosen_workers(chosen: argparse.Namespace) -> "Iterator[Workers]":
    """Yields the chosen workers; at the end, prints how many pieces of work were begun again, if any.

    Modules that the command line names are sent to the cluster.

    Raises:
        ValueError: There is no such cluster.
    """
    from solitaire_evaluation.pool import ThisMachine

    if chosen.cluster is None:
        found: Workers = ThisMachine(chosen.jobs or os.cpu_count() or 1)
    else:
        from solitaire_evaluation.cluster import Cluster

        found = Cluster(chosen.cluster, chosen.jobs, modules_named(chosen))
    with found as workers:
        yield workers
    if workers.repeated:
        print(f"{workers.repeated:,} pieces of work were begun again, since a process or a machine was lost")


def chosen_env_spec(env: str, options: list[str]) -> "EnvSpec":
    """Returns an environment with its own options, except those given as ``NAME=VALUE``.

    Raises:
        ValueError: There is no such environment or option.
    """
    from solitaire_envs.catalogue import find_entry
    from solitaire_evaluation.env_spec import make_env_spec

    return make_env_spec(env, parse_options(find_entry(env).game, options))


def whole(minimum: int = 0, maximum: int = 2**63 - 1) -> Callable[[str], int]:
    """Returns the argparse type of a whole number in ``minimum..maximum``."""

    def parse(text: str) -> int:
        from solitaire_envs.checks import read_whole

        with suppress(ValueError):
            if minimum <= (value := read_whole(text)) <= maximum:
                return value
        raise argparse.ArgumentTypeError(f"expected a whole number of {minimum}..{maximum}, got {text!r}")

    return parse


def number(minimum: float = -math.inf, maximum: float = math.inf) -> Callable[[str], float]:
    """Returns the argparse type of a number in ``minimum..maximum``."""

    def parse(text: str) -> float:
        from solitaire_envs.checks import read_number

        with suppress(ValueError):
            if minimum <= (value := float(read_number(text))) <= maximum:
                return value
        expected = "a number" if minimum == -math.inf else f"a number of {minimum:g}..{maximum:g}"
        raise argparse.ArgumentTypeError(f"expected {expected}, got {text!r}")

    return parse


def parse_options(game: "Game", texts: list[str]) -> dict[str, Any]:
    """Reads ``NAME=VALUE`` options of a game from the command line.

    Raises:
        ValueError: A text is not of that form, or an option is given twice. The class of the game's options checks
            names and values.
    """
    values: dict[str, Any] = {}
    hints = get_type_hints(game.options)
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"expected an option as NAME=VALUE, got {text!r}")
        if name in values:
            raise ValueError(f"expected each option once, got {name!r} twice")
        words = {"true": True, "false": False, "none": None}
        choices = get_args(hints.get(name, str))
        if name in hints and value not in choices:
            values[name] = words[value.lower()] if value.lower() in words else number_or_text(value)
        else:
            values[name] = value
    return values


def number_or_text(text: str) -> float | str:
    """Reads a number; returns any other text as it is."""
    from solitaire_envs.checks import read_number

    try:
        return read_number(text)
    except ValueError:
        return text
