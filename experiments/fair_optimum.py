"""What the best fair player of Golf wins: the exact optimum, or an upper bound that takes less time.

    .venv/bin/python experiments/fair_optimum.py --deals 0-99 --out golf-optimum.csv
    .venv/bin/python experiments/fair_optimum.py --deals 0-99 --out golf-optimum.csv --agents runs/golf,runs/golf@search
    .venv/bin/python experiments/fair_optimum.py --deals 0-999 --told 8 --out golf-bound.csv

Each deal's figure is the largest chance to win of a player who does not know the order of the stock, but for the first
`--told` cards of it (`solitaire_agents.piles.fair_optimum`). A row for each deal goes to the file at once, so an
interrupted run goes on where it was. The table, in Markdown, has the mean beside the share that can be won with all
cards known, and the difference on the deals whose label is settled.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from study import in_percent, rows_in

from solitaire_agents.base import Agent
from solitaire_agents.kit import Status, dealt
from solitaire_agents.piles.fair_optimum import fair_optimum
from solitaire_envs.engine import Engine
from solitaire_envs.imagination import sample_from
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from solitaire_envs.piles.shape import PileShape
from solitaire_evaluation.agent_specs import find_agent_specs, make_agent
from solitaire_evaluation.deals import read_deals
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.labels import label_deals
from solitaire_evaluation.play import step_through
from solitaire_evaluation.statistics import mean

HEADER = ("deal", "told", "bound", "seconds")
GOLF = next(declared for declared in DECLARED if declared.title == "Golf")


def read_rows(path: Path) -> dict[int, tuple[int, float, float]]:
    """Reads the rows of a file: deal -> told, bound, seconds."""
    return {int(deal): (int(told), float(bound), float(took)) for deal, told, bound, took in rows_in(path, HEADER)}


def measure(deals: list[int], told: int, path: Path) -> None:
    """Appends a row for each new deal to a file."""
    rows, shape, game = read_rows(path), PileShape(GOLF), PILE_GAMES[GOLF.env_id]
    if any(each != told for each, _, _ in rows.values()):
        raise ValueError(f"expected {path} to have rows with told={told}")
    with path.open("a", encoding="ascii", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        for deal in (each for each in deals if each not in rows):
            state, started = dealt(game, game.options(), np.array([deal], np.uint64))[0], time.process_time()
            table.writerow(
                [deal, told, f"{fair_optimum(shape, state, told):.6f}", f"{time.process_time() - started:.2f}"]
            )
            file.flush()


def fair_agent(name: str) -> Agent:
    """Returns an agent that does not see the stock."""
    game = PILE_GAMES[GOLF.env_id]
    agent = make_agent(find_agent_specs([name], game, game.options())[0], game, game.options())
    if not agent.fair:
        raise ValueError(f"expected agents that do not see the stock, got {name}")
    return agent


def play_orders(agent: Agent, deals: list[int], orders: int) -> NDArray[np.float64]:
    """Returns the share that an agent wins of each deal, [deals], with so many orders of its stock."""
    game, won = PILE_GAMES[GOLF.env_id], []
    for deal in deals:
        engine = Engine(game, game.options(), 1)
        engine.deal_numbers([deal])
        games = sample_from(engine, orders, seed=0)
        for _ in step_through(agent, games):
            pass
        won.append(games.buffers.outcomes["won"].mean())
    return np.array(won)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", default="0-9", help="deals, as for compare (default the first 10 test deals)")
    parser.add_argument("--told", type=int, default=0, help="cards of the stock whose order he is told (default 0)")
    parser.add_argument("--agents", default="", help="agents to compare with it, with commas between")
    parser.add_argument("--orders", type=int, default=50, help="orders of the stock that they play (default 50)")
    parser.add_argument("--out", type=Path, default=Path("golf-optimum.csv"), help="the file of rows")
    chosen = parser.parse_args()
    try:
        deals = read_deals(chosen.deals).tolist()
        agents = {name: fair_agent(name) for name in chosen.agents.split(",") if name}
        if agents and (chosen.told > 0 or chosen.orders < 1):
            raise ValueError(f"expected told 0 and 1 order or more with agents, got {chosen.told} and {chosen.orders}")
        measure(deals, chosen.told, chosen.out)
        rows = read_rows(chosen.out)
    except ValueError as error:
        parser.error(str(error))
    bound, seconds = np.array([rows[deal][1:] for deal in deals]).T
    print(f"| of {len(deals):,} deals, told {chosen.told} | |\n|---|---|")
    print(f"| the best fair player wins{', at most' if chosen.told else ''} | {in_percent(mean(bound))} |")
    labels = label_deals(make_env_spec(GOLF.env_id, {}), np.array(deals, np.uint64))["winnable"].to_numpy()
    settled = labels != Status.UNKNOWN
    if settled.any():
        won = labels[settled].astype(np.float64)
        print(f"| can be won with all cards known, {len(won):,} deals | {in_percent(mean(won))} |")
        print(f"| difference on the same deals | {in_percent(mean(bound[settled] - won))} |")
    for name, agent in agents.items():
        shares = play_orders(agent, deals, chosen.orders)
        print(f"| `{name}` wins, {chosen.orders:,} orders of each stock | {in_percent(mean(shares))} |")
        print(f"| difference to the best | {in_percent(mean(shares - bound))} |")
    print(f"| seconds a deal, mean and most | {seconds.mean():.1f}, {seconds.max():.1f} |")


if __name__ == "__main__":
    main()
