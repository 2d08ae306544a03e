"""The command ``solitaire-rl``: imports the module of the chosen command and runs it."""

import argparse
import importlib
import sys
from collections.abc import Collection, Sequence
from typing import Any

COMMANDS = {
    "train": ("train", "fit a masked PPO agent"),
    "tune": ("train", "search for good settings, on validation deals"),
    "compare": ("evaluate", "play agents on the same deals"),
    "report": ("evaluate", "make a page of a folder of results"),
    "play": ("terminal", "play a game in the terminal"),
    "watch": ("terminal", "watch an agent play a game"),
    "replay": ("terminal", "check and show a transcript"),
    "solve": ("solve", "solve a deal exactly, its stock open"),
    "label": ("solve", "solve a list of deals; goes on where it stopped"),
    "envs": ("listing", "list the environments, or the options of one"),
    "agents": ("listing", "list the agents that play an environment"),
    "completion": ("listing", "print a script that completes commands in your shell"),
}
"""Command -> the module of this package that has its arguments in ``ARGUMENTS``, and a line of help."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit code: 0, 2 for bad input, 130 after Ctrl-C."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        chosen = make_parser(given[:1]).parse_args(given)
        _find_modules_here(chosen)
        chosen.run(chosen)
    except ValueError as error:
        return _complain(given[0], str(error))
    except ModuleNotFoundError as error:
        from solitaire_training.commands.extras import missing_extra

        line = missing_extra(error, given[0])
        if line is None:
            raise
        return _complain(given[0], line)
    except OSError as error:
        return _complain(given[0], f"{error.strerror}: {error.filename}" if error.filename else str(error))
    except KeyboardInterrupt:
        return 130
    return 0


def _find_modules_here(chosen: argparse.Namespace) -> None:
    """Lets modules of the current folder be imported, if the command line names one: as ``module:id``, or to import."""
    named = [getattr(chosen, name, None) or "" for name in ("env", "game", "agents", "agent", "teacher")]
    if getattr(chosen, "modules", None) or any(":" in text for text in named):
        sys.path.insert(0, "")


def make_parser(filled: Collection[str] = COMMANDS) -> argparse.ArgumentParser:
    """Returns the parser of all commands; only those to be ``filled`` are imported and know their arguments."""
    parser = argparse.ArgumentParser(
        prog="solitaire-rl", description="Trains agents for patience games, compares them, and plays with you."
    )
    parser.add_argument("--version", action=_Version, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, line) in COMMANDS.items():
        command = commands.add_parser(name, help=line, description=line)
        if name in filled:
            importlib.import_module(f"solitaire_training.commands.{module}").ARGUMENTS[name](command)
    return parser


class _Version(argparse.Action):
    """Prints the installed version, which is looked up only now."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *others: Any) -> None:
        from importlib.metadata import version

        print(f"solitaire-rl {version('solitaire-rl')}")
        parser.exit()


def _complain(command: str, message: str) -> int:
    print(f"solitaire-rl {command}: {message}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
