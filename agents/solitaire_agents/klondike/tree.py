"""Tree search over what a player of Klondike knows, guided by a trained network.

A node is what the player knows in a position; an edge is a candidate (`candidates`). Each simulation samples a *world*,
an order of the hidden cards, and goes down from the root until it reaches a new node. The network gives that node a
value, which is added to all edges on the way. In a node, the simulation takes the edge with the highest sum of mean
value and bonus (PUCT). The bonus grows with the prior of the edge and falls with its visits.

Worlds that look the same so far share nodes. So the best edge of a node never depends on cards that are hidden there.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.choices import copy
from solitaire_agents.choosing import Sheet, rating_over
from solitaire_agents.klondike.candidates import (
    MOST_MOVES,
    count,
    write_moves,
)
from solitaire_agents.klondike.choices import play_on
from solitaire_agents.klondike.inputs import describe
from solitaire_agents.network import POLICY, VALUE, Network, add_rows, ask_head
from solitaire_envs.cards import NUM_CARDS, random_below, random_state
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.klondike import AT, FACE_DOWN, GAME, STOCK_SIZE, UNSEEN
from solitaire_envs.klondike_table import EMPTY

MOST_EDGES: Final = 12
"""Most edges of a node: the candidates with the highest priors."""
MOST_STEPS: Final = 256
"""Most edges from the root to a leaf. Each makes progress, so a game has fewer."""
NODES_PER_SIMULATION: Final = 4
"""Average number of nodes that there is room for. A simulation adds one, and those on its way with only one edge."""
TEMPERATURE: Final = 2.0
"""The policy's logits are divided by this, so that the search also looks at moves that the policy hardly ever plays."""
LEAST_LOGIT: Final = -12.0
"""Candidates whose logit is further below the highest are left out."""
CHECKED: Final = 16
"""After this many simulations each, the search checks whether the rest can change its choice, and ends if not."""

ALWAYS: Final = 2.0
"""A value for `Effort.sure`: all simulations are run, whatever they find."""

_rate_all = rating_over(describe).rate_all


class Effort(NamedTuple):
    """How long a search takes, and how it explores."""

    simulations: int
    exploration: float = 1.5
    """Weight of the bonus for rarely visited edges."""
    sure: float = 0.98
    """There is no search if a candidate's prior is at least this; see `ALWAYS`."""


class Tree(NamedTuple):
    """Nodes, and working storage for one search and one thread. There is room for ``N`` nodes of ``E`` edges."""

    used: Any  # int64 [1]: nodes in use; the first is the root
    slots: Any  # int64 [2**n]: hash table of nodes, plus one; 0: none
    keys: Any  # uint64 [N]: hash of what the player knows
    edges: Any  # int64 [N]: number of edges, sorted by falling prior; 0: the game is over
    visits: Any  # int64 [N, E]
    sums: Any  # float64 [N, E]: sum of the values that simulations through the edge have found
    values: Any  # float64 [N, E]: the network's value of the edge, the probability of a win
    priors: Any  # float64 [N, E]: the policy's probabilities at `TEMPERATURE`
    lengths: Any  # int64 [N, E]: lengths of the lines
    lines: Any  # int8 [N, E, MOST_MOVES]: the moves to the candidate
    path: Any  # int64 [MOST_STEPS, 2]: node and edge of each step from the root
    places: Any  # int64 [52]: slots of hidden cards
    board: Any  # int16 [O]: the observation, hidden cards filled in
    world: Any  # int16 [O]: where a simulation is


def new_tree(simulations: int) -> Tree:
    """Allocates a tree for searches of a number of simulations."""
    nodes = NODES_PER_SIMULATION * (simulations + 1) + MOST_STEPS
    return Tree(
        np.zeros(1, np.int64),
        np.zeros(1 << (2 * nodes).bit_length(), np.int64),
        np.zeros(nodes, np.uint64),
        np.zeros(nodes, np.int64),
        np.zeros((nodes, MOST_EDGES), np.int64),
        np.zeros((nodes, MOST_EDGES)),
        np.zeros((nodes, MOST_EDGES)),
        np.zeros((nodes, MOST_EDGES)),
        np.zeros((nodes, MOST_EDGES), np.int64),
        np.zeros((nodes, MOST_EDGES, MOST_MOVES), np.int8),
        np.zeros((MOST_STEPS, 2), np.int64),
        np.zeros(NUM_CARDS, np.int64),
        np.zeros(GAME.observation_size, np.int16),
        np.zeros(GAME.observation_size, np.int16),
    )


@entry_point("klondike tree search")
def search(network: Network, sheet: Sheet, tree: Tree, effort: Effort, seed: Any, observation: Any) -> int:
    """Searches from an observation; returns the best edge of the root, -1 if it has none.

    Args:
        network: The network.
        sheet: Working storage for the network.
        tree: Written to.
        effort: The effort.
        seed: uint64: seed of the random numbers, together with the observation.
        observation: int16 [O].
    """
    tree.slots[:] = 0
    tree.used[0] = 0
    hidden, random = _fill_in(tree, observation), random_state(seed, observation)
    copy(tree.board, tree.world)
    _simulate(network, sheet, tree, effort)
    if tree.edges[0] == 0 or tree.priors[0, 0] >= effort.sure:
        return int(min(tree.edges[0], 1) - 1)
    for simulation in range(effort.simulations):
        is_due = simulation % CHECKED == 0 and effort.sure < ALWAYS
        if is_due and _is_settled(tree, effort.simulations - simulation):
            break
        if tree.used[0] + MOST_STEPS > len(tree.keys):
            break
        random = _shuffle(tree.board, tree.places, hidden, random)
        copy(tree.board, tree.world)
        _simulate(network, sheet, tree, effort)
    return _best_edge(tree)


# --- Worlds -----------------------------------------------------------------------------------------------------------


@kernel
def _fill_in(tree: Tree, observation: Any) -> int:
    """Writes the hidden cards into the board in any order, and their slots; returns how many there are."""
    board, hidden, card = tree.board, 0, 0
    copy(observation, board)
    for slot in range(AT.face_down, AT.stock + STOCK_SIZE):
        if board[slot] == UNSEEN:
            while card < NUM_CARDS - 1 and observation[AT.unseen + card] == 0:
                card += 1
            tree.places[hidden] = slot
            card += 1
            board[slot] = card
            hidden += 1
    return hidden


@kernel
def _shuffle(board: Any, places: Any, hidden: int, random: Any) -> Any:
    """Shuffles the hidden cards; returns the random state after it."""
    for last in range(hidden - 1, 0, -1):
        random, chosen = random_below(random, last + 1)
        one, other = places[last], places[chosen]
        board[one], board[other] = board[other], board[one]
    return random


@kernel
def _key_of(world: Any) -> Any:
    """Returns a hash of what the player knows in a world. Hidden cards have no part in it."""
    key, prime, seen = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3), world[AT.pass_] > 1
    for slot in range(AT.face_down):
        key = (key ^ np.uint64(world[slot])) * prime
    for slot in range(AT.face_down, AT.face_down + FACE_DOWN):
        key = (key ^ np.uint64(world[slot] != EMPTY)) * prime
    for slot in range(AT.foundations, AT.foundations + 4):
        key = (key ^ np.uint64(world[slot])) * prime
    for slot in range(AT.stock, AT.stock + STOCK_SIZE):
        key = (key ^ np.uint64(world[slot] if seen else world[slot] != EMPTY)) * prime
    for slot in range(AT.waste, AT.waste + STOCK_SIZE):
        key = (key ^ np.uint64(world[slot])) * prime
    key = (key ^ np.uint64(seen)) * prime
    return key ^ key >> np.uint64(29)


@kernel
def _outcome(world: Any) -> float:
    """Returns the value of a game that is over: 1 for a win, else 0."""
    up = 0
    for suit in range(4):
        up += world[AT.foundations + suit]
    return 1.0 if up == NUM_CARDS else 0.0


# --- Simulations ------------------------------------------------------------------------------------------------------


@kernel
def _simulate(network: Network, sheet: Sheet, tree: Tree, effort: Effort) -> None:
    """Runs one simulation: goes down from the root to a new node, then adds its value to the edges on the way."""
    world, steps, value = tree.world, 0, 0.0
    while steps < MOST_STEPS:
        key = _key_of(world)
        slot = _slot_of(tree, key)
        node = tree.slots[slot] - 1
        if node < 0:
            node = tree.used[0]
            tree.used[0], tree.slots[slot], tree.keys[node] = node + 1, node + 1, key
            value = _expand(network, sheet, tree, node)
            if tree.edges[node] != 1:
                break
        if tree.edges[node] == 0:
            value = _outcome(world)
            break
        edge = _choose_edge(tree, node, effort.exploration)
        tree.path[steps, 0], tree.path[steps, 1] = node, edge
        steps += 1
        for move in range(tree.lengths[node, edge]):
            play_on(world, tree.lines[node, edge, move], world)
    for step in range(steps):
        node, edge = tree.path[step, 0], tree.path[step, 1]
        tree.visits[node, edge] += 1
        tree.sums[node, edge] += value


@kernel
def _slot_of(tree: Tree, key: Any) -> int:
    """Returns the slot of a node, or the empty one where it belongs."""
    last = len(tree.slots) - 1
    slot = np.int64(key & np.uint64(last))
    while tree.slots[slot] != 0 and tree.keys[tree.slots[slot] - 1] != key:
        slot = (slot + 1) & last
    return int(slot)


@kernel
def _expand(network: Network, sheet: Sheet, tree: Tree, node: int) -> float:
    """Finds the edges of a new node; returns its value."""
    found = count(sheet.storage, tree.world, tree.world)
    tree.edges[node] = min(found, 1)
    if found == 0:
        return float(_outcome(tree.world))
    if found == 1:
        _write_edge(sheet, tree, node, 0, 0)
        tree.priors[node, 0], tree.values[node, 0] = 1.0, 0.0
        return 0.0
    shared, highest, total = _rate_all(network, POLICY, sheet, found), -np.inf, 0.0
    for edge in range(min(found, MOST_EDGES)):
        best = 0
        for k in range(1, found):
            if sheet.logits[k] > sheet.logits[best]:
                best = k
        highest = max(highest, sheet.logits[best])
        behind, sheet.logits[best] = sheet.logits[best] - highest, -np.inf
        if behind < LEAST_LOGIT:
            break
        _write_edge(sheet, tree, node, edge, best)
        tree.values[node, edge] = _value_of(network, sheet, shared, best)
        tree.priors[node, edge] = np.exp(behind / TEMPERATURE)
        total += tree.priors[node, edge]
        tree.edges[node] = edge + 1
    for edge in range(tree.edges[node]):
        tree.priors[node, edge] /= total
    return float(tree.values[node, 0])


@kernel
def _write_edge(sheet: Sheet, tree: Tree, node: int, edge: int, candidate: int) -> None:
    """Writes the moves to a candidate into an edge that has no visits yet."""
    length = write_moves(sheet.storage, candidate, sheet.line)
    for move in range(length):
        tree.lines[node, edge, move] = sheet.line[move]
    tree.lengths[node, edge], tree.visits[node, edge], tree.sums[node, edge] = length, 0, 0.0


@kernel
def _value_of(network: Network, sheet: Sheet, shared: int, candidate: int) -> float:
    """Returns the network's value of a candidate that the sheet describes: the probability of a win."""
    own = sheet.sums[1]
    copy(sheet.sums[0], own)
    add_rows(network, sheet.on[candidate], sheet.sizes[candidate], own)
    return float(1 / (1 + np.exp(-ask_head(network, VALUE, own, sheet.second))))


@kernel
def _mean_value(tree: Tree, node: int, edge: int) -> float:
    """Returns the value of an edge: the mean over simulations, with the network's value as one more."""
    return float((tree.sums[node, edge] + tree.values[node, edge]) / (tree.visits[node, edge] + 1))


@kernel
def _choose_edge(tree: Tree, node: int, exploration: float) -> int:
    """Returns the edge with the best sum of mean value and bonus."""
    visits, best, highest = 1, 0, -np.inf
    for edge in range(tree.edges[node]):
        visits += tree.visits[node, edge]
    weight = exploration * np.sqrt(float(visits))
    for edge in range(tree.edges[node]):
        bonus = weight * tree.priors[node, edge] / (1 + tree.visits[node, edge])
        rating = _mean_value(tree, node, edge) + bonus
        if rating > highest:
            best, highest = edge, rating
    return best


@kernel
def _best_edge(tree: Tree) -> int:
    """Returns the edge of the root with the most visits; of equals, the one with the highest prior."""
    best = 0
    for edge in range(1, tree.edges[0]):
        if tree.visits[0, edge] > tree.visits[0, best]:
            best = edge
    return best


@kernel
def _is_settled(tree: Tree, left: int) -> bool:
    """Returns whether the best edge of the root cannot be overtaken in the simulations that are left."""
    best = _best_edge(tree)
    for edge in range(tree.edges[0]):
        if edge != best and tree.visits[0, edge] + left > tree.visits[0, best]:
            return False
    return True
