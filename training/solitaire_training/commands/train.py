"""The commands ``train`` and ``tune``."""

import argparse
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from solitaire_training.commands.arguments import (
    add_import_argument,
    add_option_argument,
    add_workers_arguments,
    chosen_workers,
    import_chosen,
    listed,
    number,
    number_or_text,
    parse_options,
    whole,
)

if TYPE_CHECKING:
    from solitaire_training.config import TrainConfig


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, required=True, help="the run's folder")
    parser.add_argument("--resume", action="store_true", help="go on from the folder's checkpoint")
    parser.add_argument(
        "--seeds", type=_seeds, metavar="A-B", help="train with each of these seeds in parallel, in OUT/seed-A etc."
    )
    add_workers_arguments(parser)
    _add_settings(parser)


def _add_tune(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, required=True, help="the study's folder; an interrupted one goes on")
    parser.add_argument("--trials", type=whole(1, 100_000), required=True, help="trials in all")
    parser.add_argument("--search", required=True, metavar="NAME,...", help="settings to search")
    parser.add_argument(
        "--goal", default="", help="outcome to raise, or to lower, as in --goal=-moves (default: as the objective says)"
    )
    parser.add_argument(
        "--batch", type=whole(1, 10_000), default=1, help="trials at a time (default 1); the result depends on it"
    )
    add_workers_arguments(parser)
    _add_settings(parser)


def _seeds(text: str) -> list[int]:
    """Parses a range of seeds such as ``0-4``, or one seed."""
    first, _, last = text.partition("-")
    parse = whole(0, 2**32 - 1)
    seeds = list(range(parse(first), parse(last or first) + 1))
    if not 1 <= len(seeds) <= MOST_SEEDS:
        raise argparse.ArgumentTypeError(f"expected 1 to {MOST_SEEDS:,} seeds, as in 0-4; got {text!r}")
    return seeds


MOST_SEEDS = 10_000


def _add_settings(parser: argparse.ArgumentParser) -> None:
    """Adds ``--config`` and an argument for each setting. Arguments not given are missing from the namespace."""
    from solitaire_training.config import TrainConfig
    from solitaire_training.recipes import recipe_names

    names = ", ".join(recipe_names())
    parser.add_argument(
        "--config", help=f"settings: a recipe ({names}) or a YAML file; arguments take precedence over them"
    )
    add_option_argument(parser)
    add_import_argument(parser)
    hints = get_type_hints(TrainConfig)
    for spec in fields(TrainConfig):
        if spec.name not in ("options", "option_sets"):  # option sets are only for files
            how: dict[str, Any] = {"type": {int: whole(), float: number()}.get(hints[spec.name], str)}
            if spec.name == "deals":
                how = {"type": number_or_text, "metavar": "DEALS"}
            if spec.name == "difficulty":
                how = {"type": _band, "metavar": "LOW,HIGH"}
            if hints[spec.name] is bool:
                how = {"action": argparse.BooleanOptionalAction}
            text = f"{spec.metadata['doc']} (default {spec.default})"
            parser.add_argument("--" + spec.name.replace("_", "-"), default=argparse.SUPPRESS, help=text, **how)


def _band(text: str) -> list[float]:
    return [number()(each) for each in text.split(",")]


def _import(chosen: argparse.Namespace) -> None:
    """Imports the modules that the command line names, before a file is read that may name the same ones."""
    from solitaire_envs.catalogue import find_entry

    import_chosen(chosen)
    if "env" in chosen:
        find_entry(chosen.env)


def _given(chosen: argparse.Namespace, base: "TrainConfig") -> dict[str, Any]:
    """Returns the settings given as arguments. If they name no environment, that of ``base`` is used."""
    from solitaire_envs.catalogue import find_entry

    given = {name: value for name, value in vars(chosen).items() if name in base.to_json()}
    game = find_entry(given.get("env", base.env)).game
    return {**given, "options": parse_options(game, chosen.options)}


def _new_settings(chosen: argparse.Namespace) -> "TrainConfig":
    """Returns the settings of a new run."""
    from solitaire_training.config import load_config

    file = _config_file(chosen)
    return load_config(file, _given(chosen, load_config(file, {})))


def _config_file(chosen: argparse.Namespace) -> Path | None:
    from solitaire_training.recipes import find_recipe

    return find_recipe(chosen.config) if chosen.config else None


def _old_settings(chosen: argparse.Namespace, folder: Path) -> "TrainConfig":
    """Returns the settings to resume the run in a folder with."""
    from solitaire_training.config import change_on_resume, resumed_settings

    base = resumed_settings(folder)
    given = _given(chosen, base)
    return change_on_resume(base, _config_file(chosen), {**given, "options": {**base.options, **given["options"]}})


def _train(chosen: argparse.Namespace) -> None:
    _import(chosen)
    if chosen.seeds:
        _train_seeds(chosen)
    else:
        _train_one(chosen)


def _train_one(chosen: argparse.Namespace) -> None:
    config = _old_settings(chosen, chosen.out) if chosen.resume else _new_settings(chosen)

    from tqdm import tqdm

    from solitaire_training.run import train  # this import takes seconds, so the settings are checked first

    decisions = train(config, chosen.out, resume=chosen.resume, say=tqdm.write)
    print(f"learned from {decisions:,} decisions; the agent is in {chosen.out}")


def _train_seeds(chosen: argparse.Namespace) -> None:
    if hasattr(chosen, "seed"):
        raise ValueError("expected either --seed or --seeds, got both")
    runs = _runs_of_seeds(chosen)

    from tqdm import tqdm

    from solitaire_training.parallel_runs import train_all

    with chosen_workers(chosen) as workers:
        train_all(runs, workers, tqdm.write)
    print(f"{len(runs)} runs done; compare them with --agents 'recipe={chosen.out}/seed-*'")


def _runs_of_seeds(chosen: argparse.Namespace) -> "dict[Path, TrainConfig]":
    """Returns the runs of the seeds: folder -> settings."""
    from dataclasses import replace

    from solitaire_training.checkpoint_file import CHECKPOINT

    folders = {chosen.out / f"seed-{seed}": seed for seed in chosen.seeds}
    begun = [folder for folder in folders if (folder / CHECKPOINT).exists()]
    if bool(begun) != chosen.resume:
        got = f"{begun[0]}, which holds a run: add --resume" if begun else f"none to resume in {chosen.out}"
        raise ValueError(f"expected {'runs' if chosen.resume else 'new folders'}, got {got}")
    own = {folder: _old_settings(chosen, folder) for folder in begun}
    config = own[begun[0]] if begun else _new_settings(chosen)
    return {folder: own.get(folder) or replace(config, seed=seed) for folder, seed in folders.items()}


def _tune(chosen: argparse.Namespace) -> None:
    from solitaire_training.search_space import check_search

    _import(chosen)
    config = _new_settings(chosen)
    settings = listed(chosen.search)
    goal = check_search(config, settings, chosen.trials, chosen.goal)  # the imports below take seconds

    import yaml

    from solitaire_training.tune import tune

    with chosen_workers(chosen) as workers:
        best = tune(config, settings, chosen.trials, chosen.out, goal=goal, batch=chosen.batch, workers=workers)
    ends = [f"{name}_end" for name in settings if hasattr(best, f"{name}_end")]  # they change with the starts
    print(yaml.safe_dump({name: getattr(best, name) for name in [*settings, *ends]}, sort_keys=False))


ARGUMENTS = {"train": (_add_train, _train), "tune": (_add_tune, _tune)}
