"""The tables of one problem of the search: cards as slots, which cards cover which, and matchings.

*Slots.* Cards leave in pairs, so the 48 cards other than kings form six groups of 4 + 4 cards of ranks r and 13 - r. A
set of cards is one word. Each group is a byte of it, the lower rank in the low half; the kings are bits 48..51.

*Matchings.* The discards of a line from a set of cards are a matching of it. It is *admissible* if all its pairs are
allowed, and each card that stays may stay: so it is for every line that is good enough. For each of the 256 values of a
group's byte, tables hold the fewest cards that must stay, and the pairs that occur in an admissible matching of these
cards. (Every perfect matching has the property of won games: pyramid pairs - stock-waste pairs = 4 - kings in the
pyramid.)
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.bits import index_of
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import as_records, kernel
from solitaire_envs.pyramid_table import COVERS, KING, PYRAMID_SIZE, STOCK_SIZE

CLEAR, REMAIN = range(2)
"""What a search maximises: bonus - cards left, - cards left."""
GROUPS: Final = KING // 2
KINGS: Final = 0xF << 8 * GROUPS
_FIRST_SLOT: Final = np.array(
    [
        8 * min(rank - 1, KING - rank - 1) + 4 * (rank > GROUPS) if rank < KING else 8 * GROUPS
        for rank in range(KING + 1)
    ]
)
"""rank -> slot of the first card of that rank."""
GONE: Final = NUM_CARDS
"""The slot of a place without a card. Its bit is in no set of cards left."""
STEPS: Final = STOCK_SIZE + 1
"""Number of places of the stock pointer: before each of the stock cards, or behind them all."""
PASSES: Final = 32
"""More passes are never useful: a pass without a discard changes nothing, and there are 28 discards at most."""
INFEASIBLE: Final = 10_000
"""Above every number of cards."""
PAIRS_IN: Final = np.array(
    [sum((m >> a & m >> (4 + b) & 1) << (4 * a + b) for a in range(4) for b in range(4)) for m in range(256)]
)
"""A group's byte -> its pairs. Bit 4a + b is the pair of low card a (bit a of the byte) and high card b (bit 4 + b)."""

PROBLEM: Final = np.dtype(
    [
        ("talon", np.int64),  # cards of stock and waste
        ("slot", np.int64, NUM_CARDS),  # slot of the card at each place: those of the pyramid, then the talon's
        ("place", np.int64, NUM_CARDS + 1),  # its inverse
        ("under", np.int64, NUM_CARDS + 1),  # by slot: all cards that must go before it is uncovered
        ("stock", np.int64, STEPS),  # the bit of each stock card; 0 behind the last
        ("before", np.int64, STEPS),  # the stock cards before each place of the pointer
        ("pyramid", np.int64),  # the pyramid's cards except kings
        ("pairs", np.int64, GROUPS),  # the pairs of each group that are still thought possible
        ("mode", np.int64),  # CLEAR or REMAIN
        ("passes", np.int64),  # passes left, this one included
        ("bonus", np.int64, PASSES),  # for clearing the pyramid in each of these passes
        (
            "must",
            np.int64,
        ),  # cards that every good enough line discards (for the score: no later than it clears the pyramid)
        ("nodes", np.int64),  # states searched so far
        ("max_nodes", np.int64),  # states that may be searched
        ("generation", np.int64),  # number of the search; entries of earlier ones in the transposition table are stale
        # For each value of each group's byte:
        ("least", np.uint16, (GROUPS, 256)),  # fewest cards that must stay, or INFEASIBLE
        ("allowed", np.uint16, (GROUPS, 256)),  # pairs of at least one admissible matching
    ]
)
"""One problem of the search: the cards, the goal and the tables. A set of cards is a word, a bit for each slot."""


class Memory(NamedTuple):
    """Working storage for one thread, reusable for any number of searches.

    The transposition table is bounded: a full bucket replaces an entry, which costs time but makes no result wrong.
    """

    problems: Any  # PROBLEM[1]
    table: Any  # int64[buckets, 4, 2]: cards left; generation and clock in one word


def new_memory(megabytes: int = 64) -> Memory:
    """Allocates storage with a transposition table of about the given size."""
    buckets = (megabytes << 14) - 3  # odd, so that the remainder that picks a bucket depends on every bit of a state
    return Memory(as_records(np.zeros(1, PROBLEM)), np.zeros((buckets, 4, 2), np.int64))


@kernel
def lay_out(problem: Any, state: Any, rules: Any) -> None:
    """Gives the cards of a state their slots; finds which cards cover which, and which pairs are allowed.

    The *talon* is the waste from its bottom, then the stock from its top. A redeal keeps this order.
    """
    slot, place = problem.slot, problem.place
    problem.talon = state.waste_size + state.stock_size
    seen = 0  # number of cards of each rank so far, 4 bits each
    for i in range(NUM_CARDS):
        rank = state.ranks[i] if i < PYRAMID_SIZE else _rank_in_talon(state, i - PYRAMID_SIZE)
        slot[i] = GONE
        if rank > 0:
            slot[i] = _FIRST_SLOT[rank] + (seen >> 4 * rank & 15)
            seen += 1 << 4 * rank
        place[slot[i]] = i
    for i in range(STOCK_SIZE):
        problem.stock[i] = 1 << slot[PYRAMID_SIZE + i]
        problem.before[i + 1] = problem.before[i] | problem.stock[i]
    _find_covers(problem)
    for g in range(GROUPS):
        problem.pairs[g] = _possible_pairs(problem, g, rules)


@kernel
def _rank_in_talon(state: Any, i: int) -> int:
    """Returns the rank of a card of the talon; 0 behind the last."""
    if i < state.waste_size:
        return int(state.waste[STOCK_SIZE - 1 - i]) & 15
    return int(state.stock[STOCK_SIZE - state.stock_size + i - state.waste_size]) & 15


@kernel
def _find_covers(problem: Any) -> None:
    slot, under, pyramid = problem.slot, problem.under, 0
    under[:] = 0
    for i in range(PYRAMID_SIZE - 1, -1, -1):
        pyramid |= 1 << slot[i] & ~KINGS
        covers = int(COVERS[i])
        while covers:
            cover = slot[index_of(covers & -covers)]
            covers &= covers - 1
            under[slot[i]] |= under[cover] | 1 << cover
    problem.pyramid = pyramid


@kernel
def _possible_pairs(problem: Any, g: int, rules: Any) -> int:
    under, place, pairs = problem.under, problem.place, 0
    for k in range(16):
        x, y = 8 * g + (k >> 2), 8 * g + 4 + (k & 3)
        related = (under[x] >> y | under[y] >> x) & 1  # never open at the same time
        if not related and (rules.stock_waste_pairs or place[x] < PYRAMID_SIZE or place[y] < PYRAMID_SIZE):
            pairs |= 1 << k
    return pairs


@kernel
def match_all(problem: Any, left: int, spare: int) -> None:
    """Fills the tables of all groups for the cards left; the cards `spare` may stay."""
    for g in range(GROUPS):
        match(problem, g, left >> 8 * g & 255, spare >> 8 * g & 255)


@kernel
def match(problem: Any, g: int, whole: int, spare: int) -> None:
    """Fills the tables of group g for every subset of the byte `whole`; the cards of the byte `spare` may stay.

    The lowest card of a byte either stays or goes with one of its partners: in both cases the rest is a smaller byte.
    """
    least, allowed = problem.least, problem.allowed
    least[g, 0] = allowed[g, 0] = m = 0
    while m != whole:
        m = (m - whole) & whole  # the next subset in rising order
        x, rest, best, some = index_of(m & -m), m & (m - 1), INFEASIBLE, 0
        if spare >> x & 1 and least[g, rest] < INFEASIBLE:
            best, some = least[g, rest] + 1, allowed[g, rest]
        partners = (problem.pairs[g] & PAIRS_IN[m]) >> 4 * x & 15 if x < 4 else 0
        for b in range(4):
            rest = m & (m - 1) & ~(16 << b)
            if partners >> b & 1 and least[g, rest] < INFEASIBLE:
                best = min(best, least[g, rest])
                some |= allowed[g, rest] | 1 << (4 * x + b)
        least[g, m], allowed[g, m] = best, some
