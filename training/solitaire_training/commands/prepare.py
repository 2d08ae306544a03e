"""The command ``prepare``."""

import argparse
import time

from solitaire_training.commands.arguments import add_import_argument, import_chosen


def _add_prepare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--env", help="environment ids with commas between (default: all); `solitaire-rl envs` lists them; or module:id"
    )
    add_import_argument(parser)


def _prepare(chosen: argparse.Namespace) -> None:
    from solitaire_envs.catalogue import CATALOGUE
    from solitaire_evaluation.env_spec import make_env_spec
    from solitaire_evaluation.preparing import prepare

    import_chosen(chosen)
    specs = [make_env_spec(env, {}) for env in (chosen.env.split(",") if chosen.env else CATALOGUE)]
    for spec in specs:
        started, parts = time.perf_counter(), list[str]()
        for part in prepare(spec):
            parts.append(part)
        print(f"{spec.env}: {time.perf_counter() - started:.1f} s for {', '.join(parts)}", flush=True)


ARGUMENTS = {"prepare": (_add_prepare, _prepare)}
