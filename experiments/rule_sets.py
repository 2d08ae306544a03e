"""How the agents fare under every rule set: the trained agent beside the rules and the planner, as a table in Markdown.

python experiments/rule_sets.py --game pyramid --deals 1000
python experiments/rule_sets.py --game tour_infernale --agents thrifty,swift,best --deals 500
python experiments/rule_sets.py --game pyramid --only objective=score --agents best,planner --deals 200 --jobs 2
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from solitaire_agents.catalogue import find_agent
from solitaire_envs.catalogue import GAMES
from solitaire_envs.game import Game, Options
from solitaire_evaluation.play import play
from solitaire_evaluation.statistics import mean, share
from solitaire_training.commands.arguments import parse_options

RULES: dict[str, dict[str, list[Any]]] = {
    "pyramid": {
        "objective": ["win", "score"],
        "passes": [1, 2, 3, 5],
        "stock_waste_pairs": [True, False],
        "goal": ["all", "pyramid"],
    },
    "tour_infernale": {"piles": [6, 5], "passes": [1, 2, 3, None]},
    "klondike": {"draw": [3, 1], "returns": [True, False], "passes": [1, 2, 3, 4, None]},
}
"""Game -> options and the values to combine."""
AGENTS = {
    "pyramid": "uniform,pyramid-first,careful,best,planner",
    "tour_infernale": "uniform,greedy,thrifty,swift,best",
    "klondike": "uniform,greedy,careful,best",
}


def rule_sets(game: Game, only: Mapping[str, Any]) -> Iterator[Options]:
    """Yields the options of each rule set; `only` replaces the values of an option by one."""
    for name in only.keys() - RULES[game.name].keys():
        raise ValueError(f"expected options among {', '.join(RULES[game.name])}; got {name}")
    rules = {**RULES[game.name], **{name: [value] for name, value in only.items()}}
    for values in product(*rules.values()):
        yield game.options(**dict(zip(rules, values, strict=True)))


def measured(name: str, game: Game, options: Options, deals: Any) -> str:
    """Returns what an agent reaches with half a 95 % interval, or a dash if it does not play these rules."""
    try:
        agent = find_agent(name, game, options)
    except ValueError:
        return "-"
    always_won = game.name == "tour_infernale" and getattr(options, "passes", 0) is None
    aim = "moves" if always_won else game.aim(options)
    values = play(agent, game, options, deals).column(aim)
    found = share(values) if aim == "won" else mean(values)
    half = (found.high - found.low) / 2
    return f"{found.value:.1%} ± {half:.1%}" if aim == "won" else f"{found.value:.2f} ± {half:.2f}"


def row(game_name: str, names: Sequence[str], deals: int, options: Options) -> str:
    """Returns a row of the table."""
    game, numbers = GAMES[game_name], np.arange(deals, dtype=np.uint64)
    cells = [str(getattr(options, column)) for column in RULES[game_name]]
    cells += [measured(name, game, options, numbers) for name in names]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Prints a row for each rule set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=list(RULES), default="pyramid")
    parser.add_argument("--agents", help="names, with commas between")
    parser.add_argument("--only", action="append", default=[], metavar="NAME=VALUE", help="this value alone")
    parser.add_argument("--deals", type=int, default=1_000, help="test deals, from number 0 on")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    chosen = parser.parse_args()
    game, names = GAMES[chosen.game], (chosen.agents or AGENTS[chosen.game]).split(",")
    columns = list(RULES[game.name])
    print("| " + " | ".join([*columns, *names]) + " |")
    print("|" + "---|" * (len(columns) + len(names)))
    with ProcessPoolExecutor(chosen.jobs) as pool:
        sets = rule_sets(game, parse_options(game, chosen.only))
        for line in pool.map(partial(row, game.name, names, chosen.deals), sets):
            print(line, flush=True)


if __name__ == "__main__":
    main()
