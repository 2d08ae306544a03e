"""Monte Carlo tree search over saved states: `get_state` and `set_state`.

    python examples/search.py --deal 7 --simulations 100

A state holds the whole game, so the search meets the true order of the stock. That is fair only where everybody sees
the stock: under `information="open"`, as here.
"""

import argparse
import math
from typing import Any

import gymnasium
import numpy as np

import solitaire_envs  # noqa: F401  # registers the environments

MOST_POINTS = 102  # the rewards of a game of Pyramid add up to at most 52 + 50
EXPLORATION = 0.3


class Node:
    """A position: its saved state, and what the simulations through it have brought."""

    def __init__(self, env: Any) -> None:
        self.state = env.get_state()
        self.untried = list(np.flatnonzero(env.action_masks()))
        self.children: dict[int, tuple[float, Node]] = {}  # action -> its reward, and where it leads
        self.visits, self.total = 0, 0.0

    def choose(self) -> int:
        """Returns the action with the highest upper confidence bound (UCB1)."""

        def bound(action: int) -> float:
            reward, child = self.children[action]
            mean = (reward + child.total / child.visits) / MOST_POINTS
            return mean + EXPLORATION * math.sqrt(math.log(self.visits) / child.visits)

        return max(self.children, key=bound)


def simulate(env: Any, root: Node, rng: np.random.Generator) -> None:
    """Goes down the tree, adds one position, plays it out at random, and counts the points on the way back."""
    node, path = root, [(0.0, root)]
    while not node.untried and node.children:
        reward, node = node.children[node.choose()]
        path.append((reward, node))
    env.set_state(node.state)
    if node.untried:
        action = node.untried.pop(rng.integers(len(node.untried)))
        _, reward, *_ = env.step(action)
        child = Node(env)
        node.children[action] = (reward, child)
        path.append((reward, child))
    points = play_out(env, rng)
    for reward, visited in reversed(path):
        visited.visits += 1
        visited.total += points
        points += reward


def play_out(env: Any, rng: np.random.Generator) -> float:
    """Plays to the end: discards at random, and draws only where nothing can be discarded."""
    points = 0.0
    while (legal := np.flatnonzero(env.action_masks())).size:
        discards = legal[legal > 1]
        _, reward, *_ = env.step(rng.choice(discards if discards.size else legal))
        points += reward
    return points


def search(env: Any, simulations: int, rng: np.random.Generator) -> int:
    """Returns the action that most simulations took from the position of `env`, which is left as it was."""
    root = Node(env)
    for _ in range(simulations):
        simulate(env, root, rng)
    env.set_state(root.state)
    return max(root.children, key=lambda action: root.children[action][1].visits)


def play(deal: int, simulations: int, seed: int = 0) -> dict[str, Any]:
    """Plays a deal of Pyramid with its stock open; returns the outcome."""
    env: Any = gymnasium.make("solitaire/Pyramid-v0", information="open", illegal_action="raise").unwrapped
    env.reset(options={"deal": deal})
    rng = np.random.default_rng(seed)
    while env.action_masks().any():
        env.step(search(env, simulations, rng))
    return env.outcome()


def main() -> None:
    """Plays a deal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deal", type=int, default=7, help="deal number")
    parser.add_argument("--simulations", type=int, default=100, help="simulations for each move")
    args = parser.parse_args()
    print(play(args.deal, args.simulations))


if __name__ == "__main__":
    main()
