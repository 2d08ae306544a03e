"""Bounds on what a position can still reach, by a relaxed game.

In the relaxed game, a discarded card may be used again as a partner while it lies open. It takes a microsecond to play.
A card that cannot be discarded there cannot be discarded at all (`_sweep`). So it cuts off lost states. Before the
search, it also strikes out every pair, and every card that may stay, with which the goal is out of reach at once. What
is struck out is in no line that is good enough. So whatever the tables say of good enough lines stays true.
"""

from typing import Any, Final

import numpy as np

from solitaire_agents.bits import count_ones, index_of
from solitaire_agents.pyramid.solver.tables import (
    GROUPS,
    INFEASIBLE,
    KINGS,
    PAIRS_IN,
    REMAIN,
    STEPS,
    match,
    match_all,
)
from solitaire_envs.jit import allocating_kernel, kernel
from solitaire_envs.pyramid_table import STOCK_SIZE

NEVER: Final = -5_000
"""Lower than every value."""


@kernel
def uncovered(problem: Any, covered: int, left: int) -> int:
    """Returns the cards in `covered` that no card in `left` covers."""
    opened = 0
    while covered:
        bit = covered & -covered
        covered ^= bit
        if problem.under[index_of(bit)] & left == 0:
            opened |= bit
    return opened


# --- The relaxed game -------------------------------------------------------------------------------------------------


@kernel
def _sweep(problem: Any, left: int, clock: int, limit: int, wanted: int) -> tuple[int, int]:
    """Plays the relaxed game for at most `limit` passes, until none of the cards `wanted` is left.

    A discarded card covers nothing, but it can still be a partner in its old place. So whatever a line of the real game
    has discarded by some clock, the relaxed game has discarded by then too: by induction over the line, its next pair
    lies open here as well. Only pairs of admissible matchings count, as no good enough line makes any other.

    Returns:
        The passes needed after this one (`limit`: too many), and the cards that were never discarded.
    """
    # This is one long function: a call for each pass would cost the search two per cent of its time.
    cards = rest = left & ~KINGS
    opened, changed, start = 0, True, clock % STEPS
    for k in range(limit):
        at_start = rest
        # `waste` holds all cards that may be its top: from the pointer back to `wall`, the first that must be there.
        waste, wall, low = 0, 0, start
        for pointer in range(start, STEPS):
            top = cards & problem.stock[pointer]
            if top == 0 and pointer < STEPS - 1:
                continue
            group = index_of(top) >> 3
            first, end = (group, group + 1) if top else (0, 0)  # only the new top's group can have a new pair ...
            while True:
                while low > 0 and rest & wall == 0:
                    low -= 1
                    wall = cards & problem.stock[low]
                    waste |= wall
                    first, end = 0, GROUPS  # ... unless waste or pyramid open up
                if changed:
                    opened |= uncovered(problem, cards & problem.pyramid & ~opened, rest)
                    first, end = 0, GROUPS
                before = rest
                rest = _pair_off(problem, cards, rest, opened | waste | top, waste, first, end)
                changed = rest != before
                if not changed:
                    break
            if rest & wanted == 0:
                return k, rest
            if rest & top:
                waste, wall, low = top, top, pointer
            else:
                waste |= top
        if rest == at_start and (k > 0 or start == 0):
            break
        start = 0
    return limit, rest


@kernel
def _pair_off(problem: Any, cards: int, rest: int, here: int, waste: int, first: int, end: int) -> int:
    """Removes the cards of groups first..end-1 that have an allowed partner among the open cards `here` from `rest`."""
    for g in range(first, end):
        shift = 8 * g
        pairs = problem.allowed[g, cards >> shift & 255] & PAIRS_IN[here >> shift & 255]
        if pairs:  # two waste cards never meet, and a pair of two discarded cards changes nothing
            pairs &= ~(PAIRS_IN[waste >> shift & 255] | PAIRS_IN[(here & ~rest) >> shift & 255])
        while pairs:
            k = index_of(pairs & -pairs)
            pairs &= pairs - 1
            rest &= ~((1 << (k >> 2) | 16 << (k & 3)) << shift)
    return rest


# --- The stock alone --------------------------------------------------------------------------------------------------


@allocating_kernel
def stock_left(problem: Any, left: int, clock: int) -> Any:
    """Returns the fewest stock cards that can stay, if every card with a partner in the pyramid may go.

    With the pyramid cleared, and no king left, this is exact. All cards between the two of a stock-waste pair must be
    gone, so the pairs nest like brackets, and one sweep over the whole row can make all pairs of a nest. In the last
    pass the later card of a pair must lie ahead of the pointer. Runs of cards that can go are found from the right;
    ends[i] holds the places where the runs from i on may end.
    """
    first = clock % STEPS if clock // STEPS == problem.passes - 1 else 0
    card, index, partners = (
        np.empty(STOCK_SIZE, np.int64),
        np.empty(STOCK_SIZE, np.int64),
        np.empty(STOCK_SIZE, np.int64),
    )
    n = free = 0
    for i in range(STOCK_SIZE):
        bit = left & problem.stock[i] & ~KINGS
        if bit:
            card[n], index[n], partners[n] = bit, i, partners_of(problem, left, index_of(bit))
            free |= (partners[n] & problem.pyramid != 0) << n
            n += 1
    if free == (1 << n) - 1:
        return 0
    ends, fewest = np.empty(STEPS, np.int64), np.empty(STEPS, np.int64)
    ends[n], fewest[n] = 1 << n, 0
    for i in range(n - 1, -1, -1):
        found = ends[i + 1] if free >> i & 1 else 0
        for j in range(i + 1, n):
            if partners[i] & card[j] and index[j] >= first and ends[i + 1] >> j & 1:
                found |= ends[j + 1]
        ends[i], fewest[i] = found | 1 << i, 1 + fewest[i + 1]
        while found:
            fewest[i] = min(fewest[i], fewest[index_of(found & -found)])
            found &= found - 1
    return fewest[0]


@kernel
def partners_of(problem: Any, left: int, slot: int) -> Any:
    """Returns the cards left that form an allowed pair with a card."""
    pairs = np.int64(problem.allowed[slot >> 3, left >> (slot & ~7) & 255])
    if slot & 4:
        column = pairs >> (slot & 3)
        byte = column & 1 | column >> 3 & 2 | column >> 6 & 4 | column >> 9 & 8
    else:
        byte = (pairs >> 4 * (slot & 3) & 15) << 4
    return byte << (slot & ~7)


# --- The outlook ------------------------------------------------------------------------------------------------------


@kernel
def kings_covered(problem: Any, left: int) -> int:
    """Returns how many kings the cards left cover."""
    n = 0
    for s in range(8 * GROUPS, 8 * GROUPS + 4):
        n += problem.under[s] & left != 0
    return n


@kernel
def outlook(problem: Any, left: int, clock: int, need: int, paired: int) -> Any:
    """Returns an upper bound on the value of every line from here; NEVER if none is worth `need`.

    Args:
        problem: The problem.
        left: The cards left.
        clock: 25 * pass + pointer.
        need: The value to reach.
        paired: Two cards that are assumed to be discarded with each other, or 0.
    """
    this_pass, stay, price = clock // STEPS, 0, 0
    limit = problem.passes - this_pass
    if problem.mode == REMAIN:
        _, stay = _sweep(problem, left, clock, limit, left & ~KINGS)
        if stay & (problem.must | paired):
            return NEVER
        price = count_ones(stay) + kings_covered(problem, stay)
    for g in range(GROUPS):
        price += problem.least[g, (left & ~stay & ~paired) >> 8 * g & 255]
    if problem.mode == REMAIN:
        return -price
    while limit and problem.bonus[this_pass + limit - 1] - price < need:
        limit -= 1
    k, _ = _sweep(problem, left, clock, limit, problem.must)
    return NEVER if k == limit or price >= INFEASIBLE else problem.bonus[this_pass + k] - price


@kernel
def refine(problem: Any, left: int, clock: int, need: int, spare: int) -> tuple[bool, int]:
    """Fills the tables, then strikes out pairs, and cards that may stay, with which `need` is out of reach at once.

    It repeats this until nothing changes, because each deletion sharpens the tables. Deletions hold for later searches
    too, as targets only rise.

    Returns:
        Whether a matching is left, and the cards that may still stay.
    """
    match_all(problem, left, spare)
    g = unchanged = 0
    while unchanged < GROUPS:
        m = left >> 8 * g & 255
        pairs, may_stay = np.int64(problem.allowed[g, m]), m & spare >> 8 * g
        if problem.least[g, m] >= INFEASIBLE:
            return False, spare
        good_pairs = _good_pairs(problem, left, clock, need, g)
        good_stay = _good_stay(problem, left, clock, need, g, may_stay)
        unchanged += 1
        if good_pairs != pairs or good_stay != may_stay:
            unchanged = 0
            problem.pairs[g] = good_pairs
            spare = spare & ~(255 << 8 * g) | good_stay << 8 * g
            match(problem, g, m, good_stay)
        g = (g + 1) % GROUPS
    return True, spare


@kernel
def _good_pairs(problem: Any, left: int, clock: int, need: int, g: int) -> int:
    """Returns the pairs of group g with which `need` is not out of reach at once.

    For each pair, the outlook is computed as if the pair were made. Then only the matchings that contain it are left.
    """
    allowed, m, good = problem.allowed, left >> 8 * g & 255, 0
    pairs = np.int64(allowed[g, m])
    for k in range(16):
        if pairs >> k & 1:
            both = 1 << (k >> 2) | 16 << (k & 3)
            allowed[g, m] = allowed[g, m & ~both] | 1 << k
            good |= (outlook(problem, left, clock, need, both << 8 * g) >= need) << k
    allowed[g, m] = pairs
    return good


@kernel
def _good_stay(problem: Any, left: int, clock: int, need: int, g: int, may_stay: int) -> int:
    """Returns the cards in `may_stay` of group g that can stay with `need` not out of reach at once.

    If a card cannot stay, every good enough line discards it, and no later than it clears the pyramid. For if the card
    went later, it would go with another card of the stock, and both might as well stay: the outlook asks when the
    pyramid can be cleared, and counts for the cards left no more than must stay in any case.
    """
    allowed, m, good = problem.allowed, left >> 8 * g & 255, 0
    pairs = np.int64(allowed[g, m])
    for x in range(8):
        if may_stay >> x & 1 and problem.least[g, m & ~(1 << x)] < INFEASIBLE:
            allowed[g, m] = allowed[g, m & ~(1 << x)]
            good |= (outlook(problem, left, clock, need, 0) >= need) << x
    allowed[g, m] = pairs
    return good
