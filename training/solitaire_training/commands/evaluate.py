"""The commands ``compare`` and ``report``."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from solitaire_training.commands.arguments import (
    add_data_argument,
    add_game_arguments,
    add_import_argument,
    add_workers_arguments,
    chosen_env_spec,
    chosen_workers,
    import_chosen,
    listed,
    modules_named,
    whole,
)

if TYPE_CHECKING:
    from solitaire_evaluation.env_spec import EnvSpec
    from solitaire_evaluation.store import Results


def _add_compare(parser: argparse.ArgumentParser) -> None:
    add_game_arguments(parser, several=True)
    parser.add_argument(
        "--agents",
        required=True,
        help="names, folders of trained agents, recipe=runs/seed-*, module:agent, human:NAME; with commas between "
        "(\\, stands for a comma in a name)",
    )
    parser.add_argument("--deals", default="6000", help="n, for deals 0..n-1; FIRST-LAST; or a file of deal numbers")
    parser.add_argument("--seed", type=whole(0, 2**32 - 1), default=0, help="seed of agents that draw random numbers")
    parser.add_argument("--baseline", help="agent that the others are compared with (default: the first)")
    add_data_argument(parser)
    add_import_argument(parser)
    add_workers_arguments(parser)
    parser.add_argument("--out", type=Path, help="folder of results; an interrupted comparison goes on there")
    parser.add_argument("--wide", action="store_true", help="print all metrics, however wide the table becomes")
    parser.add_argument("--format", choices=("text", "md"), default="text", help="print text, or Markdown (md)")


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="what `compare --out` has written")
    add_import_argument(parser)


ANY_WIDTH = 1_000
"""Width in characters that no table exceeds."""


def _compare(chosen: argparse.Namespace) -> None:
    from tqdm import tqdm

    from solitaire_evaluation.compare import compare
    from solitaire_evaluation.deals import read_deals

    import_chosen(chosen)
    env_specs, deals = _chosen_env_specs(chosen), read_deals(chosen.deals)
    names = listed(chosen.agents)
    if not names:
        raise ValueError(f"expected the names of agents with commas between, got {chosen.agents!r}")
    with (
        chosen_workers(chosen) as workers,
        tqdm(unit=" deals", leave=False, disable=None, delay=1) as bar,
    ):
        found = compare(
            env_specs,
            names,
            deals,
            seed=chosen.seed,
            workers=workers,
            baseline=chosen.baseline,
            folder=chosen.out,
            people=chosen.data,
            begin=bar.reset,
            progress=bar.update,
        )
    _print_tables(found, wide=chosen.wide, markdown=chosen.format == "md")
    if chosen.out:
        imports = (f"--import {module}" for module in modules_named(chosen))
        report = " ".join([f"solitaire-rl report {chosen.out}", *imports])
        print(f"results written to {chosen.out}; `{report}` makes a page of them")


def _chosen_env_specs(chosen: argparse.Namespace) -> "list[EnvSpec]":
    """Returns the environments of ``--env``, which commas separate, each once."""
    envs = list(dict.fromkeys(listed(chosen.env)))
    if not envs:
        raise ValueError(f"expected an environment id, got {chosen.env!r}")
    return [chosen_env_spec(env, chosen.options) for env in envs]


def _print_tables(found: "Results", *, wide: bool, markdown: bool) -> None:
    from rich.console import Console

    from solitaire_evaluation.report.tables import leading, make_tables
    from solitaire_evaluation.report.text import fitted, print_grid, to_markdown

    console = Console(highlight=False, width=ANY_WIDTH if wide else None)
    for table in make_tables(found):
        if markdown:
            print(to_markdown(table.grid if wide else leading(table), table.title, table.caption), end="\n\n")
            continue
        grid, omitted = fitted(table.grid, console.width, table.step)
        more = f"\n{omitted} more columns: --wide" if omitted else ""
        print_grid(grid, table.title, table.caption + more, console=console)


def _report(chosen: argparse.Namespace) -> None:
    import_chosen(chosen)
    if not chosen.folder.is_dir():  # the imports below take seconds
        raise ValueError(
            f"expected a folder that `compare --out` has written, got {str(chosen.folder)!r}: none is there"
        )

    from tqdm import tqdm

    from solitaire_evaluation.pool import use_one_torch_thread
    from solitaire_evaluation.report.page import write_report

    use_one_torch_thread()
    with tqdm(bar_format="{desc}", leave=False, disable=None) as bar:
        path = write_report(chosen.folder, bar.set_description_str)
    print(f"written to {path}")


ARGUMENTS = {"compare": (_add_compare, _compare), "report": (_add_report, _report)}
