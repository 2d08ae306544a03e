"""Working storage of a search: configurations visited, those to explore, and components found.

Configurations are bitboards. Those visited at a stage are kept in a hash table, where bits 52..61 of c hold a stamp.
Entries with the stamp of an earlier stage count as free, so the table need not be cleared for each stage.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.tour_infernale.bitboard import BOARD_FIELDS, Bitboard
from solitaire_agents.tour_infernale.explore import ROW, write_row
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import as_records, kernel

STAMPS: Final = 1 << 10
"""Stamps are 1..1023; 0 marks a place in the table that was never used."""
START, ARRIVED_BY_DRAW, ARRIVED_BY_REDEAL = range(3)
"""How the search arrives at a stage."""

_PLACE: Final = np.dtype(BOARD_FIELDS)
COMPONENT: Final = np.dtype(
    [
        *BOARD_FIELDS,  # the representative
        ("parent", np.int64),  # its representative in the stage before
        ("start", np.int64),  # where its moves begin in the log
        ("end", np.int64),  # where they end
        ("rating", np.float64),
    ]
)
"""A component that was found, and a representative to explore from at the next stage."""
_PROGRESS: Final = np.dtype(
    [
        # The position:
        ("order", np.int64, NUM_CARDS),  # bits of waste and stock, in the order of drawing
        ("seen", np.int64, NUM_CARDS + 1),  # with the pointer at i: all cards except those that are not drawn yet
        ("talon_size", np.int64),
        ("piles", np.int64),
        ("may_redeal", np.int64),  # 1: the rules allow a redeal
        # The stage:
        ("pointer", np.int64),  # cards of the order before it are the waste, except those that have left
        ("arrival", np.int64),
        ("last", np.int64),  # 1: no draw and no redeal follow
        ("stamp", np.int64),
        # The effort:
        ("most_in_component", np.int64),  # limit of configurations in each component
        ("most_from_one", np.int64),  # limit of configurations from each representative
        # How far the search has come:
        ("nodes", np.int64),
        ("cut", np.int64),  # 1: something was left out, so finding no win proves nothing
        ("won", np.int64),  # the row of the queue that wins, -1: none
        ("at", np.int64),  # the representative being explored
        ("first", np.int64),  # the first row of the component being explored
        # How much of each array is in use:
        ("in_table", np.int64),
        ("queued", np.int64),
        ("waiting", np.int64),  # entries added since the representative; the array is a ring
        ("served", np.int64),
        ("found", np.int64),
        ("logged", np.int64),
    ]
)


class Memory(NamedTuple):
    """Working storage for one thread, reusable for any number of searches."""

    progress: Any  # _PROGRESS [1]
    table: Any  # _PLACE [2**n]: configurations visited at the present stage
    queue: Any  # ROW [n]: configurations visited from one representative
    entries: Any  # ROW [n]: configurations that may enter another component
    found: Any  # COMPONENT [n]
    log: Any  # int16 [n]: moves of the components found, the last first


def new_memory(megabytes: int = 512) -> Memory:
    """Allocates storage of at most the given size, and at least 16 megabytes."""
    unit = 1 << max(16, (megabytes << 20).bit_length() - 9)  # a unit takes 216 bytes
    return Memory(
        as_records(np.zeros(1, _PROGRESS)),
        as_records(np.zeros(4 * unit, _PLACE)),
        as_records(np.zeros(unit // 2, ROW)),
        as_records(np.zeros(unit // 2, ROW)),
        as_records(np.zeros(unit, COMPONENT)),
        np.zeros(16 * unit, np.int16),
    )


# --- Configurations visited -------------------------------------------------------------------------------------------


@kernel
def look_up(memory: Any, board: Bitboard) -> tuple[int, bool]:
    """Returns the place of a configuration in the table, and whether the table holds it."""
    table, stamp = memory.table, memory.progress[0].stamp
    last, c = len(table) - 1, board.c | stamp << 52
    h = board.a * 0x1E3779B97F4A7C15 + board.b * 0x3F58476D1CE4E5B9
    h = (h ^ (h >> 29 & 0x7FFFFFFFF)) * 0x14D049BB133111EB + c * 0x2545F4914F6CDD1D
    h = (h ^ (h >> 32 & 0xFFFFFFFF)) * 0x3A5085ABE4C8A3B5
    i = h >> 24 & last
    while table[i].c >> 52 == stamp:
        if table[i].a == board.a and table[i].b == board.b and table[i].c == c:
            return i, True
        i = (i + 1) & last
    return i, False


@kernel
def enqueue(memory: Any, place: int, board: Bitboard, parent: int, move: int) -> None:
    """Adds a new configuration to the table and to the queue."""
    progress, entry = memory.progress[0], memory.table[place]
    entry.a, entry.b, entry.c = board.a, board.b, board.c | progress.stamp << 52
    write_row(memory.queue[progress.queued], board, parent, move)
    progress.queued += 1
    progress.in_table += 1


@kernel
def is_full(memory: Any) -> bool:
    """Returns whether the table or the queue is full."""
    progress = memory.progress[0]
    return bool(progress.in_table * 4 > len(memory.table) * 3 or progress.queued + 1 >= len(memory.queue))


@kernel
def wait(memory: Any, board: Bitboard, parent: int, move: int) -> None:
    """Adds a configuration that may enter another component."""
    progress, entries = memory.progress[0], memory.entries
    if progress.waiting - progress.served == len(entries):
        progress.cut = 1
        return
    write_row(entries[progress.waiting % len(entries)], board, parent, move)
    progress.waiting += 1
