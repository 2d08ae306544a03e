"""What the choices of tree search lose, by the means of a much longer search: how it should explore, and for how long.

    .venv/bin/python experiments/search_regret.py --simulations 300,1000 --exploration 0.25,0.5,1,1.5

The agent plays validation deals without a search. Some of its positions, those in which a search has something to
decide, are searched for long; the best mean there, less the mean of what a short search chooses, is its regret. Here a
mean counts if its candidate has one twentieth of the visits. Regrets of a setting are compared with those of the last
one in the list, on the same positions.
"""

import argparse
import os
import time
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from solitaire_agents.catalogue import find_agent
from solitaire_agents.choosing import new_scratch
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_agents.tree import ALWAYS, Tree, TreeEffort, mean_value, new_tree, searching
from solitaire_envs.engine import Engine
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.env_spec import EnvSpec, make_env_spec
from solitaire_evaluation.pool import ThisMachine

GLANCE, OPEN, SHARE, COUNTS = 50, (0.03, 0.97), 0.02, 20
"""Simulations of a first look; means between which a position is open; the share of the positions that are looked at;
of how many visits one makes a mean count."""
LONG_SEED, SHORT_SEED = np.uint64(1), np.uint64(0)
Line = tuple[int, ...]


class Searcher(NamedTuple):
    """An agent, and searches that are guided by its network."""

    spec: EnvSpec
    agent: TrainedAgent
    scratch: Any
    tree: Tree

    def search(self, observation: NDArray[np.int16], effort: TreeEffort, seed: np.uint64) -> tuple[Tree, int]:
        """Returns the tree of a search, which the next one overwrites, and its best edge."""
        search = searching(self.agent.choices).search
        return self.tree, int(search(self.agent.network, self.scratch, self.tree, effort, seed, observation))


@cache
def searcher(env: str, name: str, longest: int) -> Searcher:
    """Returns the searches that an agent of an environment guides, of so many simulations at most."""
    spec = make_env_spec(env, {})
    agent = find_agent(name, spec.game, spec.options)
    if not isinstance(agent, TrainedAgent):
        raise ValueError(f"expected a trained agent, got {name!r}")
    return Searcher(spec, agent, new_scratch(agent.choices, agent.network), new_tree(agent.choices, longest))


def line_of(tree: Tree, edge: int) -> Line:
    """Returns the moves to the candidate of an edge of the root."""
    return tuple(tree.lines[0, edge, : tree.lengths[0, edge]].tolist())


def means_of(tree: Tree) -> dict[Line, tuple[float, int]]:
    """Returns the mean and the visits of each candidate of the root."""
    edges = range(int(tree.edges[0]))
    return {line_of(tree, edge): (float(mean_value(tree, 0, edge)), int(tree.visits[0, edge])) for edge in edges}


def study(deal: int, env: str, name: str, efforts: list[TreeEffort], longest: int) -> list[list[tuple[float, ...]]]:
    """Returns of each search in some positions of a deal its regret, its simulations, and its seconds of a core."""
    by, rng, found = searcher(env, name, longest), np.random.default_rng(deal), list[list[tuple[float, ...]]]()
    engine = Engine(by.spec.game, by.spec.options, 1, autoreset="disabled")
    engine.deal_numbers([deal])
    while not engine.states.ended[0]:
        observation = engine.buffers.observations[0].copy()
        if rng.random() < SHARE and is_open(by, observation):
            means = means_of(by.search(observation, TreeEffort(longest, sure=ALWAYS), LONG_SEED)[0])
            most = max(mean for mean, visits in means.values() if visits * COUNTS >= longest)
            found.append([measure(by, observation, effort, means, most) for effort in efforts])
        engine.step(by.agent.act(engine.buffers.observations, engine.buffers.action_masks))
    return found


def measure(
    by: Searcher, observation: NDArray[np.int16], effort: TreeEffort, means: dict[Line, tuple[float, int]], most: float
) -> tuple[float, ...]:
    """Returns what `study` says of one search."""
    before = time.process_time()
    tree, edge = by.search(observation, effort, SHORT_SEED)
    seconds = time.process_time() - before
    return most - means[line_of(tree, edge)][0], float(tree.visits[0, : tree.edges[0]].sum()), seconds


def is_open(by: Searcher, observation: NDArray[np.int16]) -> bool:
    """Returns whether a search has something to decide."""
    effort = TreeEffort(GLANCE)
    tree, _ = by.search(observation, effort, LONG_SEED)
    means = [mean for mean, _ in means_of(tree).values()]
    return len(means) > 1 and tree.priors[0, 0] < effort.sure and OPEN[0] < max(means) < OPEN[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="solitaire/Klondike-v0", help="environment (default solitaire/Klondike-v0)")
    parser.add_argument("--agent", default="best", help="trained agent, or a run's folder (default best)")
    parser.add_argument("--deals", type=int, default=400, help="validation deals (default 400)")
    parser.add_argument("--simulations", default="300,1000", help="of the short searches (default 300,1000)")
    parser.add_argument("--exploration", default="0.25,0.5,1,1.5", help="their weights of rarely visited candidates")
    parser.add_argument("--longest", type=int, default=8_000, help="simulations of the long search (default 8000)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (default: all cores)")
    arguments = parser.parse_args()
    weights = [float(weight) for weight in arguments.exploration.split(",")]
    numbers = [int(number) for number in arguments.simulations.split(",")]
    efforts = [TreeEffort(number, exploration=weight) for number, weight in product(numbers, weights)]
    settings = {"env": arguments.env, "name": arguments.agent, "efforts": efforts, "longest": arguments.longest}
    try:
        searcher(arguments.env, arguments.agent, arguments.longest)
    except ValueError as error:
        parser.error(str(error))
    deals = range(VALIDATION_DEALS, VALIDATION_DEALS + arguments.deals)
    with ThisMachine(arguments.jobs) as workers:
        work = tqdm(workers.share(partial(study, **settings), deals), total=len(deals))
        found = np.array(sorted(row for rows in work for row in rows)).reshape(-1, len(efforts), 3)
    print(f"{len(found)} positions")
    for n, effort in enumerate(efforts):
        regret, simulations, seconds = found[:, n].T
        less = regret - found[:, -1, 0]
        told = f"{regret.mean():.4f}, {less.mean():+.4f} ± {1.96 * less.std() / np.sqrt(len(less)):.4f}"
        took = f"{simulations.mean():,.0f} on average, {seconds.mean() * 1_000:.1f} ms"
        print(f"{effort.simulations:6,} simulations, exploration {effort.exploration:4g}: {told}; {took}")


if __name__ == "__main__":
    main()
