"""Tables of a declared game: positions after preparing moves, from which candidates are found; and their storage."""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.choices import new_steps
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.game import Game, Options
from solitaire_envs.jit import as_records, kernel
from solitaire_envs.piles.shape import PileShape

MOST_CANDIDATES: Final = 64
MOST_LINE: Final = 32
"""Most moves of the steps that prepare a play, draws aside."""
DONE: Final = 99
"""Number of steps of a table that is a candidate by itself."""
TRIAL: Final = -1
"""The table on trial."""
NO_ACTION: Final = -1
"""The last action of a candidate that is made by the moves to its table."""

FOUND, VISITED, CLOCK, MEASURE = range(4)
"""Numbers in `Storage.now`: candidates; tables; calls so far; the measure of the position."""
FROM_TABLE, ACTION, PLACE = range(3)
"""Fields of a candidate: its table, its last action, and the place in waste and stock of the card played; 0: none."""
TO_CELL, UP = -2, -1
"""Stand for a cell, and for foundation or hole, as targets. Other targets are the cards to put a card on."""


class Storage(NamedTuple):
    """Working storage for one thread."""

    steps: Any  # Steps: the position, and one after a candidate
    tables: Any  # [T + 1] of `Game.state`: the tables, the first is the position; the last is for trials
    hashes: Any  # int64 [T]
    steps_to: Any  # int64 [T]: number of preparing steps
    lengths: Any  # int64 [T]: number of their moves
    lines: Any  # int64 [T, MOST_LINE]: these moves
    most_steps: int  # that prepare a play
    run: Any  # int64 [NUM_RANKS]: the cards of a run that moves, from its top
    mask: Any  # bool [A]
    candidates: Any  # int64 [MOST_CANDIDATES, 3]
    visited: Any  # int64 [codes, codes + 2]: card, target -> the last call that found this play
    places: Any  # int64 [codes]: place in waste and stock of each card that is within reach there
    now: Any  # int64 [4]
    line: Any  # int64 [most_moves]
    codes: Any  # int64 [codes]: where each card is; see `inputs`


def room_of(shape: PileShape) -> tuple[int, int]:
    """Returns the most tables to look at, and the most steps that prepare a play, draws aside.

    A step is a move, or the moves of a run. Where any cards move as one, few of them lead to all plays.
    """
    return (32, 3) if shape.all_move else (128, 5)


def most_moves(shape: PileShape) -> int:
    """Returns the most moves that lead to a candidate."""
    draws = 2 * shape.sizes.stock + 1 if shape.to_waste else 0
    return MOST_LINE + draws + 1


def new_storage(game: Game, shape: PileShape, options: Options) -> Storage:
    """Allocates storage."""
    codes, (tables, most_steps) = shape.pack.codes, room_of(shape)
    return Storage(
        new_steps(game, options),
        as_records(np.zeros(tables + 1, game.state)),
        np.zeros(tables, np.int64),
        np.zeros(tables, np.int64),
        np.zeros(tables, np.int64),
        np.zeros((tables, MOST_LINE), np.int64),
        most_steps,
        np.zeros(NUM_RANKS, np.int64),
        np.zeros(game.num_actions(options), np.bool_),
        np.zeros((MOST_CANDIDATES, PLACE + 1), np.int64),
        np.zeros((codes, codes + 2), np.int64),
        np.zeros(codes, np.int64),
        np.zeros(MEASURE + 1, np.int64),
        np.zeros(most_moves(shape), np.int64),
        np.zeros(codes, np.int64),
    )


@kernel
def add(storage: Storage, table: int, action: int, place: int) -> None:
    """Adds a candidate, if there is room."""
    found = storage.now[FOUND]
    if found < MOST_CANDIDATES:
        candidate = storage.candidates[found]
        candidate[FROM_TABLE], candidate[ACTION], candidate[PLACE] = table, action, place
        storage.now[FOUND] += 1


@kernel
def is_new(storage: Storage, card: int, target: int) -> bool:
    """Returns whether this call finds the play for the first time."""
    earlier = bool(storage.visited[card, target] == storage.now[CLOCK])
    storage.visited[card, target] = storage.now[CLOCK]
    return not earlier


@kernel
def may_add_table(storage: Storage, table: int, moves: int) -> bool:
    """Returns whether there is room for a table that is one step of some moves after another."""
    has_room = storage.lengths[table] + moves <= MOST_LINE and storage.now[VISITED] < len(storage.hashes)
    return bool(has_room and storage.steps_to[table] < storage.most_steps)


@kernel
def is_visited(storage: Storage, hash_: int) -> bool:
    """Returns whether there is a table with a hash."""
    for table in range(storage.now[VISITED]):
        if storage.hashes[table] == hash_:
            return True
    return False


@kernel
def copy_line(storage: Storage, table: int) -> None:
    """Begins the line to the table on trial with that to the table that it follows."""
    last = storage.now[VISITED]
    storage.lengths[last] = storage.lengths[table]
    for i in range(storage.lengths[table]):
        storage.lines[last, i] = storage.lines[table, i]


@kernel
def add_move(storage: Storage, action: int) -> None:
    """Adds a move to the line to the table on trial."""
    last = storage.now[VISITED]
    storage.lines[last, storage.lengths[last]] = action
    storage.lengths[last] += 1


@kernel
def keep_table(storage: Storage, hash_: int, steps: int) -> None:
    """Keeps the table on trial, whose line is written."""
    last = storage.now[VISITED]
    storage.tables[last], storage.hashes[last], storage.steps_to[last] = storage.tables[TRIAL], hash_, steps
    storage.now[VISITED] = last + 1
