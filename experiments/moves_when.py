"""When fair players of La tour infernale spend more moves than they have to, with passes without limit.

    .venv/bin/python experiments/moves_when.py --agents swift,planner --deals 100

Each agent plays test deals. After some of its draws a beam search, which sees the stock, looks for the shortest way on.
The moves so far and those to come are what the game takes if all is known from then on. The search proves no optimum.
"""

import argparse

import numpy as np
from tqdm import tqdm

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import find_agent
from solitaire_agents.tour_infernale.beam_search import beam_search
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.engine import Engine
from solitaire_envs.tour_infernale import DRAW, GAME, MAX_PILES, TourInfernaleOptions
from solitaire_evaluation.statistics import mean

DRAWS = (0, 10, 20, 30, NUM_CARDS - MAX_PILES)
OPTIONS = TourInfernaleOptions()


def known_from(agent: Agent, deal: int, width: int) -> list[int]:
    """Plays a deal; returns the moves that it takes if all is known after each number of `DRAWS`, and as played."""
    engine, draws, moves, found = Engine(GAME, OPTIONS, 1), 0, 0, list[int]()
    engine.deal_numbers([deal])
    while not engine.states.ended[0]:
        if len(found) < len(DRAWS) and draws == DRAWS[len(found)]:
            found.append(moves + len(beam_search(engine.states[0], OPTIONS, width=width)))
        action = agent.act(engine.buffers.observations, engine.buffers.action_masks)
        engine.step(action)
        moves, draws = moves + 1, draws + int(action[0] == DRAW)
    return found + [moves] * (len(DRAWS) + 1 - len(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", default="swift,planner", help="agents, with commas between (default swift,planner)")
    parser.add_argument("--deals", type=int, default=100, help="test deals (default 100)")
    parser.add_argument("--width", type=int, default=100, help="positions in the beam (default 100)")
    arguments = parser.parse_args()
    print(f"{'agent':10}{'all known after':>18}{'moves':>10}")
    for name in arguments.agents.split(","):
        agent = find_agent(name, GAME, OPTIONS)
        found = np.array([known_from(agent, deal, arguments.width) for deal in tqdm(range(arguments.deals), desc=name)])
        for when, moves in zip([*(f"{draws} draws" for draws in DRAWS), "never"], found.T, strict=True):
            estimate = mean(moves.astype(np.float64))
            print(f"{name:10}{when:>18}{estimate.value:10.1f} ± {(estimate.high - estimate.low) / 2:.1f}")


if __name__ == "__main__":
    main()
