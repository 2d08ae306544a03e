"""What can be reached from a position without a draw: the components, and what a player can do in each.

Moves from pile to pile can be undone, so configurations of the tableau fall into components that are worth the same;
`solver.components` says why, and which moves to a foundation lose nothing. Who only wants to know where to stand before
the next draw has to choose among components: a few, where there are hundreds of configurations.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.bits import index_of
from solitaire_agents.tour_infernale.bitboard import (
    NO_MOVE,
    ON_BOTTOM,
    TO_FOUNDATION,
    bases_of,
    empty_piles,
    go_up,
    heights_of,
    is_won,
    movable,
    next_up,
    put,
    talon_of,
    tops_of,
)
from solitaire_agents.tour_infernale.rollouts import first_of, last_of
from solitaire_envs.jit import kernel

CONFIGURATIONS: Final = 2_000
"""To look at from one position, at most."""
COMPONENTS: Final = 300
"""To find from one position, at most."""
TABLE: Final = 8_192
"""Places in the hash table, a power of two."""
ENTRIES: Final = 20_000
"""Configurations by which another component may be entered, to keep at most."""

FOUND, STAMP, LOOKED_AT = range(3)
"""Of the counters."""
FIRST, REPRESENTATIVE, TOPS, EMPTY, SIZE = range(5)
"""Columns of a component: the configuration by which it was entered, and the representative, as rows of the queue; all
cards that are the top of a pile in one of its configurations; the most empty piles; the number of configurations."""


class Reach(NamedTuple):
    """Working storage, for one thread. Queue and components have room for one more, such as a win."""

    queue: Any  # int64 [N, 5]: configurations met: a, b, c, the row it came from, the move from there
    entries: Any  # int64 [N, 5]: the same, of those that may lie in another component
    components: Any  # int64 [N, 5]
    table: Any  # int64 [2^n]: a hash table of the rows of the queue, each with the stamp of its call
    counters: Any  # int64 [3]: components found; the stamp, the number of calls; configurations met in all calls


def new_reach() -> Reach:
    """Allocates storage, a megabyte."""
    return Reach(
        np.zeros((CONFIGURATIONS + 1, 5), np.int64),
        np.zeros((ENTRIES, 5), np.int64),
        np.zeros((COMPONENTS + 1, SIZE + 1), np.int64),
        np.zeros(TABLE, np.int64),
        np.zeros(3, np.int64),
    )


@kernel
def find_components(reach: Any, order: Any, drawn: int, piles: int, most: int, a: int, b: int, c: int) -> int:
    """Finds the components within reach of a configuration, its own first; it stops at a win.

    Of equals, a component's representative has the most empty piles, and then the lowest words: it does not depend on
    where the component was entered, unless the component is larger than what is looked at.

    Args:
        reach: Written to.
        order: int64 [n]: bits of waste and stock in the order of drawing; may have others, of cards that are gone.
        drawn: How many of these have been drawn in this pass.
        piles: Number of piles.
        most: Configurations to look at in each component.
        a: First word of the bitboard.
        b: Second word.
        c: Third word.

    Returns:
        The number of components; or, where a win is within reach, -1 - the component in which the game is won.
    """
    entries, in_waste = reach.entries, first_of(order, drawn)
    reach.counters[STAMP] += 1
    _add(entries, 0, a, b, c, NO_MOVE, NO_MOVE)
    waiting, served, queued, found = 1, 0, 0, 0
    while served < waiting:
        a, b, c = entries[served, 0], entries[served, 1], entries[served, 2]
        won = is_won(a, b)
        if won or queued == CONFIGURATIONS or found == COMPONENTS:
            _add(reach.queue, queued, a, b, c, entries[served, 3], entries[served, 4])
            _describe(reach.components[found], queued, queued, tops_of(a, b, c), empty_piles(a, c, piles), 1)
            if won:
                return -1 - found
            found = max(found, 1)  # behind many safe moves there may be none yet; then it is this one
            break
        if _enqueue(reach, queued, a, b, c, entries[served, 3], entries[served, 4]):
            at = last_of(order, drawn, talon_of(a, b, c) & in_waste)
            end, waiting, kept = _explore(reach, queued, waiting, found, 1 << order[at] if at >= 0 else 0, piles, most)
            reach.counters[LOOKED_AT] += end - queued
            queued, found = end, found + kept
        served += 1
    reach.counters[FOUND] = found
    return found


@kernel
def _explore(reach: Any, first: int, waiting: int, found: int, top: int, piles: int, most: int) -> tuple[int, int, int]:
    """Explores the component of the queue's last row; returns where queue and entries end, and whether it counts.

    It does not count if a card can go up and nothing is lost by it: what follows that move is better than all else.
    """
    queue, entries, before = reach.queue, reach.entries, waiting
    goals, safe = next_up(heights_of(queue[first, 0], queue[first, 1]))
    head, end, tops_met, most_empty, best = first, first + 1, 0, -1, first
    while head < end:
        a, b, c = queue[head, 0], queue[head, 1], queue[head, 2]
        tops = tops_of(a, b, c)
        ups = (tops | top) & goals
        if ups & safe:
            return end, _raise(entries, before, a, b, c, head, index_of(ups & safe & -(ups & safe))), 0
        tops_met |= tops
        ups &= tops | (top if head == first else 0)
        while ups:
            waiting = _raise(entries, waiting, a, b, c, head, index_of(ups & -ups))
            ups &= ups - 1
        empty = empty_piles(a, c, piles)
        if (-empty, c, a, b) < (-most_empty, queue[best, 2], queue[best, 0], queue[best, 1]):
            most_empty, best = empty, head
        if top:
            waiting = _play_waste(entries, waiting, a, b, c, head, tops, empty, index_of(top))
        end = _rearrange(reach, first, end, head, tops, empty > 0, most)
        head += 1
    _describe(reach.components[found], first, best, tops_met, most_empty, end - first)
    return end, waiting, 1


@kernel
def _describe(component: Any, first: int, best: int, tops: int, empty: int, size: int) -> None:
    component[FIRST], component[REPRESENTATIVE], component[TOPS] = first, best, tops
    component[EMPTY], component[SIZE] = empty, size


@kernel
def _raise(entries: Any, waiting: int, a: int, b: int, c: int, head: int, i: int) -> int:
    """Adds the entry after card i goes up; returns where the entries end."""
    if waiting == len(entries):
        return waiting
    a, b, c = go_up(a, b, c, i)
    _add(entries, waiting, a, b, c, head, i << 3 | TO_FOUNDATION)
    return waiting + 1


@kernel
def _play_waste(entries: Any, waiting: int, a: int, b: int, c: int, head: int, tops: int, empty: int, i: int) -> int:
    """Adds the entry after the waste's top, card i, goes on a pile; where it does makes no difference."""
    bases = bases_of(tops, i)
    if waiting == len(entries) or not (bases or empty):
        return waiting
    kind = index_of(bases & -bases) if bases else ON_BOTTOM
    a, b, c = put(a, b, c, i, kind)
    _add(entries, waiting, a, b, c, head, i << 3 | kind)
    return waiting + 1


@kernel
def _rearrange(reach: Any, first: int, end: int, head: int, tops: int, empty: bool, most: int) -> int:
    """Adds all configurations that one move from pile to pile leads to; returns where the queue ends."""
    queue = reach.queue
    a, b, c = queue[head, 0], queue[head, 1], queue[head, 2]
    movers = tops if empty else movable(tops)
    while movers:
        x = movers & -movers
        movers ^= x
        i = index_of(x)
        targets = bases_of(tops, i) | (empty and c & x != 0) << ON_BOTTOM
        while targets:
            kind = index_of(targets & -targets)
            targets &= targets - 1
            na, nb, nc = put(a, b, c, i, kind)
            if end - first < most and end < CONFIGURATIONS:
                end += _enqueue(reach, end, na, nb, nc, head, i << 3 | kind)
    return end


@kernel
def _enqueue(reach: Any, k: int, a: int, b: int, c: int, link: int, move: int) -> int:
    """Writes a configuration into row k of the queue if it is new; returns 1, or 0 if it is in the queue."""
    queue, table, stamp = reach.queue, reach.table, reach.counters[STAMP] << 16
    mixed = (a * 0x9E3779B97F4A7C1) ^ (b * 0x1F83D9ABFB41BD7) ^ (c * 0x5BE0CD19137E217)
    place = mixed >> 40 & TABLE - 1
    while table[place] >= stamp:
        row = table[place] - stamp
        if queue[row, 0] == a and queue[row, 1] == b and queue[row, 2] == c:
            return 0
        place = place + 1 & TABLE - 1
    table[place] = stamp | k
    _add(queue, k, a, b, c, link, move)
    return 1


@kernel
def _add(rows: Any, k: int, a: int, b: int, c: int, link: int, move: int) -> None:
    rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 3], rows[k, 4] = a, b, c, link, move
