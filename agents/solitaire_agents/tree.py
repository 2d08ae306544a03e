"""Tree search over what a player knows, guided by a trained network, for any game that declares its choices.

A node is what the player knows in a position; an edge is a candidate (`choices`). Each simulation samples a *world*, a
game with the hidden cards in random order (`Game.imagine`), and goes down from the root until it reaches a new node.
The network gives that node a value, which is added to all edges on the way. In a node, the simulation takes the edge
with the highest sum of mean value and bonus (PUCT). The bonus grows with the prior of the edge and falls with its
visits.

Worlds that look the same so far share nodes. So the best edge of a node never depends on cards that are hidden there.

The k-th simulation through an edge of the root has the k-th world, whichever edge it is. So the means of two edges come
from the same worlds, as far as both were visited, and luck that both have had cancels out in their difference.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.choices import NOTHING_LEFT, Choices, new_steps
from solitaire_agents.choosing import Scratch, rating_over
from solitaire_agents.network import POLICY, VALUE, Network, ask_head
from solitaire_envs.cards import next_random, random_state, shuffle_cards
from solitaire_envs.game import Game
from solitaire_envs.imagination import list_hidden
from solitaire_envs.jit import as_records, entry_point, kernel

MOST_EDGES: Final = 12
"""Most edges of a node: the candidates with the highest priors."""
MOST_STEPS: Final = 256
"""Most edges from the root to a leaf."""
NODES_PER_SIMULATION: Final = 4
"""Average number of nodes that there is room for. A simulation adds one, and those on its way with only one edge."""
TEMPERATURE: Final = 2.0
"""The policy's logits are divided by this, so that the search also looks at moves that the policy hardly ever plays."""
LEAST_LOGIT: Final = -12.0
"""Candidates whose logit is further below the highest are left out."""
CONTENDER: Final = 0.25
"""An edge of the root may be chosen for its mean if it has this share of the visits of the edge with the most."""
CHECKED: Final = 16
"""After this many simulations each, the search checks whether the rest can change its choice, and ends if not."""

ALWAYS: Final = 2.0
"""A value for `TreeEffort.sure`: all simulations are run, whatever they find."""


class TreeEffort(NamedTuple):
    """How long a search takes, and how it explores."""

    simulations: int
    exploration: float = 0.5
    """Weight of the bonus for rarely visited edges."""
    sure: float = 0.98
    """There is no search if a candidate's prior is at least this; see `ALWAYS`."""


class Tree(NamedTuple):
    """Nodes, and working storage for one search and one thread. There is room for ``N`` nodes of ``E`` edges."""

    used: Any  # int64 [1]: nodes in use; the first is the root
    slots: Any  # int64 [2**n]: hash table of nodes, plus one; 0: none
    keys: Any  # uint64 [N]: hash of what the player knows
    edges: Any  # int64 [N]: number of edges, sorted by falling prior; 0: there is nothing left to gain
    visits: Any  # int64 [N, E]
    sums: Any  # float64 [N, E]: sum of the values that simulations through the edge have found
    squares: Any  # float64 [E]: for the edges of the root, sum of the squares of these values
    values: Any  # float64 [N, E]: the network's value of the edge, 0..1
    priors: Any  # float64 [N, E]: the policy's probabilities at `TEMPERATURE`
    lengths: Any  # int64 [N, E]: lengths of the lines
    lines: Any  # int16 [N, E, M]: the moves to the candidate
    path: Any  # int64 [MOST_STEPS, 2]: node and edge of each step from the root
    rules: Any  # [1] the record of the game's options
    worlds: Any  # [2] of `Game.state`: the first is where a simulation is
    cards: Any  # int64 [52] (or 104): the hidden cards of that world, slot by slot of the root's observation
    seen: Any  # int16 [O]: what the player knows there
    same_from: Any  # int16 [O]: the value of each slot from which on all are alike
    mask: Any  # bool [A]: the legal moves there
    outcome: Any  # [1] of `Game.outcome_dtype`
    discount: float  # of a value, for each move on the way to it


def new_tree(choices: Choices, simulations: int) -> Tree:
    """Allocates a tree for searches of a number of simulations."""
    nodes = NODES_PER_SIMULATION * (simulations + 1) + MOST_STEPS
    game, each = choices.game, (nodes, min(MOST_EDGES, choices.most_candidates))
    same_from = np.full(game.observation_size, np.iinfo(np.int16).max, np.int16)
    for stretch, value in choices.same_from.items():
        same_from[game.slots(stretch)] = value
    return Tree(
        np.zeros(1, np.int64),
        np.zeros(1 << (2 * nodes).bit_length(), np.int64),
        np.zeros(nodes, np.uint64),
        np.zeros(nodes, np.int64),
        np.zeros(each, np.int64),
        np.zeros(each),
        np.zeros(each[1]),
        np.zeros(each),
        np.zeros(each),
        np.zeros(each, np.int64),
        np.zeros((*each, choices.most_moves), np.int16),
        np.zeros((MOST_STEPS, 2), np.int64),
        *new_steps(game, choices.options),
        np.zeros(game.num_cards, np.int64),
        np.zeros(game.observation_size, np.int16),
        same_from,
        np.zeros(game.num_actions(choices.options), np.bool_),
        as_records(np.zeros(1, game.outcome_dtype)),
        float(choices.discount),
    )


class TreeKernels(NamedTuple):
    """The search, and the kernels of it that depend on the game."""

    search: Callable[..., int]
    """Entry point (network, scratch, tree, effort, seed uint64, observation int16 [O]) -> the best edge of the root, -1
    if it has none. The random numbers depend on the seed and the observation alone."""
    enter: Callable[..., None]
    """(tree, observation, hidden): makes the world that shows an observation, its hidden cards the first of `cards`."""
    look: Callable[..., Any]
    """(tree) -> a hash of what the player knows in the world, which is written to `seen`."""
    expand: Callable[..., float]
    """(network, scratch, tree, node) -> the value of a new node: finds its edges, in the world that `look` has seen."""


def searching(choices: Choices) -> TreeKernels:
    """Returns the kernels that search by some choices."""
    own = choices.count, choices.describe, choices.moves, choices.normalised_return
    return _compile(choices.game, *own)


@cache
def _compile(  # noqa: PLR0915  # short kernels that share a game
    game: Game, count: Any, describe: Any, moves: Any, normalised_return: Any
) -> TreeKernels:
    imagine, legal, apply, observe, conclude = game.imagine, game.legal, game.apply, game.observe, game.conclude
    rate_all, unseen, kinds = rating_over(describe).rate_all, game.unseen.start, game.kinds

    @entry_point(f"{game.name} tree search")
    def search(network: Network, scratch: Scratch, tree: Tree, effort: TreeEffort, seed: Any, observation: Any) -> int:
        tree.slots[:] = 0
        tree.used[0] = 0
        tree.squares[:] = 0.0
        hidden, stream = list_hidden(observation, unseen, kinds, tree.cards), random_state(seed, observation)
        simulate(network, scratch, tree, effort, observation, hidden)
        if tree.edges[0] == 0 or tree.priors[0, 0] >= effort.sure:
            return int(min(tree.edges[0], 1) - 1)
        for simulation in range(effort.simulations):
            is_due = simulation % CHECKED == 0 and effort.sure < ALWAYS
            if is_due and is_settled(tree, effort.simulations - simulation):
                break
            if tree.used[0] + MOST_STEPS > len(tree.keys):
                break
            world = tree.visits[0, choose_edge(tree, 0, effort.exploration)]
            list_hidden(observation, unseen, kinds, tree.cards)  # in order again, so that a world has a number
            shuffle_cards(tree.cards, hidden, next_random(stream + np.uint64(world))[1])
            simulate(network, scratch, tree, effort, observation, hidden)
        return best_edge(tree)

    @kernel
    def simulate(
        network: Network, scratch: Scratch, tree: Tree, effort: TreeEffort, observation: Any, hidden: int
    ) -> None:
        """Runs one simulation: goes down from the root to a new node, then adds its value to the edges on the way."""
        steps, value = 0, 0.0
        enter(tree, observation, hidden)
        while steps < MOST_STEPS:
            key = look(tree)
            slot = slot_of(tree, key)
            node = tree.slots[slot] - 1
            if node < 0:
                node = tree.used[0]
                tree.used[0], tree.slots[slot], tree.keys[node] = node + 1, node + 1, key
                value = expand(network, scratch, tree, node)
                if tree.edges[node] != 1:
                    break
            if tree.edges[node] == 0:
                value = worth_now(tree)
                break
            edge = choose_edge(tree, node, effort.exploration)
            tree.path[steps, 0], tree.path[steps, 1] = node, edge
            steps += 1
            for move in range(tree.lengths[node, edge]):
                apply(tree.rules[0], tree.worlds[0], tree.lines[node, edge, move])
                tree.worlds[0].moves += 1
        for step in range(steps - 1, -1, -1):
            node, edge = tree.path[step, 0], tree.path[step, 1]
            value *= tree.discount ** tree.lengths[node, edge]
            tree.visits[node, edge] += 1
            tree.sums[node, edge] += value
            if step == 0:
                tree.squares[edge] += value * value

    @kernel
    def enter(tree: Tree, observation: Any, hidden: int) -> None:
        imagine(tree.rules[0], observation, tree.cards[:hidden], tree.worlds[0])
        tree.worlds[0].moves = 0  # nobody says how many there were

    @kernel
    def look(tree: Tree) -> Any:
        observe(tree.rules[0], tree.worlds[0], tree.seen)
        return hash_of_knowledge(tree.seen, tree.same_from)

    @kernel
    def worth_now(tree: Tree) -> float:
        """Returns the normalised return of the world if the game ended now."""
        outcome = tree.outcome[0]
        conclude(tree.rules[0], tree.worlds[0], outcome)
        outcome.moves = tree.worlds[0].moves
        return float(normalised_return(outcome))

    @kernel
    def expand(network: Network, scratch: Scratch, tree: Tree, node: int) -> float:
        legal(tree.rules[0], tree.worlds[0], tree.mask)
        found = count(scratch.storage, tree.seen, tree.mask)
        tree.edges[node] = min(found, 1)
        if found == NOTHING_LEFT:
            return worth_now(tree)
        if found == 1:
            write_edge(scratch, tree, node, 0, 0)
            tree.priors[node, 0], tree.values[node, 0] = 1.0, 0.0
            return 0.0
        rate_all(network, POLICY, scratch, found)
        highest, total = -np.inf, 0.0
        for edge in range(min(found, tree.priors.shape[1])):
            best = 0
            for k in range(1, found):
                if scratch.logits[k] > scratch.logits[best]:
                    best = k
            highest = max(highest, scratch.logits[best])
            behind, scratch.logits[best] = scratch.logits[best] - highest, -np.inf
            if behind < LEAST_LOGIT:
                break
            write_edge(scratch, tree, node, edge, best)
            tree.values[node, edge] = candidate_value(network, scratch, best)
            tree.priors[node, edge] = np.exp(behind / TEMPERATURE)
            total += tree.priors[node, edge]
            tree.edges[node] = edge + 1
        for edge in range(tree.edges[node]):
            tree.priors[node, edge] /= total
        return float(tree.values[node, 0])

    @kernel
    def write_edge(scratch: Scratch, tree: Tree, node: int, edge: int, candidate: int) -> None:
        """Writes the moves to a candidate into an edge that has no visits yet."""
        length = moves(scratch.storage, candidate, scratch.line)
        for move in range(length):
            tree.lines[node, edge, move] = scratch.line[move]
        tree.lengths[node, edge], tree.visits[node, edge], tree.sums[node, edge] = length, 0, 0.0

    return TreeKernels(search, enter, look, expand)


@kernel
def hash_of_knowledge(seen: Any, same_from: Any) -> Any:
    """Makes alike values equal, and returns a hash (uint64): two chains, so that their multiplications overlap."""
    even, odd, prime = np.uint64(0), np.uint64(1), np.uint64(0x100000001B3)  # as the FNV hash does
    for slot in range(len(seen)):
        seen[slot] = min(seen[slot], same_from[slot])
    for slot in range(1, len(seen), 2):
        even, odd = even * prime + np.uint64(seen[slot - 1]), odd * prime + np.uint64(seen[slot])
    return next_random(even ^ next_random(odd + np.uint64(seen[-1]))[1])[1]


@kernel
def slot_of(tree: Tree, key: Any) -> int:
    """Returns the slot of a node, or the empty one where it belongs."""
    last = len(tree.slots) - 1
    slot = np.int64(key & np.uint64(last))
    while tree.slots[slot] != 0 and tree.keys[tree.slots[slot] - 1] != key:
        slot = (slot + 1) & last
    return int(slot)


@kernel
def candidate_value(network: Network, scratch: Scratch, candidate: int) -> float:
    """Returns the network's value of a rated candidate, 0..1."""
    logit = ask_head(network, VALUE, scratch.sums[1 + candidate], scratch.above, scratch.second)
    return float(1 / (1 + np.exp(-logit)))


@kernel
def mean_value(tree: Tree, node: int, edge: int) -> float:
    """Returns the value of an edge: the mean over simulations, with the network's value as one more."""
    return float((tree.sums[node, edge] + tree.values[node, edge]) / (tree.visits[node, edge] + 1))


@kernel
def choose_edge(tree: Tree, node: int, exploration: float) -> int:
    """Returns the edge with the best sum of mean value and bonus."""
    visits, best, highest = 1, 0, -np.inf
    for edge in range(tree.edges[node]):
        visits += tree.visits[node, edge]
    weight = exploration * np.sqrt(float(visits))
    for edge in range(tree.edges[node]):
        bonus = weight * tree.priors[node, edge] / (1 + tree.visits[node, edge])
        rating = mean_value(tree, node, edge) + bonus
        if rating > highest:
            best, highest = edge, rating
    return best


@kernel
def best_edge(tree: Tree) -> int:
    """Returns the edge of the root with the highest mean among the contenders (`CONTENDER`)."""
    least, best, highest = CONTENDER * tree.visits[0, most_visited(tree)], 0, -np.inf
    for edge in range(tree.edges[0]):
        mean = mean_value(tree, 0, edge)
        if tree.visits[0, edge] >= least and mean > highest:
            best, highest = edge, mean
    return best


@kernel
def most_visited(tree: Tree) -> int:
    """Returns the edge of the root with the most visits; of equals, the one with the highest prior."""
    best = 0
    for edge in range(1, tree.edges[0]):
        if tree.visits[0, edge] > tree.visits[0, best]:
            best = edge
    return best


@kernel
def is_settled(tree: Tree, left: int) -> bool:
    """Returns whether no other edge of the root can have as many visits after the simulations that are left."""
    best = most_visited(tree)
    for edge in range(tree.edges[0]):
        if edge != best and tree.visits[0, edge] + left > tree.visits[0, best]:
            return False
    return True
