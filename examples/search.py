"""A fair Monte Carlo tree search for Pyramid, over saved states: `get_state` and `set_state`.

    python examples/search.py --deal 7
    cd examples && solitaire-rl compare --agents careful,search:Searcher --deals 20

A saved state holds the true order of the stock, which a player does not know. So the player remembers what it has seen,
samples decks that agree with it, plays its own moves in them again, and searches from there (determinisation; Cowling,
Powley and Whitehouse, 2012). Of all decks together, the move that was tried most often is played.
"""

import argparse
import math
from collections import Counter
from dataclasses import asdict
from typing import Any

import gymnasium
import numpy as np

from solitaire_agents import Agent
from solitaire_envs import pyramid
from solitaire_evaluation.play import play

ENV_ID = "solitaire/Pyramid-v0"
STOCK, UNSEEN = (pyramid.GAME.slots(name) for name in ("stock", "unseen"))
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
        discards = legal[legal > pyramid.REDEAL]
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


class Memory:
    """What a player remembers of one game: the cards that it has seen, and its moves."""

    def __init__(self, observation: Any) -> None:
        self.pyramid = observation[: pyramid.PYRAMID_SIZE].tolist()
        self.stock: list[int] = []  # the ranks of the cards that have been turned up, in order
        self.unseen: list[int] = []  # the ranks of those that have not
        self.moves: list[int] = []

    def look(self, observation: Any) -> None:
        """Notes the card that has just been turned up, if there is one."""
        self.unseen = np.repeat(np.arange(1, 14), observation[UNSEEN]).tolist()
        if len(self.stock) + len(self.unseen) < pyramid.STOCK_SIZE:
            self.stock.append(int(observation[STOCK.start]))

    def deck(self, rng: np.random.Generator) -> list[int]:
        """Returns a deck that may be the one in play. The suits are made up, since they do not matter."""
        ranks = [*self.pyramid, *self.stock, *rng.permutation(self.unseen).astype(int).tolist()]
        suits = Counter[int]()
        deck = []
        for rank in ranks:
            deck.append(13 * suits[rank] + rank - 1)
            suits[rank] += 1
        return deck


class Searcher(Agent):
    """Plays by tree search in sampled decks; it has to see a game from its start."""

    searches = True
    stochastic = True

    def __init__(self, options: Any, decks: int = 8, simulations: int = 8) -> None:
        if options.information != "memory":
            raise ValueError(f"expected information='memory', got {options.information!r}")
        self._env: Any = gymnasium.make(ENV_ID, illegal_action="raise", **asdict(options)).unwrapped
        self._most = 1 if options.objective == "win" else MOST_POINTS
        self._decks, self._simulations = decks, simulations
        self._memories: dict[int, Memory] = {}
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Restarts the random numbers."""
        self._rng = np.random.default_rng(seed)

    def act_in(self, batch: Any) -> Any:
        """Returns a move in each game, int64 [n]."""
        rows = zip(batch.games.tolist(), batch.moves.tolist(), batch.observations, strict=True)
        return np.array([self._move(*row) for row in rows])

    def act(self, observations: Any, action_masks: Any) -> Any:
        """Is not possible, since the rows do not say which game is which."""
        raise TypeError("expected Searcher to be asked by choose(engine), since it remembers its games")

    def _move(self, game: int, moves: int, observation: Any) -> int:
        if moves == 0:
            self._memories[game] = Memory(observation)
        elif game not in self._memories or len(self._memories[game].moves) != moves:
            raise ValueError("expected to see the game from its start")
        memory, tried = self._memories[game], Counter[int]()
        memory.look(observation)
        for _ in range(self._decks):
            self._env.reset(options={"deck": memory.deck(self._rng)})
            for move in memory.moves:
                self._env.step(move)
            tried += search(self._env, self._simulations, self._rng, self._most)
        memory.moves.append(tried.most_common(1)[0][0])
        return memory.moves[-1]


def main() -> None:
    """Plays a deal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deal", type=int, default=7, help="deal number")
    parser.add_argument("--decks", type=int, default=8, help="decks to sample for each move")
    parser.add_argument("--simulations", type=int, default=8, help="simulations in each deck")
    args = parser.parse_args()
    options = pyramid.PyramidOptions()
    played = play(Searcher(options, args.decks, args.simulations), pyramid.GAME, options, [args.deal])
    outcome = dict(zip(played.outcomes.dtype.names, played.outcomes[0].tolist(), strict=True))
    print(f"{outcome} in {played.seconds:.1f} seconds")


if __name__ == "__main__":
    main()
