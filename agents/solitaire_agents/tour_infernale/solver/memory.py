"""Working storage of a search: configurations met, those to explore, and components found.

Configurations are bitboards. Those met at a stage are kept in a hash table. Bits 52..61 of c hold a stamp there:
entries with the stamp of an earlier stage count as free, so the table need not be cleared for each stage.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import as_records, kernel

STAMPS: Final = 1 << 10
"""Stamps are 1..1023; 0 marks a place in the table that was never used."""
START, BY_DRAW, BY_REDEAL = range(3)
"""How a stage is reached."""

_GAME: Final = np.dtype(
    [
        # The position:
        ("stock", np.int64, NUM_CARDS),  # bits of waste and stock, in the order of drawing
        ("place", np.int64, NUM_CARDS),  # its inverse
        ("drawn", np.int64, NUM_CARDS + 1),  # all cards but those not drawn yet with the pointer at i
        ("talon_size", np.int64),
        ("piles", np.int64),
        # The stage:
        ("pointer", np.int64),  # stock cards before it are the waste, if they have not left
        ("arrival", np.int64),
        ("last", np.int64),  # 1: no draw and no redeal follow
        ("stamp", np.int64),
        # The effort:
        ("reach", np.int64),  # limit of configurations in each component
        ("span", np.int64),  # limit of configurations from each representative
        # How far the search has come:
        ("nodes", np.int64),
        ("cut", np.int64),  # 1: something was left out, so finding no win proves nothing
        ("won", np.int64),  # the queue's entry that wins, -1: none
        ("at", np.int64),  # the representative being explored
        ("entries", np.int64),  # how much of each array is in use
        ("queued", np.int64),
        ("waiting", np.int64),  # counted since the representative; the array is a ring
        ("served", np.int64),
        ("found", np.int64),
        ("logged", np.int64),
    ]
)


class Memory(NamedTuple):
    """Working storage for one thread, reusable for any number of searches."""

    games: Any  # _GAME [1]
    table: Any  # int64 [2**n, 3]: configurations met at the present stage
    queue: Any  # int64 [n, 5]: those met from one representative: bitboard, the entry before it, the move from there
    pending: Any  # int64 [n, 5]: such entries by which a component may be entered
    found: Any  # int64 [n, 6]: components found: bitboard, representative it came from, first and end of its moves
    scores: Any  # float64 [n]: their ratings
    log: Any  # int16 [n]: their moves, last first


def new_memory(megabytes: int = 512) -> Memory:
    """Allocates storage of at most the given size, but not less than 16 megabytes."""
    unit = 1 << max(16, (megabytes << 20).bit_length() - 9)  # a unit takes 228 bytes
    return Memory(
        as_records(np.zeros(1, _GAME)),
        np.zeros((4 * unit, 3), np.int64),
        np.zeros((unit // 2, 5), np.int64),
        np.zeros((unit // 2, 5), np.int64),
        np.zeros((unit, 6), np.int64),
        np.zeros(unit, np.float64),
        np.zeros(16 * unit, np.int16),
    )


# --- Configurations met -----------------------------------------------------------------------------------------------


@kernel
def look_up(memory: Any, a: int, b: int, c: int) -> tuple[int, bool]:
    """Returns the place of a configuration in the table, and whether it is there."""
    table = memory.table
    mask, stamp = len(table) - 1, memory.games[0].stamp
    c |= stamp << 52
    h = a * 0x1E3779B97F4A7C15 + b * 0x3F58476D1CE4E5B9
    h = (h ^ (h >> 29 & 0x7FFFFFFFF)) * 0x14D049BB133111EB + c * 0x2545F4914F6CDD1D
    h = (h ^ (h >> 32 & 0xFFFFFFFF)) * 0x3A5085ABE4C8A3B5
    i = h >> 24 & mask
    while table[i, 2] >> 52 == stamp:
        if table[i, 0] == a and table[i, 1] == b and table[i, 2] == c:
            return i, True
        i = (i + 1) & mask
    return i, False


@kernel
def enqueue(memory: Any, place: int, a: int, b: int, c: int, link: int, move: int) -> None:
    """Adds a new configuration to the table and to the queue."""
    game, table, queue = memory.games[0], memory.table, memory.queue
    table[place, 0], table[place, 1], table[place, 2] = a, b, c | game.stamp << 52
    n = game.queued
    queue[n, 0], queue[n, 1], queue[n, 2], queue[n, 3], queue[n, 4] = a, b, c, link, move
    game.queued = n + 1
    game.entries += 1


@kernel
def is_full(memory: Any) -> bool:
    game = memory.games[0]
    if game.entries * 4 > len(memory.table) * 3 or game.queued + 1 >= len(memory.queue):
        game.cut = 1
        return True
    return False


@kernel
def wait(memory: Any, a: int, b: int, c: int, link: int, move: int) -> None:
    """Adds a configuration by which another component may be entered."""
    game, pending = memory.games[0], memory.pending
    if game.waiting - game.served == len(pending):
        game.cut = 1
        return
    n = game.waiting % len(pending)
    pending[n, 0], pending[n, 1], pending[n, 2], pending[n, 3], pending[n, 4] = a, b, c, link, move
    game.waiting += 1
