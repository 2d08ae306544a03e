"""The command ``solitaire-rl``: imports the module of the chosen command and runs it."""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any, NoReturn

COMMANDS = {
    "train": ("train", "fit an agent: masked PPO, self-play, or both"),
    "tune": ("train", "search for good settings, on validation deals"),
    "compare": ("evaluate", "play agents on the same deals"),
    "report": ("evaluate", "make a page of a folder of results"),
    "submit": ("submit", "check results for the Patience Benchmark"),
    "play": ("terminal", "play a game in the terminal"),
    "watch": ("terminal", "watch an agent play a game"),
    "replay": ("terminal", "check and show a transcript"),
    "serve": ("solitaire_web.command", "play and analyse in the browser"),
    "openenv": ("solitaire_web.command", "serve games to language models, as an OpenEnv server"),
    "solve": ("solve", "solve a deal exactly, its stock open"),
    "label": ("solve", "solve a list of deals; goes on where it stopped"),
    "check": ("check", "check that a game of your own keeps the contract"),
    "record": ("record", "play games of an agent into a Minari dataset"),
    "prepare": ("prepare", "compile what the other commands need"),
    "envs": ("listing", "list the environments, or the options of one"),
    "agents": ("listing", "list the agents that play an environment"),
    "completion": ("listing", "print a script that completes commands in your shell"),
}
"""Command -> its module, of this package or by full name; a line of help.

``ARGUMENTS`` of the module holds, for each of its commands, the function that adds the arguments and the one that runs.
"""
GOES_ON = {"train": "--resume", "tune": "the same command", "compare": "the same command", "label": "the same command"}
"""Command that goes on in its ``--out`` after an interruption -> by what."""

_BEGINNING, _END = 300, 177
"""Characters that are printed of a long message."""
LONGEST_MESSAGE = _BEGINNING + len(" … ") + _END


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit code: 0, 2 for bad input, 130 after Ctrl-C or SIGTERM."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    command = given[0] if given and given[0] in COMMANDS else ""
    _let_signals_interrupt()
    chosen = argparse.Namespace()
    try:
        chosen = make_parser(given[:1]).parse_args(given)
        _find_modules_here(chosen)
        chosen.run(chosen)
    except KeyboardInterrupt:
        if command in GOES_ON and (out := getattr(chosen, "out", None)) and out.exists():
            print(f"solitaire-rl {command}: interrupted; {GOES_ON[command]} goes on in {out}", file=sys.stderr)
        if arguments is None:
            _end_at_once()
        return 130
    except BrokenPipeError:  # the reader has closed the output, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ModuleNotFoundError, OSError, MemoryError, ValueError) as error:
        message = _message(error, command)
        if message is None:
            raise
        return _complain(command, message)
    return 0


def _end_at_once() -> None:
    """Ends the process. Python would wait for its threads, one of which may be compiling for half a minute."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(130)


def _message(error: Exception, command: str) -> str | None:
    """Returns the message for a user's error; None for a fault of the program."""
    if isinstance(error, ModuleNotFoundError):
        from solitaire_evaluation.extras import missing_extra

        return missing_extra(error, command)
    if isinstance(error, OSError) and error.filename:
        return f"{error.strerror}: {error.filename}"
    return f"too little memory: {error}" if isinstance(error, MemoryError) else str(error)


def _let_signals_interrupt() -> None:
    """Makes SIGTERM, which schedulers send, act as Ctrl-C; and SIGINT too, which background jobs otherwise ignore."""
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)


def _find_modules_here(chosen: argparse.Namespace) -> None:
    """Makes modules in the current folder importable, if the command line names any, as ``module:id`` or to import."""
    from solitaire_training.commands.arguments import modules_named

    if modules_named(chosen):
        sys.path.insert(0, "")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raises an error without the usage, which would hide the message if a command has many settings."""
        raise ValueError(f"{message} (--help tells more)")


def make_parser(filled: Collection[str] = COMMANDS) -> argparse.ArgumentParser:
    """Returns the parser of all commands. Only those in ``filled`` are imported and get their arguments."""
    parser = _Parser(
        prog="solitaire-rl", description="Trains agents for patience games, compares them, and plays with you."
    )
    parser.add_argument("--version", action=_Version, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, line) in COMMANDS.items():
        command = commands.add_parser(name, help=line, description=line)
        if name in filled:
            full_name = module if "." in module else f"solitaire_training.commands.{module}"
            add_arguments, run = importlib.import_module(full_name).ARGUMENTS[name]
            add_arguments(command)
            command.set_defaults(run=run)
    return parser


class _Version(argparse.Action):
    """Prints the installed version. It is looked up only on demand."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *others: Any) -> None:
        from importlib.metadata import version

        print(f"solitaire-rl {version('solitaire-rl')}")
        parser.exit()


def _complain(command: str, message: str) -> int:
    """Prints one line, without control characters and shortened if it is long; returns the exit code."""
    line = "".join(sign if sign.isprintable() else " " for sign in f"solitaire-rl {command}".rstrip() + f": {message}")
    if len(line) > LONGEST_MESSAGE:
        line = f"{line[:_BEGINNING]} … {line[-_END:]}"
    print(line, file=sys.stderr)
    return 2
