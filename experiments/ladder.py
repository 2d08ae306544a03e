"""How agents play the first test deals, as `docs/played.csv`, from which tables of the documentation are made.

python experiments/ladder.py
python experiments/ladder.py --envs solitaire/Klondike-v0,solitaire/KlondikeDrawOne-v0 --agents planner --deals 500
python experiments/ladder.py --envs solitaire/Pyramid-v0 --option objective=win --agents careful,best,planner
python experiments/ladder.py --envs solitaire/Golf-v0 --agents runs/golf,runs/golf@search200
python experiments/ladder.py --envs solitaire/Pyramid-v0 --option objective=win --bound fair-bound.csv

The last command takes a bound on all fair players from the rows of `experiments/fair_bound.py`. A row that is there
already is replaced. A trained agent that is named by its folder stands there by the way it was trained, 'self-play' or
'ppo'; with '@search' after it, or '@search200', as 'planner'.
"""

import argparse
import csv
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.catalogue import agents_of
from solitaire_agents.trained import read_card
from solitaire_agents.tree_planner import TreePlanner
from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.piles.games import PILE_GAMES
from solitaire_evaluation.agent_specs import find_agent_specs, make_agent
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_evaluation.play import play
from solitaire_evaluation.statistics import Estimate, mean, share
from solitaire_training.commands.arguments import chosen_env_spec

AMOUNT = {"self-play": "games", "ppo": "total_steps"}
"""Algorithm -> the setting that says how much training there is."""
PLAYED = Path(__file__).parents[1] / "docs" / "played.csv"


class Row(NamedTuple):
    """A row of the file; all columns are texts.

    ``seconds`` are CPU seconds a deal. Of trained agents, ``amount`` and ``minutes`` are games of self-play, or steps
    of PPO, and the minutes that they took; of planners that they guide, ``amount`` is the most simulations a decision.
    """

    env: str
    option: str
    agent: str
    deals: str
    won: str
    won_low: str
    won_high: str
    score: str
    seconds: str
    amount: str = ""
    minutes: str = ""


def make_row(env: str, option: str, agent: str, deals: int, won: Estimate, score: float | None, seconds: float) -> Row:
    figures = (won.value, won.low, won.high, score, seconds)
    texts = ("" if figure is None else f"{figure:.4g}" for figure in figures)
    return Row(env, option, agent, str(deals), *texts)


def played_row(spec: EnvSpec, option: str, name: str, deals: int) -> Row:
    """Returns the row of an agent after it has played."""
    agent = make_agent(find_agent_specs([name], spec.game, spec.options)[0], spec.game, spec.options)
    play(agent, spec.game, spec.options, np.arange(2, dtype=np.uint64))  # compiles
    started = time.process_time()
    played = play(agent, spec.game, spec.options, np.arange(deals, dtype=np.uint64))
    seconds = (time.process_time() - started) / deals
    won, score = share(played.column("won")), mean(played.column("score")).value
    if name in agents_of(spec.game):
        return make_row(spec.env, option, name, deals, won, score, seconds)
    if isinstance(agent, TreePlanner):
        row = make_row(spec.env, option, "planner", deals, won, score, seconds)
        return row._replace(amount=str(agent.effort.simulations))
    card = read_card(Path(name))
    algorithm = card["hyperparameters"]["algorithm"]
    row = make_row(spec.env, option, algorithm, deals, won, score, seconds)
    return row._replace(amount=str(card["hyperparameters"][AMOUNT[algorithm]]), minutes=f"{card['minutes']:.1f}")


def write_row(row: Row) -> None:
    """Puts a row into the file, in the order of the catalogue; one of the same agent and rules goes."""
    rows = {each[:3]: each for each in (*read_rows(), row)}
    places = {env: place for place, env in enumerate(CATALOGUE)}
    with PLAYED.open("w", encoding="ascii", newline="") as file:
        ordered = sorted(rows.values(), key=lambda each: (places[each.env], each.option))
        csv.writer(file, lineterminator="\n").writerows([Row._fields, *ordered])
    print(*row, flush=True)


def read_rows() -> list[Row]:
    if not PLAYED.exists():
        return []
    with PLAYED.open(encoding="ascii", newline="") as file:
        return [Row(*row) for row in list(csv.reader(file))[1:]]


def read_bound(path: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the bound on each deal and the seconds that it took."""
    with path.open(encoding="ascii", newline="") as file:
        rows = [(float(row["bound"]), float(row["seconds"])) for row in csv.DictReader(file)]
    bound, seconds = np.array(rows).T
    return bound, seconds


def main() -> None:
    """Plays, and writes the file after each environment and agent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", default=",".join(PILE_GAMES), help="environments (default: all declared games)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the game")
    parser.add_argument("--agents", default="uniform,greedy")
    parser.add_argument("--deals", type=int, default=1_000)
    parser.add_argument("--bound", type=Path, help="rows of a bound, instead of agents")
    chosen = parser.parse_args()
    for env in chosen.envs.split(","):
        spec, option = chosen_env_spec(env, chosen.option), " ".join(chosen.option)
        if chosen.bound is not None:
            bound, seconds = read_bound(chosen.bound)
            write_row(make_row(env, option, "bound", len(bound), mean(bound), None, seconds.mean()))
            continue
        for name in chosen.agents.split(","):
            write_row(played_row(spec, option, name, chosen.deals))


if __name__ == "__main__":
    main()
