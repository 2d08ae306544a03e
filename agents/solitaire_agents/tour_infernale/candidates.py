"""What a player of La tour infernale can go to: the components within reach before the next draw or redeal.

A candidate is a component (`reach`). Its line goes to the configuration by which the component is entered, then draws
a card or turns the waste over. So every line ends with a move that cannot be undone, and nobody goes in circles.

If a win is within reach, it is the only candidate. Once nothing more can be drawn, lines end in their component. Then a
win may be farther away than `find_components` looks. So the rule `thrifty` plays on from each component, and a win that
it finds is the only candidate.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.bits import index_of
from solitaire_agents.choices import copy
from solitaire_agents.tour_infernale.bitboard import (
    BIT_SHOWN,
    DRAWN,
    NO_MOVE,
    REDEALS_SLOT,
    REDEALT,
    STOCK_SLOT,
    WASTE_SLOT,
    bitboard_of,
    talon_of,
)
from solitaire_agents.tour_infernale.reach import CONFIGURATIONS, FIRST, find_components, new_reach
from solitaire_agents.tour_infernale.rollouts import LINE_SIZE, WIN, new_tableau, roll_out
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import GAME, STOCK_SIZE

MOST_CANDIDATES: Final = 200
"""Of more, the nearest are kept. That is 3 choices in 100; with 100 candidates, 0.7 % fewer deals were won."""
MOST_MOVES: Final = 64
"""Moves in a line, at most. Longer lines of the first candidate and of wins are cut; other candidates are left out."""
EXPLORED: Final = 100
"""Configurations looked at in each component; once nothing more can be drawn, there is no such limit."""

CARDS_LEFT, CARDS_DRAWN, CARDS_KNOWN, PASS, REDEALS, NUMBER, END, RULE_MOVES = range(8)
"""Of `Storage.now`: cards in waste and stock; those in the waste; those in the stock whose places are known; the pass;
redeals left (-1: no limit); the number of candidates; how lines end; and how many moves `thrifty` makes in the end."""
BY_DRAW, BY_REDEAL, IN_PLACE, BY_WIN, BY_RULE = range(5)
"""How lines end. In the last two cases there is one candidate, and its line wins."""

_PASS_SLOT: Final = GAME.slots("pass").start


class Storage(NamedTuple):
    """Working storage for one thread."""

    reach: Any  # reach.Reach
    tableau: Any  # rollouts.Tableau, without redeals: only what wins without one is played to its end
    now: Any  # int64 [8]: numbers that say where the game is and what was found
    order: Any  # int64 [52]: bits of waste and stock in the order of drawing
    candidates: Any  # int64 [MOST_CANDIDATES]: components
    distances: Any  # int64 [MOST_CANDIDATES]: moves to each, its last one not counted
    path: Any  # int64 [N]: a line as moves of the bitboard
    place: Any  # int64 [52]: the place of each card, by its bit; see `inputs`
    seen: Any  # int64 [O]: the observation
    board: Any  # int64 [O]: the observation after a move


def new_storage(piles: int) -> Storage:
    """Allocates storage for games of so many piles."""
    return Storage(
        new_reach(),
        new_tableau(piles=piles, swift=False, size=1)._replace(redeals=0),
        np.zeros(RULE_MOVES + 1, np.int64),
        np.zeros(NUM_CARDS, np.int64),
        np.zeros(MOST_CANDIDATES, np.int64),
        np.zeros(MOST_CANDIDATES, np.int64),
        np.zeros(CONFIGURATIONS + LINE_SIZE, np.int64),
        np.zeros(NUM_CARDS, np.int64),
        np.zeros(GAME.observation_size, np.int64),
        np.zeros(GAME.observation_size, np.int64),
    )


@kernel
def count(storage: Any, observation: Any, mask: Any) -> int:
    """Finds the candidates; as in `Choices`."""
    read(storage, observation)
    a, b, c = bitboard_of(observation)
    return int(find(storage, a, b, c))


# --- Where the game is ------------------------------------------------------------------------------------------------


@kernel
def read(storage: Any, observation: Any) -> None:
    """Reads the order of drawing, as far as it is known, and where the game is.

    In pass 1 the stock is a set, even where its order is shown. Its cards follow by number.
    """
    now, order = storage.now, storage.order
    copy(observation, storage.seen)
    now[PASS], now[REDEALS] = observation[_PASS_SLOT], observation[REDEALS_SLOT]
    a, b, c = bitboard_of(observation)
    hidden, n = talon_of(a, b, c), 0
    for k in range(STOCK_SIZE - 1, -1, -1):
        hidden, n = _put_next(order, n, BIT_SHOWN[observation[WASTE_SLOT + k]], hidden)
    now[CARDS_DRAWN] = n
    if now[PASS] > 1:
        for k in range(STOCK_SIZE):
            hidden, n = _put_next(order, n, BIT_SHOWN[observation[STOCK_SLOT + k]], hidden)
    now[CARDS_KNOWN] = n - now[CARDS_DRAWN]
    while hidden:
        hidden, n = _put_next(order, n, index_of(hidden & -hidden), hidden)
    now[CARDS_LEFT] = n


@kernel
def _put_next(order: Any, n: int, i: int, hidden: int) -> tuple[int, int]:
    """Puts card i next in the order, if it is a card; returns which are hidden then, and the length of the order."""
    if i < 0:
        return hidden, n
    order[n] = i
    return hidden & ~(1 << i), n + 1


@kernel
def words_of(storage: Any, k: int) -> tuple[int, int, int]:
    """Returns the bitboard by which the component of candidate k is entered."""
    row = storage.reach.queue[storage.reach.components[storage.candidates[k], FIRST]]
    return row[0], row[1], row[2]


# --- What is within reach ---------------------------------------------------------------------------------------------


@kernel
def find(storage: Any, a: int, b: int, c: int) -> int:
    """Finds the candidates of a configuration; returns how many.

    Args:
        storage: It says where the game is; written to.
        a: First word of the bitboard.
        b: Second word.
        c: Third word.
    """
    reach, now = storage.reach, storage.now
    order, drawn = storage.order[: now[CARDS_LEFT]], now[CARDS_DRAWN]
    now[END] = BY_DRAW if drawn < len(order) else BY_REDEAL if drawn > 0 and now[REDEALS] != 0 else IN_PLACE
    most = CONFIGURATIONS if now[END] == IN_PLACE else EXPLORED
    found = find_components(reach, order, drawn, storage.tableau.piles, most, a, b, c)
    if found < 0:
        return _only(storage, BY_WIN, -1 - found)
    if now[END] == IN_PLACE:
        for k in range(found):
            row = reach.queue[reach.components[k, FIRST]]
            now[RULE_MOVES], value = roll_out(storage.tableau, order, drawn, row[0], row[1], row[2], 0, True)
            if value > WIN / 2:
                return _only(storage, BY_RULE, k)
    return int(_keep_the_nearest(storage, found))


@kernel
def _only(storage: Any, end: int, component: int) -> int:
    """Makes a component from which the game is won the only candidate."""
    storage.now[NUMBER], storage.now[END], storage.candidates[0] = 1, end, component
    storage.distances[0] = _distance(storage.reach, component)
    return 1


@kernel
def _keep_the_nearest(storage: Any, found: int) -> int:
    """Makes components candidates; returns how many.

    To stay where the player stands is a candidate only if a draw or redeal follows.
    """
    in_place, kept = storage.now[END] == IN_PLACE, 0
    for k in range(found):
        moves = _distance(storage.reach, k)
        is_near = k == 0 or moves + (not in_place) <= MOST_MOVES
        if is_near and (moves > 0 or not in_place) and kept < MOST_CANDIDATES:
            storage.candidates[kept], storage.distances[kept] = k, moves
            kept += 1
    storage.now[NUMBER] = kept
    return kept


@kernel
def _distance(reach: Any, component: int) -> int:
    """Returns the number of moves to a component."""
    moves, row = 0, reach.components[component, FIRST]
    while reach.queue[row, 4] != NO_MOVE:
        moves, row = moves + 1, reach.queue[row, 3]
    return moves


# --- Lines ------------------------------------------------------------------------------------------------------------


@kernel
def write_path(storage: Any, k: int) -> int:
    """Writes the line of candidate k as moves of the bitboard into the path; returns how many."""
    queue, path, now, length = storage.reach.queue, storage.path, storage.now, storage.distances[k]
    row = storage.reach.components[storage.candidates[k], FIRST]
    for j in range(length - 1, -1, -1):
        path[j], row = queue[row, 4], queue[row, 3]
    if now[END] == BY_DRAW or now[END] == BY_REDEAL:
        path[length] = DRAWN if now[END] == BY_DRAW else REDEALT
        return int(length + 1)
    if now[END] == BY_RULE:
        copy(storage.tableau.line, path[length : length + now[RULE_MOVES]])
        return int(length + now[RULE_MOVES])
    return int(length)
