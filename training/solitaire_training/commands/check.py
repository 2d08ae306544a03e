"""The command ``check``."""

import argparse
import os
import subprocess
import sys

from solitaire_training.commands.arguments import add_game_arguments, chosen_env_spec, whole

PLAIN_PYTHON = "NUMBA_DISABLE_JIT"


def _add_check(parser: argparse.ArgumentParser) -> None:
    add_game_arguments(parser)
    parser.add_argument("--deals", type=whole(1, 1_000_000), default=20, help="deals to play (default 20)")


def _check(chosen: argparse.Namespace) -> None:
    if os.environ.get(PLAIN_PYTHON) != "1":  # Numba reads it when it is imported, which has happened
        options = [f"--option={text}" for text in chosen.options]
        command = ["check", f"--env={chosen.env}", f"--deals={chosen.deals}", *options]
        again = [sys.executable, "-m", "solitaire_training", *command]
        sys.exit(subprocess.run(again, env={**os.environ, PLAIN_PYTHON: "1"}, check=False).returncode)

    from solitaire_evaluation.game_check import check_game

    env_spec = chosen_env_spec(chosen.env, chosen.options)
    positions = check_game(env_spec, chosen.deals)
    print(f"{env_spec.env} keeps the contract in {positions:,} positions of {chosen.deals:,} deals")


ARGUMENTS = {"check": (_add_check, _check)}
