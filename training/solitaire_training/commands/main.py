"""The command ``solitaire-rl``."""

import argparse
import os
import secrets
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from rich.console import Console
from tqdm import tqdm

from solitaire_agents.catalogue import agents_of, find_agent
from solitaire_envs.cards import check_deal, deck_of_deal, parse_deck
from solitaire_envs.catalogue import CATALOGUE, find_entry, find_game
from solitaire_envs.game import Game, Options, make_options
from solitaire_training.commands.terminal import Table, play_in_terminal, replay_in_terminal, watch_in_terminal
from solitaire_training.evaluation.compare import compare, write_json
from solitaire_training.evaluation.deals import read_deals
from solitaire_training.evaluation.env_spec import EnvSpec, make_env_spec
from solitaire_training.learning.config import TrainConfig, add_arguments, load_config, parse_int, parse_options
from solitaire_training.learning.train import change_on_resume, resumed_config, train
from solitaire_training.report.tables import make_tables
from solitaire_training.solving.solve import (
    DEFAULT_GOAL,
    SOLVERS,
    answer_text,
    label_deals,
    labels_text,
    read_labels,
    solve_deal,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit code: 0, 2 for bad input, 130 after Ctrl-C."""
    parser = _make_parser()
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)  # more collapse on a busy machine; training has a setting for idle ones
    try:
        chosen.run(chosen)
    except ValueError as error:
        print(f"solitaire-rl {chosen.command}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"solitaire-rl {chosen.command}: {error.strerror}: {error.filename}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="solitaire-rl", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    train_parser = commands.add_parser("train", help="fit a masked PPO agent")
    train_parser.add_argument("--out", type=Path, required=True, help="the run's folder")
    train_parser.add_argument("--config", type=Path, help="a YAML file of settings; arguments go before it")
    train_parser.add_argument("--resume", action="store_true", help="go on from the folder's checkpoint")
    add_arguments(train_parser)
    train_parser.set_defaults(run=_train)

    tune_parser = commands.add_parser("tune", help="search for good settings, on validation deals")
    tune_parser.add_argument("--out", type=Path, required=True, help="the study's folder; an interrupted one goes on")
    tune_parser.add_argument("--config", type=Path, help="a YAML file of settings; arguments go before it")
    tune_parser.add_argument("--trials", type=int, required=True, help="trials in all")
    tune_parser.add_argument("--search", required=True, metavar="NAME,...", help="settings to search")
    tune_parser.add_argument(
        "--goal", default="", help="figure to raise, or to lower, as in --goal=-moves (default: as the objective says)"
    )
    add_arguments(tune_parser)
    tune_parser.set_defaults(run=_tune)

    _add_evaluation(commands)

    play_parser = commands.add_parser("play", help="play a game in the terminal")
    _add_table_arguments(play_parser)
    play_parser.add_argument("--agent", help="who gives the hints (default: the first heuristic of the game)")
    play_parser.set_defaults(run=_play)

    watch_parser = commands.add_parser("watch", help="watch an agent play a game")
    _add_table_arguments(watch_parser)
    watch_parser.add_argument("--agent", required=True, help="name, or folder of a policy")
    watch_parser.add_argument("--seconds", type=float, default=0.5, help="pause after each move (default 0.5)")
    watch_parser.add_argument("--save", type=Path, help="write the transcript here")
    watch_parser.set_defaults(run=_watch)

    replay_parser = commands.add_parser("replay", help="check and show a transcript")
    replay_parser.add_argument("file", type=Path)
    replay_parser.add_argument("--every-move", action="store_true", help="show the table after each move")
    replay_parser.set_defaults(run=lambda chosen: replay_in_terminal(chosen.file, every_move=chosen.every_move))

    solve_parser = commands.add_parser("solve", help="solve a deal exactly, its stock open")
    solve_parser.add_argument("--game", default="pyramid", choices=SOLVERS)
    which = solve_parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--deal", type=int, help="deal number")
    which.add_argument("--deck", help="52 cards in dealing order")
    goals = "; ".join(f"{game}: {', '.join(goals)}" for game, goals in SOLVERS.items())
    solve_parser.add_argument("--goal", help=f"{goals} (default: score, or all)")
    solve_parser.add_argument("--max-nodes", type=parse_int, help="give up after so many positions")
    solve_parser.add_argument(
        "--option", dest="options", action="append", default=[], metavar="NAME=VALUE", help="an option of the game"
    )
    solve_parser.add_argument("--json", action="store_true", help="print JSON")
    solve_parser.set_defaults(run=_solve)

    label_parser = commands.add_parser("label", help="solve a list of deals; goes on where it stopped")
    label_parser.add_argument("--game", default="pyramid", choices=SOLVERS)
    label_parser.add_argument("--first", type=int, default=0, help="first deal number (default 0)")
    label_parser.add_argument("--count", type=parse_int, required=True, help="number of deals")
    label_parser.add_argument("--out", type=Path, required=True, help="the CSV file")
    label_parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)")
    label_parser.set_defaults(run=_label)
    return parser


def _add_evaluation(commands: Any) -> None:
    compare_parser = commands.add_parser("compare", help="play agents on the same deals")
    _add_game_arguments(compare_parser)
    compare_parser.add_argument(
        "--agents", required=True, help="names, folders of policies, recipe=runs/seed-*; with commas between"
    )
    compare_parser.add_argument("--deals", default="6000", help="n, for deals 0..n-1, or a file of deal numbers")
    compare_parser.add_argument("--seed", type=int, default=0, help="seed of agents that draw random numbers")
    compare_parser.add_argument("--baseline", help="agent that the others are compared with (default: the first)")
    compare_parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)")
    compare_parser.add_argument("--out", type=Path, help="folder of results; an interrupted comparison goes on there")
    compare_parser.add_argument("--json", type=Path, help="write the outcomes here as well")
    compare_parser.set_defaults(run=_compare)

    report_parser = commands.add_parser("report", help="make a page of a folder of results")
    report_parser.add_argument("folder", type=Path, help="what `compare --out` has written")
    report_parser.set_defaults(run=_report)


def _solve(chosen: argparse.Namespace) -> None:
    game = find_game(chosen.game)
    options = make_options(game.options, parse_options(game, chosen.options))
    deck = parse_deck(chosen.deck) if chosen.deal is None else deck_of_deal(chosen.deal)
    goal = chosen.goal or DEFAULT_GOAL[game.name]
    print(answer_text(solve_deal(chosen.deal, deck, goal, options, chosen.max_nodes), as_json=chosen.json))


def _label(chosen: argparse.Namespace) -> None:
    if chosen.count < 1 or chosen.jobs < 1:
        raise ValueError(f"expected --count and --jobs of at least 1, got {chosen.count} and {chosen.jobs}")
    first, last = check_deal(chosen.first), check_deal(chosen.first + chosen.count - 1)
    deals = np.arange(first, last + 1, dtype=np.uint64)
    with tqdm(total=len(deals), unit="deal") as bar:
        count = label_deals(chosen.out, deals, chosen.jobs, chosen.game, bar.update)
    print(f"{count:,} deals labelled; {chosen.out} has all {len(deals):,}")
    print(labels_text(read_labels(chosen.out, chosen.game), chosen.game))


def _add_game_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--env", default="solitaire/Pyramid-v0", help=f"one of {', '.join(CATALOGUE)}")
    parser.add_argument(
        "--option", dest="options", action="append", default=[], metavar="NAME=VALUE", help="an option of the game"
    )


def _add_table_arguments(parser: argparse.ArgumentParser) -> None:
    _add_game_arguments(parser)
    parser.add_argument("--deal", type=int, help="deal number (default: a random one)")


def _chosen_game(chosen: argparse.Namespace) -> tuple[Game, Options]:
    entry = find_entry(chosen.env)
    return entry.game, make_options(entry.game.options, {**entry.preset, **parse_options(entry.game, chosen.options)})


def _chosen_table(chosen: argparse.Namespace) -> Table:
    deal = secrets.randbits(63) if chosen.deal is None else check_deal(chosen.deal)
    print(f"deal {deal}")
    return Table(*_chosen_game(chosen), deal)


def _play(chosen: argparse.Namespace) -> None:
    game, options = _chosen_game(chosen)
    name = chosen.agent or next(name for name in agents_of(game) if name != "uniform")
    play_in_terminal(_chosen_table(chosen), find_agent(name, game, options))


def _watch(chosen: argparse.Namespace) -> None:
    table, agent = _chosen_table(chosen), find_agent(chosen.agent, *_chosen_game(chosen))
    watch_in_terminal(table, agent, chosen.seconds)
    if chosen.save:
        table.save(chosen.save)
        print(f"written to {chosen.save}")


def _settings(chosen: argparse.Namespace, base: TrainConfig) -> dict[str, Any]:
    """Returns the settings of training that were given as arguments; ``base`` says which game, if they do not."""
    own = ("command", "run", "out", "config", "resume", "options", "trials", "search", "goal")
    given = {name: value for name, value in vars(chosen).items() if name not in own}
    game = find_entry(given.get("env", base.env)).game
    return {**given, "options": parse_options(game, chosen.options)}


def _new_config(chosen: argparse.Namespace) -> TrainConfig:
    return load_config(chosen.config, _settings(chosen, load_config(chosen.config, {})))


def _let_ctrl_c_end() -> None:
    for ending in (signal.SIGINT, signal.SIGTERM):  # a scheduler's end; and Ctrl-C, which background jobs ignore
        signal.signal(ending, signal.default_int_handler)


def _train(chosen: argparse.Namespace) -> None:
    if chosen.resume:
        base = resumed_config(chosen.out)
        overrides = _settings(chosen, base)
        config = change_on_resume(
            base, chosen.config, {**overrides, "options": {**base.options, **overrides["options"]}}
        )
    else:
        config = _new_config(chosen)
    _let_ctrl_c_end()
    steps = train(config, chosen.out, resume=chosen.resume, say=tqdm.write)
    print(f"{steps:,} steps done; the policy is in {chosen.out}")


def _tune(chosen: argparse.Namespace) -> None:
    from solitaire_training.learning.tune import tune  # noqa: PLC0415  # Optuna takes a second to import

    config = _new_config(chosen)
    settings = [name for name in chosen.search.split(",") if name]
    _let_ctrl_c_end()
    best = tune(config, settings, chosen.trials, chosen.out, goal=chosen.goal)
    print(yaml.safe_dump({name: getattr(best, name) for name in [*settings, "learning_rate_end"]}, sort_keys=False))


def _compare(chosen: argparse.Namespace) -> None:
    env_specs = _chosen_env_specs(chosen)
    deals = read_deals(chosen.deals)
    names = [name for name in chosen.agents.split(",") if name]
    if not names:
        raise ValueError(f"expected the names of agents with commas between, got {chosen.agents!r}")
    if chosen.json and len(env_specs) > 1:
        raise ValueError(f"expected one environment with --json, got {len(env_specs)}: use --out")
    with tqdm(unit="deal", leave=False) as bar:
        found = compare(
            env_specs,
            names,
            deals,
            seed=chosen.seed,
            jobs=chosen.jobs,
            baseline=chosen.baseline,
            folder=chosen.out,
            progress=bar.update,
        )
    console = Console(width=None if sys.stdout.isatty() else 150)
    for table in make_tables(found):
        console.print(table)
    if chosen.json:
        write_json(chosen.json, env_specs[0], found)
        print(f"outcomes written to {chosen.json}")
    if chosen.out:
        print(f"results written to {chosen.out}; `solitaire-rl report {chosen.out}` makes a page of them")


def _report(chosen: argparse.Namespace) -> None:
    from solitaire_training.report.page import write_report  # noqa: PLC0415  # pictures take a second to import

    print(f"written to {write_report(chosen.folder)}")


def _chosen_env_specs(chosen: argparse.Namespace) -> list[EnvSpec]:
    """Reads the environments, each once, with commas between."""
    envs = list(dict.fromkeys(env for env in chosen.env.split(",") if env))
    if not envs or chosen.jobs < 1:
        raise ValueError(f"expected an environment id and --jobs of at least 1, got {chosen.env!r}, {chosen.jobs}")
    return [make_env_spec(env, parse_options(find_entry(env).game, chosen.options)) for env in envs]


if __name__ == "__main__":
    sys.exit(main())
