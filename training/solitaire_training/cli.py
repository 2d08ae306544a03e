"""The command ``solitaire-rl``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from tqdm import tqdm

from solitaire_agents.catalogue import find_agent
from solitaire_envs.catalogue import CATALOGUE, find_entry
from solitaire_envs.game import make_options
from solitaire_training.compare import make_table, read_deals, write_json
from solitaire_training.config import add_arguments, load_config, parse_options
from solitaire_training.evaluate import play
from solitaire_training.train import change_on_resume, resumed_config, train


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit code: 0, 2 for bad input, 130 after Ctrl-C."""
    parser = _make_parser()
    chosen = parser.parse_args(arguments)
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

    compare_parser = commands.add_parser("compare", help="play agents on the same deals")
    compare_parser.add_argument("--env", default="solitaire/Pyramid-v0", help=f"one of {', '.join(CATALOGUE)}")
    compare_parser.add_argument("--agents", required=True, help="names or folders of policies, with commas between")
    compare_parser.add_argument("--deals", default="6000", help="n, for deals 0..n-1, or a file of deal numbers")
    compare_parser.add_argument(
        "--option", dest="options", action="append", default=[], metavar="NAME=VALUE", help="an option of the game"
    )
    compare_parser.add_argument("--seed", type=int, default=0, help="seed of agents that draw random numbers")
    compare_parser.add_argument("--json", type=Path, help="write the outcomes here as well")
    compare_parser.set_defaults(run=_compare)
    return parser


def _train(chosen: argparse.Namespace) -> None:
    own = ("command", "run", "out", "config", "resume", "options")
    overrides = {name: value for name, value in vars(chosen).items() if name not in own}
    base = resumed_config(chosen.out) if chosen.resume else load_config(chosen.config, {})
    options = parse_options(find_entry(overrides.get("env", base.env)).game, chosen.options)
    if chosen.resume:
        config = change_on_resume(base, chosen.config, {**overrides, "options": {**base.options, **options}})
    else:
        config = load_config(chosen.config, {**overrides, "options": options})
    steps = train(config, chosen.out, resume=chosen.resume, say=tqdm.write)
    print(f"{steps:,} steps done; the policy is in {chosen.out}")


def _compare(chosen: argparse.Namespace) -> None:
    entry = find_entry(chosen.env)
    game = entry.game
    options = make_options(game.options, {**entry.preset, **parse_options(game, chosen.options)})
    deals = read_deals(chosen.deals)
    names = [name for name in chosen.agents.split(",") if name]
    if not names:
        raise ValueError(f"expected the names of agents with commas between, got {chosen.agents!r}")
    agents = [find_agent(name, game, options) for name in names]
    results = []
    with tqdm(total=len(deals) * len(agents), unit="deal", leave=False) as bar:
        for agent in agents:
            bar.set_description(agent.name)
            results.append(play(agent, game, options, deals, seed=chosen.seed, progress=bar.update))
    table = make_table(f"{chosen.env}, {len(deals):,} deals", results)
    Console(width=None if sys.stdout.isatty() else 120).print(table)
    if chosen.json:
        write_json(chosen.json, chosen.env, options, deals, results)
        print(f"outcomes written to {chosen.json}")


if __name__ == "__main__":
    sys.exit(main())
