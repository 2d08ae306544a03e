"""The search: its states, and the order in which it looks at them.

*Only discards branch.* A redeal keeps the order of the stock. So the stock is one row of cards, and a pointer sweeps it
once per pass: the cards left behind the pointer are the waste, the nearest of them on top, and those ahead of it are
the stock. The clock, 25 * pass + pointer, never goes back, and waiting (drawing) is always allowed. So a move of the
search is one discard at the earliest clock at which its cards can meet.

*Earlier is no worse.* Of two visits to the same set of cards, the earlier can do whatever the later can: it waits. No
bonus rises with the clock, and waiting costs nothing. So the search remembers one clock for each set.

*No loss rests on a hash.* The table holds each set of cards whole, with its clock. Where it has no room, it forgets.
"""

from typing import Any, Final

import numpy as np

from solitaire_agents.bits import count_ones, index_of
from solitaire_agents.pyramid.solver.relaxation import NEVER, kings_covered, outlook, refine, stock_left, uncovered
from solitaire_agents.pyramid.solver.tables import (
    CLEAR,
    GROUPS,
    KINGS,
    PAIRS_IN,
    REMAIN,
    STEPS,
    match_all,
)
from solitaire_envs.jit import allocating_kernel, kernel
from solitaire_envs.pyramid_table import PYRAMID_SIZE, STOCK_SIZE

LINE_SIZE: Final = 64
"""Size of a line: the number of its states, at most 29, then the states."""
NEW, LOST, WON = range(3)
"""What the table says about a state."""
WINS: Final = 1
"""The bit of an entry's label that marks a win; without it the state is lost, or its search has not ended."""
GLANCE: Final = 40
"""States to search before `refine`. Most yes-or-no questions are settled by then, in half the time."""


# --- Discards ---------------------------------------------------------------------------------------------------------


@kernel
def _meet(problem: Any, left: int, clock: int, low: int, high: int) -> int:
    """Returns the clock right after stock card `high`, with stock card `low` if >= 0, can go."""
    pointer, following = clock % STEPS, high + 1
    while following < STOCK_SIZE and left & problem.stock[following] == 0:
        following += 1
    between = left & problem.before[high] & ~problem.before[low + 1] if low >= 0 else 0
    if between & ~KINGS:
        return int(problem.passes * STEPS)
    start, last = clock - pointer, high if low >= 0 else following  # alone it may be the top of stock or waste
    if pointer > last or between & problem.before[pointer]:
        start += STEPS
    return start + following


@kernel
def expand(problem: Any, left: int, clock: int, lefts: Any, labels: Any) -> int:
    """Writes the states after each discard, the best (earliest clock) last; returns their number."""
    n = _discard_king(problem, left, clock, lefts, labels) if left & KINGS else 0
    if n > 0:
        return n
    opened = left & ~problem.pyramid & ~KINGS | uncovered(problem, left & problem.pyramid, left)
    for g in range(GROUPS):
        pairs = problem.allowed[g, left >> 8 * g & 255] & PAIRS_IN[opened >> 8 * g & 255]
        while pairs:
            k = index_of(pairs & -pairs)
            pairs &= pairs - 1
            x, y = 8 * g + (k >> 2), 8 * g + 4 + (k & 3)
            i, j = problem.place[x] - PYRAMID_SIZE, problem.place[y] - PYRAMID_SIZE
            then = clock
            if max(i, j) >= 0:
                then = _meet(problem, left, clock, min(i, j), max(i, j))
                if then >= problem.passes * STEPS:
                    continue
            _insert(lefts, labels, n, left & ~(1 << x | 1 << y), then << 12)
            n += 1
    return n


@kernel
def _discard_king(problem: Any, left: int, clock: int, lefts: Any, labels: Any) -> int:
    """Writes the state after the discard of a king on top of the waste; returns 1, or 0 if none lies there.

    The cards left include kings only where it may pay to leave one: those buried in the waste of the last pass, for the
    score.
    """
    i = clock % STEPS - 1
    while i >= 0 and left & problem.stock[i] == 0:
        i -= 1
    if i < 0 or left & problem.stock[i] & KINGS == 0:
        return 0
    lefts[0], labels[0] = left & ~problem.stock[i], clock << 12
    return 1


@kernel
def _insert(lefts: Any, labels: Any, n: int, left: int, label: int) -> None:
    """Inserts a state into n states that are sorted by falling label, after those with the same label."""
    i = n
    while i > 0 and labels[i - 1] <= label:
        lefts[i], labels[i] = lefts[i - 1], labels[i - 1]
        i -= 1
    lefts[i], labels[i] = left, label


# --- The table --------------------------------------------------------------------------------------------------------
#
# Waiting is always allowed, so a state that is lost at some clock is lost at every later one, and a state that is won
# at some clock is won at every earlier one.


@kernel
def look_up(problem: Any, table: Any, left: int, clock: int) -> int:
    """Returns what is known about a state. A new state is entered as lost: it is, unless its search finds a win."""
    bucket, stamp = table[left % len(table)], problem.generation << 24
    at = left >> 8 & 3  # the entry to replace if all four are in use
    for k in range(4):
        label = bucket[k, 1] - stamp
        if label < 0:
            at = k
        elif bucket[k, 0] == left:
            if label & WINS:
                if clock <= label >> 12:
                    return WON
            elif label >> 12 <= clock:
                return LOST
            else:
                at = k
                break
    bucket[at, 0], bucket[at, 1] = left, stamp | clock << 12
    return NEW


# --- The search -------------------------------------------------------------------------------------------------------


@kernel
def value_of(problem: Any, left: int, clock: int) -> Any:
    """Returns the value of a line that ends here, or NEVER if it must not end here."""
    if problem.mode == REMAIN:
        return -(count_ones(left) + kings_covered(problem, left))
    if left & problem.pyramid:
        return NEVER
    # With the pyramid cleared, the bonus is won. How few stock cards can stay is known, unless a king is buried.
    return problem.bonus[clock // STEPS] - (count_ones(left) if left & KINGS else stock_left(problem, left, clock))


@kernel
def is_hopeless(problem: Any, left: int, clock: int, need: int) -> bool:
    """Returns whether no line from here can be worth `need`."""
    if outlook(problem, left, clock, need, 0) < need:
        return True
    # If the bonus alone is just enough, no card may stay in the stock. (A later bonus is no higher.)
    spares_none = problem.mode == CLEAR and problem.bonus[clock // STEPS] == need
    return bool(spares_none and stock_left(problem, left, clock))


@allocating_kernel
def _search(problem: Any, left: int, clock: int, target: int, table: Any, line: Any) -> tuple[int, bool]:
    """Looks for a line worth `target` or more. If it finds one, it follows that line as long as the value rises.

    Args:
        problem: The problem, with its tables filled.
        left: The cards left.
        clock: 25 * pass + pointer; the pointer is at a card or behind them all.
        target: The value to reach.
        table: Of a `Memory`.
        line: int64[LINE_SIZE], filled with the number of states of the line found and these states.

    Returns:
        The value found, or NEVER, and whether the search was complete.
    """
    lefts, labels = np.empty(4096, np.int64), np.empty(4096, np.int64)  # at most 97 children at each of 28 levels
    path, best, top = np.empty(LINE_SIZE, np.int64), NEVER, 1
    problem.generation += 1
    lefts[0], labels[0] = left, clock << 12
    while top:
        top -= 1
        left, level, clock = lefts[top], labels[top] >> 24, labels[top] >> 12 & 4095
        path[level] = left
        value = value_of(problem, left, clock)
        ended = value > NEVER and problem.mode == CLEAR and not left & KINGS
        if value >= target and value > best:
            best, line[0] = value, level + 1
            for k in range(level + 1):  # one by one, as slices of arrays take seconds to compile
                line[1 + k] = path[k]
            if ended:
                _reduce_stock(problem, left, clock, line)
        elif best >= target:
            break
        if ended or look_up(problem, table, left, clock) == LOST:
            continue
        if problem.nodes == problem.max_nodes:
            return best, False
        problem.nodes += 1
        if is_hopeless(problem, left, clock, max(target, best + 1)):
            continue
        n = expand(problem, left, clock, lefts[top:], labels[top:])
        for k in range(top, top + n):
            labels[k] |= level + 1 << 24
        top += n
    return best, True


@allocating_kernel
def _reduce_stock(problem: Any, left: int, clock: int, line: Any) -> None:
    """Adds the discards that `stock_left` has counted to a line that has cleared the pyramid."""
    lefts, labels = np.empty(128, np.int64), np.empty(128, np.int64)
    stay = stock_left(problem, left, clock)
    while count_ones(left) > stay:
        n = expand(problem, left, clock, lefts, labels) - 1
        while stock_left(problem, lefts[n], labels[n] >> 12) > stay:
            n -= 1
        left, clock = lefts[n], labels[n] >> 12
        line[0] += 1
        line[line[0]] = left


@kernel
def improve(
    problem: Any, left: int, clock: int, spare: int, target: int, enough: int, table: Any, line: Any
) -> tuple[int, bool]:
    """Raises the target until it is `enough` or no line is found; returns the best value and whether it is proved."""
    best, most = NEVER, problem.max_nodes
    if target == enough and most > GLANCE:
        problem.must, problem.max_nodes = left & ~spare & ~KINGS, GLANCE
        match_all(problem, left, spare)
        best, ended = _search(problem, left, clock, target, table, line)
        problem.max_nodes = most
        if ended:
            return best, True
    while best < enough:
        problem.must = left & ~spare & ~KINGS
        possible, still_spare = refine(problem, left, clock, target, spare)
        if not possible:
            break
        problem.must = left & ~still_spare & ~KINGS
        value, ended = _search(problem, left, clock, target, table, line)
        best = max(best, value)
        if not ended:
            return best, best >= enough
        if value < target:
            break
        target = best + 1
    return best, True
