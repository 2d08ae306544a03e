"""A fair Monte Carlo tree search for Pyramid, over sampled states: `sample_games`, `get_state` and `set_state`.

    python examples/search.py --deal 7
    cd examples && solitaire-rl compare --agents careful,search:Searcher --deals 20

A saved state of the game in play would hold the true order of the stock, which a player does not know. So the player
samples games that agree with what it has seen, and searches in each (determinisation; Cowling, Powley and Whitehouse,
2012). Of all games together, the move that was tried most often is played.
"""

import argparse
import math
from collections import Counter
from dataclasses import asdict
from typing import Any

import gymnasium
import numpy as np

from solitaire_agents import Agent
from solitaire_envs import pyramid, pyramid_table
from solitaire_envs.imagination import sample_games
from solitaire_evaluation.play import play

ENV_ID = "solitaire/Pyramid-v0"
MOST_POINTS = 102  # for the score, the rewards of a game add up to at most 52 + 50
EXPLORATION = 0.3


# --- The tree ---------------------------------------------------------------------------------------------------------


class Node:
    """A position: its saved state, and what the simulations through it have brought."""

    def __init__(self, env: Any) -> None:
        self.state = env.get_state()
        self.untried = list(np.flatnonzero(env.action_masks()))
        self.children: dict[int, tuple[float, Node]] = {}  # action -> its reward, and where it leads
        self.visits, self.total = 0, 0.0

    def best(self, most: int) -> int:
        """Returns the action with the highest upper confidence bound (UCB1); rewards add up to at most `most`."""

        def bound(action: int) -> float:
            reward, child = self.children[action]
            mean = (reward + child.total / child.visits) / most
            return mean + EXPLORATION * math.sqrt(math.log(self.visits) / child.visits)

        return max(self.children, key=bound)


def simulate(env: Any, root: Node, rng: np.random.Generator, most: int) -> None:
    """Goes down the tree, adds one position, plays it out at random, and counts the points on the way back."""
    node, path = root, [(0.0, root)]
    while not node.untried and node.children:
        reward, node = node.children[node.best(most)]
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
        discards = legal[legal > pyramid_table.REDEAL]
        moves = discards if discards.size else legal
        _, reward, *_ = env.step(moves[rng.integers(moves.size)])
        points += reward
    return points


def search(env: Any, simulations: int, rng: np.random.Generator, most: int = MOST_POINTS) -> Counter[int]:
    """Returns how often each action was tried from the position of `env`, which is left as it was."""
    root = Node(env)
    for _ in range(simulations):
        simulate(env, root, rng, most)
    env.set_state(root.state)
    return Counter({action: child.visits for action, (_, child) in root.children.items()})


# --- The player -------------------------------------------------------------------------------------------------------


class Searcher(Agent):
    """Plays by tree search in sampled games."""

    searches = True
    stochastic = True

    def __init__(self, options: Any, decks: int = 8, simulations: int = 8) -> None:
        self._env: Any = gymnasium.make(ENV_ID, illegal_action="raise", **asdict(options)).unwrapped
        self._options, self._most = options, 1 if options.objective == "win" else MOST_POINTS
        self._decks, self._simulations = decks, simulations
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Restarts the random numbers."""
        self._rng = np.random.default_rng(seed)

    def act(self, observations: Any, action_masks: Any) -> Any:
        """Returns a move in each game, int64 [B]."""
        return np.array([self._move(observation) for observation in observations])

    def _move(self, observation: Any) -> int:
        seed, tried = int(self._rng.integers(2**63)), Counter[int]()
        games = sample_games(pyramid.GAME, self._options, observation, self._decks, seed=seed)
        for index in range(self._decks):
            self._env.set_state(games.get_state(index))
            tried += search(self._env, self._simulations, self._rng, self._most)
        return tried.most_common(1)[0][0]


def main() -> None:
    """Plays a deal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deal", type=int, default=7, help="deal number")
    parser.add_argument("--decks", type=int, default=8, help="games to sample for each move")
    parser.add_argument("--simulations", type=int, default=8, help="simulations in each game")
    args = parser.parse_args()
    options = pyramid.PyramidOptions()
    played = play(Searcher(options, args.decks, args.simulations), pyramid.GAME, options, [args.deal])
    outcome = dict(zip(played.outcomes.dtype.names, played.outcomes[0].tolist(), strict=True))
    print(f"{outcome} in {played.seconds:.1f} seconds")


if __name__ == "__main__":
    main()
