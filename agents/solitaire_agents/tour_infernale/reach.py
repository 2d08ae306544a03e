"""What agents can reach before the next draw: single positions, or components (see `explore`).

There are hundreds of positions, but only a few components to choose from.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.tour_infernale.bitboard import (
    NO_MOVE,
    Bitboard,
    board_of,
    empty_piles,
    heights_of,
    holds,
    is_won,
    next_up,
    talon_of,
    tops_of,
)
from solitaire_agents.tour_infernale.explore import (
    NO_ROW,
    ROW,
    ROW_FIELDS,
    explorer_over,
    raising_over,
    rearranging_over,
    write_row,
)
from solitaire_agents.tour_infernale.talon import Talon, drawn_cards, waste_top
from solitaire_envs.jit import as_records, kernel

CONFIGURATIONS: Final = 2_000
"""Most configurations to look at from one position."""
COMPONENTS: Final = 300
"""Most components to find from one position."""
ENTRIES: Final = 20_000
"""Most configurations to keep that may enter another component."""

_STEP: Final = np.dtype(
    [
        ("moves", np.int64),  # number of moves from the first row; it stands first, or Numba takes this for a `ROW`
        *ROW_FIELDS,
    ]
)
"""A configuration that was visited."""
COMPONENT: Final = np.dtype(
    [
        ("first", np.int64),  # the queue's row that entered it; its other configurations follow
        ("representative", np.int64),  # the row of the configuration that stands for it
        ("tops", np.int64),  # all cards that are the top of a pile in one of its configurations
        ("empty", np.int64),  # the most empty piles
        ("size", np.int64),  # the number of its configurations
    ]
)
_PROGRESS: Final = np.dtype(
    [
        ("stamp", np.int64),  # the number of calls
        ("end", np.int64),  # the row where the queue is full, for the present component
        ("first", np.int64),  # the first row of the present component
        ("queued", np.int64),  # rows of the queue in use
        ("waiting", np.int64),  # entries in use
        ("found", np.int64),  # components found
        ("nodes", np.int64),  # configurations visited in all calls
        ("won", np.int64),  # always -1: `find_components` checks each entry for a win
    ]
)


class Reach(NamedTuple):
    """Working storage, for one thread. Queue and components have room for one more, such as a win."""

    queue: Any  # _STEP [N]: configurations visited
    entries: Any  # ROW [N]: configurations that may enter another component
    components: Any  # COMPONENT [N]
    table: Any  # int64 [2^n]: a hash table of the rows of the queue, each with the stamp of its call
    progress: Any  # _PROGRESS [1]


def new_reach(configurations: int = CONFIGURATIONS) -> Reach:
    """Allocates storage. `find_components` needs the default, two megabytes."""
    reach = Reach(
        as_records(np.zeros(configurations + 1, _STEP)),
        as_records(np.zeros(ENTRIES if configurations >= CONFIGURATIONS else 1, ROW)),
        as_records(np.zeros(COMPONENTS + 1, COMPONENT)),
        np.zeros(1 << (4 * configurations).bit_length(), np.int64),
        as_records(np.zeros(1, _PROGRESS)),
    )
    reach.progress["won"] = -1
    return reach


# --- Kernels for the explorer -----------------------------------------------------------------------------------------


@kernel
def _meet(reach: Any, board: Bitboard, parent: int, move: int) -> bool:
    """Adds a configuration to the queue if it is new; returns False if there is no room."""
    queue, table, progress = reach.queue, reach.table, reach.progress[0]
    if progress.queued == progress.end:
        return False
    stamp, last = progress.stamp << 32, len(table) - 1
    mixed = (board.a * 0x9E3779B97F4A7C1) ^ (board.b * 0x1F83D9ABFB41BD7) ^ (board.c * 0x5BE0CD19137E217)
    place = mixed >> 40 & last
    while table[place] >= stamp:
        if holds(queue[table[place] - stamp], board):
            return True
        place = place + 1 & last
    table[place] = stamp | progress.queued
    _add(queue, progress.queued, board, parent, move)
    progress.queued += 1
    return True


@kernel
def _add(queue: Any, k: int, board: Bitboard, parent: int, move: int) -> None:
    write_row(queue[k], board, parent, move)
    queue[k].moves = queue[parent].moves + 1 if parent >= 0 else 0


@kernel
def _enter(reach: Any, board: Bitboard, parent: int, move: int) -> bool:
    """Keeps a configuration that may enter another component."""
    progress = reach.progress[0]
    if progress.waiting < len(reach.entries):
        write_row(reach.entries[progress.waiting], board, parent, move)
        progress.waiting += 1
    return True


_explore = explorer_over(_meet, _enter)
_raise_each, _rearrange = raising_over(_meet), rearranging_over(_meet)

# --- Positions --------------------------------------------------------------------------------------------------------


@kernel
def find_positions(reach: Any, talon: Talon, piles: int, board: Bitboard) -> int:
    """Fills the queue with the positions within reach: the given one first, then the others by their distance.

    Args:
        reach: Written to.
        talon: The talon.
        piles: Number of piles.
        board: The position.

    Returns:
        The number of positions.
    """
    queue, progress, drawn = reach.queue, reach.progress[0], drawn_cards(talon)
    progress.stamp += 1
    progress.queued, progress.end, head = 0, len(queue) - 1, 0
    _meet(reach, board, NO_ROW, NO_MOVE)
    while head < progress.queued < progress.end:
        board = board_of(queue[head])
        goals, safe = next_up(heights_of(board))
        tops, top = tops_of(board), waste_top(talon, talon_of(board) & drawn)
        ups = (tops | top) & goals
        if ups & safe:  # it loses nothing, so no other move from here is needed
            ups &= safe
            _raise_each(reach, board, head, ups & -ups)
        else:
            _raise_each(reach, board, head, ups)
            _rearrange(reach, board, head, tops, empty_piles(board, piles) > 0, top)
        head += 1
    return int(progress.queued)


# --- Components -------------------------------------------------------------------------------------------------------


@kernel
def find_components(reach: Any, talon: Talon, piles: int, most: int, board: Bitboard) -> int:
    """Finds the components within reach of a configuration, its own first; it stops at a win.

    A component's representative is the configuration with the most empty piles, and of these the one with the lowest
    words. So it does not depend on how the component is entered, unless the component is too large to look at whole.

    Args:
        reach: Written to.
        talon: The talon.
        piles: Number of piles.
        most: Configurations to look at in each component.
        board: The configuration.

    Returns:
        The number of components; or, if a win is within reach, -1 - the component where the game is won.
    """
    queue, progress, drawn, served = reach.queue, reach.progress[0], drawn_cards(talon), 0
    progress.stamp += 1
    progress.queued = progress.waiting = progress.found = 0
    _enter(reach, board, NO_ROW, NO_MOVE)
    while served < progress.waiting:
        entry, first = reach.entries[served], progress.queued
        board, served = board_of(entry), served + 1
        won = is_won(board)
        if won or first == CONFIGURATIONS or progress.found == COMPONENTS:
            _add(queue, first, board, entry.parent, entry.move)
            _describe(reach.components[progress.found], queue, first, first + 1, piles)
            if won:
                return int(-1 - progress.found)
            progress.found = max(progress.found, 1)  # if safe moves have used up the queue, this one is the only one
            break
        progress.first, progress.end = first, min(first + most, CONFIGURATIONS)
        _meet(reach, board, entry.parent, entry.move)
        if progress.queued > first:
            nodes, top = progress.nodes, waste_top(talon, talon_of(board) & drawn)
            if _explore(reach, top, piles, False):
                _describe(reach.components[progress.found], queue, first, progress.queued, piles)
                progress.found += 1
            progress.nodes = nodes + progress.queued - first
    return int(progress.found)


@kernel
def _describe(component: Any, queue: Any, first: int, end: int, piles: int) -> None:
    """Describes the component in these rows of the queue."""
    tops, most_empty, best = 0, -1, first
    for k in range(first, end):
        board, other = board_of(queue[k]), queue[best]
        tops |= tops_of(board)
        empty = empty_piles(board, piles)
        if (-empty, board.c, board.a, board.b) < (-most_empty, other.c, other.a, other.b):
            most_empty, best = empty, k
    component.first, component.representative, component.size = first, best, end - first
    component.tops, component.empty = tops, most_empty
