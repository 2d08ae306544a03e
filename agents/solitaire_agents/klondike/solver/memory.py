"""Working storage of a search: the game, the positions visited, and the way from the start.

*The table is exact.* A key holds a whole position, so two positions never share one. A full bucket replaces an entry,
which costs time but makes no result wrong: no search goes round in circles, as each irreversible move takes a card for
good.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import as_records, kernel
from solitaire_envs.klondike import STOCK_SIZE
from solitaire_envs.klondike_table import PILES

_GAME: Final = np.dtype(
    [
        # The game, cards as bits:
        ("cards", np.int64),  # all cards in play
        ("piles", np.int64, (PILES, PILES + 1)),  # pile, n -> the root while n cards are left, face-down ones and root
        ("pile_of", np.int64, NUM_CARDS),  # by index: the pile in which a card was face down or a root
        ("radix", np.int64, PILES),  # most such cards of a pile, plus one
        ("talon", np.int64, STOCK_SIZE),  # waste from its bottom, then stock from its top
        ("place", np.int64, NUM_CARDS),  # by index: a card's place in the talon
        ("draw", np.int64),
        ("returns", np.int64),
        ("limited", np.int64),  # 1: passes have a limit
        # How far the search has come:
        ("stamp", np.int64),  # number of explorations
        ("depth", np.int64),  # the last row of `way` in use; -1: nothing is left to search
        ("chosen", np.int64),  # rows of `choices` in use
        ("nodes", np.int64),  # components explored
        ("won", np.int64),
        ("cut", np.int64),  # 1: something was left out, so finding no win proves nothing
    ]
)
_HEIGHTS: Final = 1 << 16  # four numbers of 4 bits
_MAX_DEPTH: Final = 2 * NUM_CARDS + 2  # each move takes a card from a pile or the talon, or one up for good
_MAX_CHOICES: Final = 1 << 14
FIRST, END = 7, 8
"""Fields of a row of `way` behind its `Level`: its first choice, and the end of the choices left."""
_BUCKET: Final = 8
MARK: Final = 1 << 62


class Memory(NamedTuple):
    """Working storage for one thread, reusable for any number of searches."""

    games: Any  # _GAME [1]
    table: Any  # int64 [2**n]: keys of positions visited, 0 none
    visited: Any  # int64 [2**16]: heights -> number of the last exploration that has visited them
    found: Any  # int64 [2, 2**16, 3]: configurations: heights, cards that may leave for the tableau, for a foundation
    way: Any  # int64 [n, 9]: components from the start: level, first choice, end of choices
    choices: Any  # int64 [n, 5]: card that leaves, 1 if it goes up, heights before, heights after, rating


def new_memory(megabytes: int = 256) -> Memory:
    """Allocates storage with a table of at most the given size, and at least 1 megabyte."""
    size = 1 << max(17, (megabytes << 17).bit_length() - 1)
    return Memory(
        as_records(np.zeros(1, _GAME)),
        np.zeros(size, np.int64),
        np.zeros(_HEIGHTS, np.int64),
        np.zeros((2, _HEIGHTS, 3), np.int64),
        np.zeros((_MAX_DEPTH, END + 1), np.int64),
        np.zeros((_MAX_CHOICES, 5), np.int64),
    )


@kernel
def look_up(memory: Any, size: int, key: int) -> tuple[int, bool]:
    """Looks for a position in the table's first entries.

    Args:
        memory: The storage.
        size: How many entries are in use, a power of two.
        key: Key of the position; without a limit of passes its last 5 bits are the clock.

    Returns:
        The entry for the key; and whether it holds the key already, or that of a position with the same cards where at
        least as much can be done.
    """
    table, games = memory.table, memory.games
    game = games[0]
    h = (key if game.limited else key >> 5) * 0x1E3779B97F4A7C15
    h = (h ^ (h >> 29 & 0x7FFFFFFFF)) * 0x14D049BB133111EB
    h = h ^ (h >> 31 & 0x1FFFFFFFF)
    first = h & (size - 1) & ~(_BUCKET - 1)
    for place in range(first, first + _BUCKET):
        if table[place] == 0:
            return place, False
        if table[place] == key or (not game.limited and _is_better(game.draw, table[place], key)):
            return place, True
    return first + (h >> 60 & (_BUCKET - 1)), False


@kernel
def _is_better(draw: int, old: int, new: int) -> bool:
    """Returns whether the old position has the same cards, and its clock allows at least as much."""
    before, now = old & 31, new & 31
    if old >> 5 != new >> 5:
        return False
    if draw == 1:  # having no obligation is best
        return before == 0
    # A smaller waste allows all that a larger one does, if they differ by full draws; every waste allows what 0 does.
    return now == 0 or (0 < before < now and (now - before) % draw == 0)
