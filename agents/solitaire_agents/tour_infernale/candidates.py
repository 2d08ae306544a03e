"""The candidates of La tour infernale: the components within reach before the next draw or redeal.

A candidate is a component (`reach`). Its line goes to the configuration that enters the component, then draws a card or
redeals. So every line ends with an irreversible move, and play never goes in circles.

If a win is within reach, it is the only candidate. Once nothing more can be drawn, lines end in their component. Then a
win may be farther away than `find_components` looks. So the rule `thrifty` plays on from each component, and a win that
it finds is the only candidate.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.bits import index_of
from solitaire_agents.choices import copy, new_steps, steps_over
from solitaire_agents.tour_infernale.bitboard import (
    BIT_SHOWN,
    DRAWN,
    REDEALT,
    Bitboard,
    board_of,
    board_seen,
    talon_of,
)
from solitaire_agents.tour_infernale.reach import CONFIGURATIONS, find_components, new_reach
from solitaire_agents.tour_infernale.rollouts import LINE_SIZE, new_rollouts, roll_out
from solitaire_agents.tour_infernale.talon import Talon
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import as_records, kernel
from solitaire_envs.tour_infernale import AT, GAME, STOCK_SIZE, TourInfernaleOptions

MOST_CANDIDATES: Final = 200
"""If there are more, as in 3 choices of 100, the nearest are kept. With only 100, 0.7 % fewer deals were won."""
MOST_MOVES: Final = 64
"""Most moves in a line. Longer lines of the first candidate and of wins are cut; other candidates are left out."""
EXPLORED: Final = 100
"""Most configurations to look at in each component; once nothing more can be drawn, there is no such limit."""

BY_DRAW, BY_REDEAL, IN_PLACE, BY_WIN, BY_RULE = range(5)
"""How lines end. In the last two cases there is one candidate, and its line wins."""

_NOW: Final = np.dtype(
    [
        # The position:
        ("cards", np.int64),  # cards in waste and stock
        ("drawn", np.int64),  # cards in the waste
        ("known", np.int64),  # cards in the stock whose places are known
        ("pass_number", np.int64),
        ("redeals", np.int64),  # redeals left; -1: no limit
        # The candidates:
        ("candidates", np.int64),  # their number
        ("end", np.int64),  # how lines end
        ("rule_moves", np.int64),  # how many moves `thrifty` makes at the end of a line
    ]
)
_CANDIDATE: Final = np.dtype(
    [
        ("component", np.int64),
        ("moves", np.int64),  # moves to it, without the draw or redeal
    ]
)


class Storage(NamedTuple):
    """Working storage for one thread."""

    reach: Any  # reach.Reach
    rollouts: Any  # rollouts.Rollouts, without redeals: they run only when nothing more can be drawn
    now: Any  # _NOW [1]
    order: Any  # int64 [52]: bits of waste and stock in the order of drawing
    candidates: Any  # _CANDIDATE [MOST_CANDIDATES]
    path: Any  # int64 [N]: a line as moves of the bitboard
    place: Any  # int64 [52]: the place of each card, by its bit; see `inputs`
    steps: Any  # Steps: the position of `count`
    shown: Any  # int16 [O]: an observation


def new_storage(options: TourInfernaleOptions) -> Storage:
    """Allocates storage for games under these options."""
    return Storage(
        new_reach(),
        new_rollouts(piles=options.piles, swift=False, redeals=0),
        as_records(np.zeros(1, _NOW)),
        np.zeros(NUM_CARDS, np.int64),
        as_records(np.zeros(MOST_CANDIDATES, _CANDIDATE)),
        np.zeros(CONFIGURATIONS + LINE_SIZE, np.int64),
        np.zeros(NUM_CARDS, np.int64),
        new_steps(GAME, options),
        np.zeros(GAME.observation_size, np.int16),
    )


_look, _ = steps_over(GAME)


@kernel
def count(storage: Any, observation: Any, mask: Any) -> int:
    """Finds the candidates; as in `Choices`."""
    _look(storage.steps, observation)
    read(storage, observation)
    return int(find(storage, board_seen(observation)))


# --- The position -----------------------------------------------------------------------------------------------------


@kernel
def read(storage: Any, observation: Any) -> None:
    """Reads the position from an observation, with the order of drawing as far as it is known.

    In pass 1 the stock is read as a set, even if its order is shown. Its cards are sorted by number.
    """
    now, order = storage.now[0], storage.order
    now.pass_number, now.redeals = observation[AT.pass_], observation[AT.redeals]
    hidden, n = talon_of(board_seen(observation)), 0
    for k in range(STOCK_SIZE - 1, -1, -1):
        hidden, n = _put_next(order, n, BIT_SHOWN[observation[AT.waste + k]], hidden)
    now.drawn = n
    if now.pass_number > 1:
        for k in range(STOCK_SIZE):
            hidden, n = _put_next(order, n, BIT_SHOWN[observation[AT.stock + k]], hidden)
    now.known = n - now.drawn
    while hidden:
        hidden, n = _put_next(order, n, index_of(hidden & -hidden), hidden)
    now.cards = n


@kernel
def _put_next(order: Any, n: int, i: int, hidden: int) -> tuple[int, int]:
    """Puts card i next in the order, if it is a card; returns the cards still hidden, and the length of the order."""
    if i < 0:
        return hidden, n
    order[n] = i
    return hidden & ~(1 << i), n + 1


@kernel
def entry_of(storage: Any, k: int) -> Bitboard:
    """Returns the configuration that enters the component of candidate k."""
    reach = storage.reach
    return board_of(reach.queue[reach.components[storage.candidates[k].component].first])


# --- Candidates -------------------------------------------------------------------------------------------------------


@kernel
def find(storage: Any, board: Bitboard) -> int:
    """Finds the candidates of a configuration; returns how many. The storage holds the talon."""
    reach, now = storage.reach, storage.now[0]
    talon = Talon(storage.order[: now.cards], now.drawn)
    now.end = BY_DRAW if now.drawn < now.cards else BY_REDEAL if now.drawn > 0 and now.redeals != 0 else IN_PLACE
    most = CONFIGURATIONS if now.end == IN_PLACE else EXPLORED
    found = find_components(reach, talon, storage.rollouts.piles, most, board)
    if found < 0:
        return _only(storage, BY_WIN, -1 - found)
    if now.end == IN_PLACE:
        for k in range(found):
            entry = board_of(reach.queue[reach.components[k].first])
            now.rule_moves, won = roll_out(storage.rollouts, talon, entry, 0)
            if won:
                return _only(storage, BY_RULE, k)
    return int(_keep_the_nearest(storage, found))


@kernel
def _only(storage: Any, end: int, component: int) -> int:
    """Makes a component that leads to a win the only candidate."""
    now, candidate = storage.now[0], storage.candidates[0]
    now.candidates, now.end = 1, end
    candidate.component, candidate.moves = component, _distance(storage.reach, component)
    return 1


@kernel
def _keep_the_nearest(storage: Any, found: int) -> int:
    """Makes the nearest components candidates; returns how many.

    The player's own component, without a move, is a candidate only if a draw or redeal follows.
    """
    in_place, kept = storage.now[0].end == IN_PLACE, 0
    for k in range(found):
        moves = _distance(storage.reach, k)
        is_near = k == 0 or moves + (not in_place) <= MOST_MOVES
        if is_near and (moves > 0 or not in_place) and kept < MOST_CANDIDATES:
            storage.candidates[kept].component, storage.candidates[kept].moves = k, moves
            kept += 1
    storage.now[0].candidates = kept
    return kept


@kernel
def _distance(reach: Any, component: int) -> int:
    """Returns the number of moves to a component."""
    return int(reach.queue[reach.components[component].first].moves)


# --- Lines ------------------------------------------------------------------------------------------------------------


@kernel
def write_path(storage: Any, k: int) -> int:
    """Writes the line of candidate k as moves of the bitboard into the path; returns how many."""
    queue, path, now, length = storage.reach.queue, storage.path, storage.now[0], storage.candidates[k].moves
    row = queue[storage.reach.components[storage.candidates[k].component].first]
    for j in range(length - 1, -1, -1):
        path[j], row = row.move, queue[row.parent]
    if now.end in (BY_DRAW, BY_REDEAL):
        path[length] = DRAWN if now.end == BY_DRAW else REDEALT
        return int(length + 1)
    if now.end == BY_RULE:
        copy(storage.rollouts.line, path[length : length + now.rule_moves])
        return int(length + now.rule_moves)
    return int(length)
