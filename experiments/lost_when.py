"""When fair players lose La tour infernale in one pass: the share of deals that can still be won after so many draws.

    .venv/bin/python experiments/lost_when.py --agents best,planner --deals 1000

Each agent plays test deals. Where it does not win, the solver is asked of the position after each draw, from the last
one back, whether a win is left with the stock open. What it cannot settle stands between the two columns.
"""

import argparse
from typing import Any

import numpy as np
from tqdm import tqdm

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import find_agent
from solitaire_agents.kit import Status
from solitaire_agents.tour_infernale.solver.api import solve
from solitaire_agents.tour_infernale.solver.memory import Memory, new_memory
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.engine import Engine
from solitaire_envs.tour_infernale import DRAW, GAME, MAX_PILES, TourInfernaleOptions
from solitaire_evaluation.statistics import share

DRAWS = NUM_CARDS - MAX_PILES
OPTIONS = TourInfernaleOptions(passes=1)


def positions(agent: Agent, deal: int) -> tuple[bool, list[Any]]:
    """Plays a deal; returns whether it is won, and the state as dealt and after each draw."""
    engine = Engine(GAME, OPTIONS, 1)
    engine.deal_numbers([deal])
    seen = [engine.states[0].copy()]
    while not engine.states.ended[0]:
        action = agent.act(engine.buffers.observations, engine.buffers.action_masks)
        engine.step(action)
        if action[0] == DRAW:
            seen.append(engine.states[0].copy())
    return bool(engine.buffers.outcomes["won"][0]), seen


def first_lost(seen: list[Any], max_nodes: int, memory: Memory) -> tuple[int, int]:
    """Returns up to which draw a win is known to be left, and from which one on it is proved that none is."""
    lost = len(seen)
    for draws in range(len(seen) - 1, -1, -1):
        status = solve(seen[draws], OPTIONS, max_nodes=max_nodes, memory=memory).status
        if status is Status.SOLVED:
            return draws, lost
        if status is Status.IMPOSSIBLE:
            lost = draws
    return -1, lost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", default="best,planner", help="agents, with commas between (default best,planner)")
    parser.add_argument("--deals", type=int, default=1_000, help="test deals (default 1,000)")
    parser.add_argument("--max-nodes", type=int, default=500_000, help="configurations for each position")
    arguments = parser.parse_args()
    memory = new_memory()
    print(f"{'agent':10}{'draws':>5}{'a win is left':>16}{'95 %':>10}{'no loss proved':>24}")
    for name in arguments.agents.split(","):
        agent = find_agent(name, GAME, OPTIONS)
        left, open_ = np.full(arguments.deals, DRAWS), np.full(arguments.deals, DRAWS + 1)
        for deal in tqdm(range(arguments.deals), desc=name):
            won, seen = positions(agent, deal)
            if not won:
                left[deal], open_[deal] = first_lost(seen, arguments.max_nodes, memory)
        for draws in (*range(0, DRAWS, 5), DRAWS):
            known, not_lost = share((left >= draws).astype(float)), share((open_ > draws).astype(float))
            interval = f"[{known.low:.1%}, {known.high:.1%}]"
            print(f"{name:10}{draws:5}{known.value:16.1%}  {interval:18}{not_lost.value:14.1%}")


if __name__ == "__main__":
    main()
