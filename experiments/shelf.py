"""How the declared games are played, as `docs/shelf.csv`, from which the tables of the documentation are made.

python experiments/shelf.py
python experiments/shelf.py --games FreeCell,Golf --agents uniform,greedy,runs/golf --deals 1000

Each agent plays the first test deals to win. A row that is there already is played anew. A trained agent is named by
its folder, and stands in the table as 'trained'; with '@search' after it, as 'planner'.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np

from solitaire_agents.catalogue import agents_of
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from solitaire_evaluation.agent_specs import find_agent_specs, make_agent
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.play import play
from solitaire_evaluation.statistics import mean, share

SHELF = Path(__file__).parents[1] / "docs" / "shelf.csv"
COLUMNS = ("env", "agent", "deals", "won", "won_low", "won_high", "score", "seconds")


def main() -> None:
    """Plays, and writes the file after each game and agent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", help="titles in ids, with commas between (default: all that are declared)")
    parser.add_argument("--agents", default="uniform,greedy")
    parser.add_argument("--deals", type=int, default=1_000)
    chosen = parser.parse_args()
    rows = read_rows()
    for declared in DECLARED:
        env, game = declared.env_id, PILE_GAMES[declared.env_id]
        if chosen.games and env.removeprefix("solitaire/").removesuffix("-v0") not in chosen.games.split(","):
            continue
        spec = make_env_spec(env, {})
        for name in chosen.agents.split(","):
            agent = make_agent(find_agent_specs([name], game, spec.options)[0], game, spec.options)
            started = time.process_time()
            played = play(agent, game, spec.options, np.arange(chosen.deals, dtype=np.uint64))
            seconds = (time.process_time() - started) / chosen.deals
            won = share(played.column("won"))
            known = name if name in agents_of(game) else "planner" if name.endswith("@search") else "trained"
            figures = won.value, won.low, won.high, mean(played.column("score")).value, seconds
            rows[env, known] = [env, known, str(chosen.deals), *(f"{figure:.4g}" for figure in figures)]
            print(*rows[env, known], flush=True)
            write_rows(rows)


def read_rows() -> dict[tuple[str, str], list[str]]:
    """Returns the rows of the file by environment and agent."""
    if not SHELF.exists():
        return {}
    with SHELF.open(encoding="ascii", newline="") as file:
        return {(row[0], row[1]): row for row in list(csv.reader(file))[1:]}


def write_rows(rows: dict[tuple[str, str], list[str]]) -> None:
    """Writes the file, in the order of the games."""
    places = {declared.env_id: place for place, declared in enumerate(DECLARED)}
    with SHELF.open("w", encoding="ascii", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [COLUMNS, *sorted(rows.values(), key=lambda row: places[row[0]])]
        )


if __name__ == "__main__":
    main()
