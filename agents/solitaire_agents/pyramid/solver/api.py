"""Exact solver for Pyramid with the order of the stock known ('thoughtful' play).

Five ideas carry the search, and each of them is exact:

1.  *Only discards branch.* A redeal keeps the order of the stock, so the stock is one row of cards that a pointer
    sweeps once per pass: present cards behind it are the waste, the nearest of them on top, those ahead the stock. The
    clock, 25 * pass + pointer, never goes back, and waiting (drawing) is always allowed. So a move of the search is one
    discard at the earliest clock at which its cards can meet, and of two visits to the same set of cards the earlier
    can do whatever the later can: one clock per set is all that must be remembered.
2.  *Kings are transparent.* Discarding an available king never loses anything, so the search leaves kings out: a
    pyramid card waits for the other cards below it, and the kings come back when the line of play is written out.
3.  *Matchings.* Cards leave in pairs, so the 48 others form six groups of 4 + 4 cards of ranks r and 13 - r. A group is
    one byte of the state word, and tables over its 256 values tell how few cards must stay and which pairs occur in an
    admissible matching of the cards left. (Every perfect matching keeps the count known from won games: pyramid pairs
    - stock-waste pairs = 4 - kings in the pyramid.)
4.  *A relaxed game*, in which a discarded card may be used again as a partner while it lies open, plays itself out in
    a microsecond. What cannot be discarded there cannot be discarded at all. This cuts off dead states and, before the
    search, strikes out every pair and every card left over that would make the goal hopeless at once.
5.  *One search for all goals.* Each goal is a value to maximise: bonus - cards left, or - moves. A depth-first search
    asks for a line worth a target; each line found raises the target, until there is none.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

Goal: TypeAlias = Literal["all", "pyramid", "score", "shortest-all", "shortest-pyramid"]
Status: TypeAlias = Literal["solved", "impossible", "unknown"]

GOALS: Final[tuple[Goal, ...]] = ("all", "pyramid", "score", "shortest-all", "shortest-pyramid")
ALL, PYRAMID, SCORE, SHORTEST_ALL, SHORTEST_PYRAMID = range(5)
STATUSES: Final[tuple[Status, ...]] = ("solved", "impossible", "unknown")
SOLVED, IMPOSSIBLE, UNKNOWN = range(3)
BONUS: Final = (50, 35, 20)  # for clearing the pyramid in pass 1, 2, 3; nothing later
MAX_NODES: Final = 50_000_000
LINE_SIZE: Final = 64

CLEAR, REMAIN, MOVES = range(3)  # what a search maximises: bonus - cards left, - cards left, - moves
KINGS: Final = 0xF << 48  # slots 0..47 are the six groups, a byte each; 48..51 the kings
STEPS: Final = 25  # places of the stock pointer: before each of the 24 stock cards, or behind them all
PASSES: Final = 32  # more are never of use: each pass of a good line discards something, 28 times at most
NEVER: Final = -5_000  # below every value
INFEASIBLE: Final = 10_000  # above every number of cards or moves
_INDEX_OF_BIT: Final = np.zeros(67, np.int64)  # 2 is a primitive root of 67, so 2**i % 67 tells i < 66
_INDEX_OF_BIT[[pow(2, i, 67) for i in range(64)]] = range(64)
# A pair of a group is bit 4a+b: its low card a (bit a of the byte) with its high card b (bit 4+b).
_PAIRS_IN: Final = np.array(
    [sum((m >> a & m >> (4 + b) & 1) << (4 * a + b) for a in range(4) for b in range(4)) for m in range(256)]
)

# One question to the search: the deal, what is asked, and the tables. Sets of cards are words of slots.
_GAME: Final = np.dtype(
    [
        ("slot", np.int64, 52),  # slot of the card dealt at each place
        ("place", np.int64, 52),  # its inverse
        ("under", np.int64, 52),  # by slot: all cards but kings that must go before this pyramid card is uncovered
        ("stock", np.int64, STEPS),  # the bit of each stock card; 0 behind the last
        ("before", np.int64, STEPS),  # the stock cards before each place of the pointer
        ("pyramid", np.int64),  # the pyramid's cards but kings
        ("pairs", np.int64, 6),  # the pairs of each group that are still thought possible
        ("mode", np.int64),  # CLEAR, REMAIN or MOVES
        ("passes", np.int64),  # passes left, this one included
        ("bonus", np.int64, PASSES),  # for clearing the pyramid in each of them
        ("must", np.int64),  # cards that every line wanted discards
        ("generation", np.int64),  # of searches: what earlier ones have left in the transposition table is stale
        # For each value of each group's byte:
        ("least", np.uint16, (6, 256)),  # fewest cards that must stay (MOVES: fewest moves), or INFEASIBLE
        ("allowed", np.uint16, (6, 256)),  # pairs of at least one admissible matching
    ]
)

F = TypeVar("F", bound=Callable[..., Any])


def _kernel(function: F) -> F:
    compiled: Any = njit(nogil=True, error_model="numpy")(function)
    with suppress(RuntimeError):  # where no directory can be written to, each process compiles anew
        compiled.enable_caching()
    kernel: F = compiled
    return kernel


@dataclass(frozen=True)
class Memory:
    """Working storage for one thread, reusable for any number of searches.

    The transposition table is bounded: a full bucket forgets, which costs time but never truth.
    """

    game: Any  # _GAME[1]
    table: Any  # int64[buckets, 4, 2]: cards left; generation, clock and moves so far in one word


def new_memory(megabytes: int = 64) -> Memory:
    """Allocates storage with a transposition table of about the given size."""
    buckets = (megabytes << 14) - 3  # odd, so that the remainder that picks a bucket depends on every bit of a state
    return Memory(np.zeros(1, _GAME).view(np.recarray), np.zeros((buckets, 4, 2), np.int64))


# --- The deal ---------------------------------------------------------------------------------------------------------


@_kernel
def _index(bit: int) -> Any:
    return _INDEX_OF_BIT[bit % 67]


@_kernel
def _count(word: int) -> int:
    n = 0
    while word:
        word &= word - 1
        n += 1
    return n


@_kernel
def _lay_out(game: Any, deck: Any, stock_waste_pairs: bool) -> None:
    """Numbers the cards, and finds what covers what and which pairs the rules allow."""
    slot, place, under, pyramid, row = game.slot, game.place, game.under, 0, 7
    dealt = np.zeros(14, np.int64)
    for i in range(52):
        rank = deck[i] % 13 + 1
        first = 48 if rank == 13 else 8 * (rank - 1) if rank < 7 else 8 * (12 - rank) + 4
        slot[i] = first + dealt[rank]
        place[slot[i]] = i
        dealt[rank] += 1
    under[:] = 0
    for i in range(27, -1, -1):
        pyramid |= 1 << slot[i] & ~KINGS
        row -= i < row * (row - 1) // 2
        if row < 7:
            for cover in (slot[i + row], slot[i + row + 1]):
                under[slot[i]] |= under[cover] | 1 << cover & ~KINGS
    game.pyramid = pyramid
    for i in range(24):
        game.stock[i] = 1 << slot[28 + i]
        game.before[i + 1] = game.before[i] | game.stock[i]
    for g in range(6):
        game.pairs[g] = 0
        for k in range(16):
            x, y = 8 * g + (k >> 2), 8 * g + 4 + (k & 3)
            related = (under[x] >> y | under[y] >> x) & 1  # never open at the same time
            if not related and (stock_waste_pairs or place[x] < 28 or place[y] < 28):
                game.pairs[g] |= 1 << k


@_kernel
def _match(game: Any, g: int, whole: int, spare: int) -> None:
    """Fills the tables of group g for every part of the byte `whole`, if the cards of the byte `spare` may stay.

    The lowest card of a byte either stays or takes one of its partners: in both cases the rest is a smaller byte.
    """
    least, allowed, in_stock = game.least, game.allowed, ~game.pyramid >> 8 * g
    least[g, 0] = allowed[g, 0] = 0
    for m in range(1, 256):
        if m & ~whole:
            continue
        x, rest, best, some = _index(m & -m), m & (m - 1), INFEASIBLE, 0
        if spare >> x & 1 and least[g, rest] < INFEASIBLE:
            best, some = least[g, rest] + (game.mode != MOVES), allowed[g, rest]
        partners = (game.pairs[g] & _PAIRS_IN[m]) >> 4 * x & 15 if x < 4 else 0
        for b in range(4):
            rest = m & (m - 1) & ~(16 << b)
            if partners >> b & 1 and least[g, rest] < INFEASIBLE:
                # Stock with waste costs a draw besides the discard: one of the two must have been drawn.
                price = 1 + (in_stock >> x & in_stock >> (4 + b) & 1) if game.mode == MOVES else 0
                best = min(best, least[g, rest] + price)
                some |= allowed[g, rest] | 1 << (4 * x + b)
        least[g, m], allowed[g, m] = best, some


# --- Bounds -----------------------------------------------------------------------------------------------------------


@_kernel
def _uncovered(game: Any, covered: int, left: int) -> int:
    opened = 0
    while covered:
        bit = covered & -covered
        covered ^= bit
        if game.under[_index(bit)] & left == 0:
            opened |= bit
    return opened


@_kernel
def _pair_off(game: Any, cards: int, rest: int, here: int, waste: int, first: int, end: int) -> int:
    """Takes from `rest` the cards of groups first..end-1 that have an allowed partner among the open cards `here`."""
    for g in range(first, end):
        shift = 8 * g
        pairs = game.allowed[g, cards >> shift & 255] & _PAIRS_IN[here >> shift & 255]
        if pairs:  # two waste cards never meet; two discarded ones are no news
            pairs &= ~(_PAIRS_IN[waste >> shift & 255] | _PAIRS_IN[(here & ~rest) >> shift & 255])
        while pairs:
            k = _index(pairs & -pairs)
            pairs &= pairs - 1
            rest &= ~((1 << (k >> 2) | 16 << (k & 3)) << shift)
    return rest


@_kernel
def _sweep(game: Any, left: int, clock: int, limit: int, wanted: int) -> tuple[int, int, int]:
    """Plays the relaxed game for at most `limit` passes, until none of the cards `wanted` is left.

    A discarded card covers nothing any more, but goes on being a partner where it lay. So whatever a line of the game
    has discarded by some clock, the relaxed game has discarded by then too: by induction over the line, its next pair
    lies open here as well. Only pairs of admissible matchings count, for no line wanted makes any other.

    Returns:
        The passes needed after this one (`limit`: too many), the cards that were never discarded, and the draws and
        redeals that all passes but the last needed cannot do without (mode MOVES).
    """
    cards = rest = left & ~KINGS
    opened, changed, draws, start = 0, True, 0, clock % STEPS
    for k in range(limit):
        at_start = rest
        # `waste` is all that may be its top: from the pointer back to `wall`, the first card that has to be there.
        waste, wall, low = 0, 0, start
        for pointer in range(start, STEPS):
            top = cards & game.stock[pointer]
            if top == 0 and pointer < STEPS - 1:
                continue
            group = _index(top) >> 3
            first, end = (group, group + 1) if top else (0, 0)  # only the new top's group can have a new pair ...
            while True:
                while low > 0 and rest & wall == 0:
                    low -= 1
                    wall = cards & game.stock[low]
                    waste |= wall
                    first, end = 0, 6  # ... unless waste or pyramid open up
                if changed:
                    opened |= _uncovered(game, cards & game.pyramid & ~opened, rest)
                    first, end = 0, 6
                before = rest
                rest = _pair_off(game, cards, rest, opened | waste | top, waste, first, end)
                changed = rest != before
                if not changed:
                    break
            if rest & wanted == 0:
                return k, rest, draws
            if rest & top:
                waste, wall, low = top, top, pointer
            else:
                waste |= top
        if rest == at_start and (k > 0 or start == 0):
            break
        if game.mode == MOVES:  # a redeal, after drawing each stock card that cannot have gone by then
            draws += 1 + _count(rest & ~game.pyramid & ~game.before[start])
        start = 0
    return limit, rest, draws


@_kernel
def _stock_left(game: Any, left: int, clock: int) -> Any:
    """Fewest stock cards that must stay if the pyramid may take every one of which it still holds a partner.

    With the pyramid cleared this is exact. A stock-waste pair needs all cards between the two gone, so the pairs nest
    like brackets, and one sweep over the whole row can make any such nest; in the last pass the later card of a pair
    must lie ahead of the pointer. Runs of cards that can vanish are found from the right; ends[i] is where they end.
    """
    first = clock % STEPS if clock // STEPS == game.passes - 1 else 0
    card, index, partners = np.empty(24, np.int64), np.empty(24, np.int64), np.empty(24, np.int64)
    n = free = 0
    for i in range(24):
        bit = left & game.stock[i] & ~KINGS
        if bit:
            s = _index(bit)
            pairs = game.allowed[s >> 3, left >> (s & ~7) & 255]
            if s & 4:
                column = pairs >> (s & 3)
                byte = column & 1 | column >> 3 & 2 | column >> 6 & 4 | column >> 9 & 8
            else:
                byte = (pairs >> 4 * (s & 3) & 15) << 4
            card[n], index[n], partners[n] = bit, i, byte << (s & ~7)
            free |= (partners[n] & game.pyramid != 0) << n
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
            fewest[i] = min(fewest[i], fewest[_index(found & -found)])
            found &= found - 1
    return fewest[0]


@_kernel
def _kings_covered(game: Any, left: int) -> int:
    n = 0
    for s in range(48, 52):
        n += game.under[s] & left != 0
    return n


@_kernel
def _outlook(game: Any, left: int, clock: int, cost: int, need: int, paired: int) -> Any:
    """Bounds the value of every line from here from above; NEVER if none is worth `need`.

    Args:
        game: The question.
        left: The cards left.
        clock: 25 * pass + pointer.
        cost: Moves made so far.
        need: The value asked for.
        paired: Two cards to be taken as discarded with each other, or 0.
    """
    this_pass, stay, price = clock // STEPS, 0, 0
    limit = game.passes - this_pass
    if game.mode == REMAIN:
        _, stay, _ = _sweep(game, left, clock, limit, left & ~KINGS)
        if stay & (game.must | paired):
            return NEVER
        price = _count(stay) + _kings_covered(game, stay)
    for g in range(6):
        price += game.least[g, (left & ~stay & ~paired) >> 8 * g & 255]
    if game.mode == REMAIN:
        return -price
    if game.mode == CLEAR:
        while limit and game.bonus[this_pass + limit - 1] - price < need:
            limit -= 1
    k, _, draws = _sweep(game, left, clock, limit, game.must)
    if k == limit or price >= INFEASIBLE:
        return NEVER
    if game.mode == CLEAR:
        return game.bonus[this_pass + k] - price
    # A stock-waste pair whose lower card is in the waste already needs no further draw.
    return -(cost + price + (paired != 0) + draws - _count(left & game.before[clock % STEPS] & ~KINGS))


@_kernel
def _refine(game: Any, left: int, clock: int, cost: int, need: int, spare: int) -> tuple[bool, int]:
    """Fills the tables, then strikes out pairs, and cards that may stay, with which `need` is out of reach at once.

    Each pair in turn is taken as made, which leaves its group only the matchings that contain it, and the outlook is
    asked; so for each card that may stay. What is struck out sharpens the tables, so it goes on until nothing changes.
    It may stay struck out from search to search, as targets only rise.

    Returns:
        Whether a matching is left, and the cards that may still stay.
    """
    least, allowed = game.least, game.allowed
    for g in range(6):
        _match(game, g, left >> 8 * g & 255, spare >> 8 * g & 255)
    g = unchanged = 0
    while unchanged < 6:
        m = left >> 8 * g & 255
        pairs, may_stay = np.int64(allowed[g, m]), m & spare >> 8 * g
        if least[g, m] >= INFEASIBLE:
            return False, spare
        good_pairs = good_stay = 0
        for k in range(16):
            both = 1 << (k >> 2) | 16 << (k & 3)
            if pairs >> k & 1:
                allowed[g, m] = allowed[g, m & ~both] | 1 << k
                good_pairs |= (_outlook(game, left, clock, cost, need, both << 8 * g) >= need) << k
        for x in range(8):
            if may_stay >> x & 1 and least[g, m & ~(1 << x)] < INFEASIBLE:
                allowed[g, m] = allowed[g, m & ~(1 << x)]
                good_stay |= (_outlook(game, left, clock, cost, need, 0) >= need) << x
        allowed[g, m] = pairs
        unchanged += 1
        if good_pairs != pairs or good_stay != may_stay:
            unchanged = 0
            game.pairs[g] = good_pairs
            spare = spare & ~(255 << 8 * g) | good_stay << 8 * g
            _match(game, g, m, good_stay)
        g = (g + 1) % 6
    return True, spare


# --- The search -------------------------------------------------------------------------------------------------------


@_kernel
def _meet(game: Any, left: int, clock: int, low: int, high: int) -> tuple[int, int]:
    """When stock card `high` is open next, and the later clock when it has gone; with `low` >= 0 as the waste's top."""
    pointer, following = clock % STEPS, high + 1
    while following < 24 and left & game.stock[following] == 0:
        following += 1
    between = left & game.before[high] & ~game.before[low + 1] if low >= 0 else 0
    if between & ~KINGS:
        return clock, game.passes * STEPS
    start, last = clock - pointer, high if low >= 0 else following  # alone it is the stock's top, then the waste's
    if pointer > last or between & game.before[pointer]:
        start += STEPS
    return max(clock, start + high), start + following


@_kernel
def _drawn(game: Any, left: int, clock: int) -> Any:
    """Draws and redeals from the very start to this clock if these stock cards, and no others, had been there."""
    stock = left & ~game.pyramid
    return clock // STEPS * (1 + _count(stock)) + _count(stock & game.before[clock % STEPS])


@_kernel
def _passed(game: Any, clock: int, later: int) -> Any:
    """The stock cards that the pointer passes on its way to the clock `later`."""
    behind, ahead = game.before[later % STEPS], ~game.before[clock % STEPS]
    return behind & ahead if later // STEPS == clock // STEPS else behind | ahead


@_kernel
def _expand(game: Any, left: int, clock: int, cost: int, lefts: Any, labels: Any) -> int:
    """Writes the states after each discard, the best last (earliest clock, fewest moves), and returns their number.

    Kings are among the cards left only where leaving one may pay: all of the stock's, for the shortest way to clear the
    pyramid, and those buried in the waste of the last pass, for the score.
    """
    n = 0
    if left & KINGS:
        i = clock % STEPS - 1
        while i >= 0 and left & game.stock[i] == 0:
            i -= 1
        if i >= 0 and left & game.stock[i] & KINGS:  # on top of the waste
            lefts[0], labels[0], n = left & ~game.stock[i], clock << 12 | cost + (game.mode == MOVES), 1
            if game.mode != MOVES:
                return n
    opened = left & ~game.pyramid & ~KINGS | _uncovered(game, left & game.pyramid, left)
    for g in range(6):
        pairs = game.allowed[g, left >> 8 * g & 255] & _PAIRS_IN[opened >> 8 * g & 255]
        while pairs:
            k = _index(pairs & -pairs)
            pairs &= pairs - 1
            x, y = 8 * g + (k >> 2), 8 * g + 4 + (k & 3)
            i, j = game.place[x] - 28, game.place[y] - 28
            meeting = then = clock
            if max(i, j) >= 0:
                meeting, then = _meet(game, left, clock, min(i, j), max(i, j))
                if then >= game.passes * STEPS:
                    continue
            after, label = left & ~(1 << x | 1 << y), then << 12
            if game.mode == MOVES:
                label |= cost + 1 + _drawn(game, left, meeting) - _drawn(game, left, clock)
                after &= ~(_passed(game, clock, meeting) & KINGS)  # discarding a king costs no more than drawing it
            i = n
            while i > 0 and labels[i - 1] <= label:
                lefts[i], labels[i] = lefts[i - 1], labels[i - 1]
                i -= 1
            lefts[i], labels[i] = after, label
            n += 1
    return n


@_kernel
def _visited(game: Any, table: Any, left: int, clock: int, cost: int) -> bool:
    """Whether the table holds a visit no worse than this one; if not, writes this one down.

    A visit is no worse if drawing cards turns it into this one, at no more moves (which all are 0 but in mode MOVES).
    """
    bucket, stamp = table[left % len(table)], game.generation << 24
    spent = cost - _drawn(game, left, clock) if game.mode == MOVES else 0
    at = left >> 8 & 3  # which to forget if all four are in use
    for k in range(4):
        label = bucket[k, 1] - stamp
        if label < 0:
            at = k
        elif bucket[k, 0] == left:
            old_clock, old_cost = label >> 12, label & 4095
            old_spent = old_cost - _drawn(game, left, old_clock) if game.mode == MOVES else 0
            if old_clock <= clock and old_spent <= spent:
                return True
            if old_clock >= clock and old_spent >= spent:
                at = k
                break
    bucket[at, 0], bucket[at, 1] = left, stamp | clock << 12 | cost
    return False


@_kernel
def _value(game: Any, left: int, clock: int, cost: int) -> Any:
    """The value of a line whose search ends here, or NEVER if that is not allowed."""
    if game.mode == REMAIN:
        return -(_count(left) + _kings_covered(game, left))
    if left & (game.must if game.mode == MOVES else game.pyramid):
        return NEVER
    if game.mode == MOVES:
        return -cost
    # With the pyramid cleared the bonus is won, and what can still leave the stock is known unless a king is buried.
    return game.bonus[clock // STEPS] - (_count(left) if left & KINGS else _stock_left(game, left, clock))


@_kernel
def _reduce_stock(game: Any, left: int, clock: int, line: Any) -> None:
    """Lengthens a line that has cleared the pyramid by the discards that `_stock_left` counts on."""
    lefts, labels = np.empty(128, np.int64), np.empty(128, np.int64)
    stay = _stock_left(game, left, clock)
    while _count(left) > stay:
        n = _expand(game, left, clock, 0, lefts, labels) - 1
        while _stock_left(game, lefts[n], labels[n] >> 12) > stay:
            n -= 1
        left, clock = lefts[n], labels[n] >> 12
        line[0] += 1
        line[line[0]] = left


@_kernel
def _search(
    game: Any, left: int, clock: int, cost: int, target: int, table: Any, effort: Any, line: Any
) -> tuple[int, bool]:
    """Looks for a line worth `target` or more and, having found one, follows it as long as it gets better.

    Args:
        game: The question, with its tables filled.
        left: The cards left.
        clock: 25 * pass + pointer, the pointer at a card or behind them all.
        cost: Moves made so far.
        target: The value asked for.
        table: A `Memory`'s.
        effort: int64[2], states searched so far and allowed.
        line: int64[LINE_SIZE], filled with the number of states of the line found and these states.

    Returns:
        The value found, or NEVER, and whether the search came to its end.
    """
    lefts, labels = np.empty(4096, np.int64), np.empty(4096, np.int64)  # at most 97 children at each of 28 levels
    path, best, top = np.empty(LINE_SIZE, np.int64), NEVER, 1
    game.generation += 1
    lefts[0], labels[0] = left, clock << 12 | cost
    while top:
        top -= 1
        left, level, clock, cost = lefts[top], labels[top] >> 24, labels[top] >> 12 & 4095, labels[top] & 4095
        path[level] = left
        value = _value(game, left, clock, cost)
        ended = value > NEVER and (game.mode == MOVES or (game.mode == CLEAR and not left & KINGS))
        if value >= target and value > best:
            best, line[0], line[1 : level + 2] = value, level + 1, path[: level + 1]
            if ended and game.mode == CLEAR:
                _reduce_stock(game, left, clock, line)
        elif best >= target:
            break
        if ended or _visited(game, table, left, clock, cost):
            continue
        if effort[0] == effort[1]:
            return best, False
        effort[0] += 1
        need = max(target, best + 1)
        if _outlook(game, left, clock, cost, need, 0) < need:
            continue
        # If the bonus leaves no card to spare, neither the stock may have one.
        if game.mode == CLEAR and game.bonus[clock // STEPS] == need and _stock_left(game, left, clock):
            continue
        n = _expand(game, left, clock, cost, lefts[top:], labels[top:])
        labels[top : top + n] |= level + 1 << 24
        top += n
    return best, True


@_kernel
def _improve(
    game: Any,
    left: int,
    clock: int,
    cost: int,
    spare: int,
    target: int,
    enough: int,
    table: Any,
    effort: Any,
    line: Any,
) -> tuple[int, bool]:
    """Raises the target until it is `enough` or there is no line; returns the best value and whether that is proved."""
    best = NEVER
    while best < enough:
        game.must = left & ~spare & ~KINGS
        possible, still_spare = _refine(game, left, clock, cost, target, spare)
        if not possible:
            break
        game.must = left & ~still_spare & ~KINGS
        value, ended = _search(game, left, clock, cost, target, table, effort, line)
        best = max(best, value)
        if not ended:
            return best, best >= enough
        if value < target:
            break
        target = best + 1
    return best, True


@_kernel
def settle(
    deck: Any,
    position: Any,
    goal: int,
    passes: int,
    stock_waste_pairs: bool,
    max_nodes: int,
    games: Any,
    table: Any,
    line: Any,
) -> tuple[int, int, int]:
    """Settles one position; the entry for other kernels.

    Args:
        deck: int[52], the cards in dealing order.
        position: int64[5], the fields of a `Position` in their order.
        goal: ALL, PYRAMID, SCORE, SHORTEST_ALL or SHORTEST_PYRAMID.
        passes: Passes allowed, not fewer than the position's.
        stock_waste_pairs: Whether the tops of stock and waste may be paired.
        max_nodes: States to search at most.
        games: A `Memory`'s game; what other searches left in it does no harm.
        table: A `Memory`'s.
        line: int64[LINE_SIZE], filled with the number of states of the best line (0: none) and these states.

    Returns:
        SOLVED, IMPOSSIBLE or UNKNOWN; the value (score or moves, best found if unknown; else 0); states searched.
    """
    game, pointer, this_pass, left, cost = games[0], position[2], position[3], 0, 0
    _lay_out(game, deck, stock_waste_pairs)
    for i in range(52):
        bit = 1 << game.slot[i]
        present = position[0] >> i & 1 if i < 28 else position[1] >> (i - 28) & 1
        buried = this_pass == passes and 28 <= i < 28 + pointer
        may_stay = (goal == SHORTEST_PYRAMID and i >= 28) or (goal == SCORE and buried)
        if present and (not bit & KINGS or may_stay):
            left |= bit
        elif present and goal >= SHORTEST_ALL:
            cost += 1
    while pointer < 24 and left & game.stock[pointer] == 0:
        pointer += 1
    game.mode = CLEAR if goal <= SCORE else MOVES
    game.passes = min(passes - this_pass + 1, PASSES)
    game.bonus[:] = 0
    for k in range(this_pass, 4 if goal == SCORE else 0):
        game.bonus[k - this_pass] = BONUS[k - 1]
    if goal == SCORE and position[0] == 0:
        game.bonus[:] = position[4]
    spare = 0 if goal in (ALL, SHORTEST_ALL) else left & ~game.pyramid & ~KINGS
    target = 0 if goal == ALL else -52 if goal <= SCORE else NEVER + 1
    enough = target if goal <= PYRAMID else 50
    effort, line[0] = np.array([0, max_nodes]), 0
    best, proved = _improve(game, left, pointer, cost, spare, target, enough, table, effort, line)
    if goal == SCORE and proved and best < -1 and position[0]:  # a pyramid not cleared leaves two cards at least
        _lay_out(game, deck, stock_waste_pairs)
        game.mode, game.bonus[:] = REMAIN, 0
        more, proved = _improve(game, left, pointer, 0, left & ~KINGS, max(best + 1, -52), 50, table, effort, line)
        best = max(best, more)
    status = UNKNOWN if not proved else SOLVED if best > NEVER else IMPOSSIBLE
    return status, best if goal == SCORE else -best if goal > SCORE else 0, effort[0]


@_kernel
def settle_all(
    decks: Any,
    positions: Any,
    goal: int,
    passes: int,
    stock_waste_pairs: bool,
    max_nodes: int,
    games: Any,
    table: Any,
    line: Any,
    results: Any,
) -> None:
    """Settles many: `settle` for each of decks, int64[N, 52], and positions, int64[N, 5], into results, int64[N, 3]."""
    for i in range(len(decks)):
        results[i] = settle(decks[i], positions[i], goal, passes, stock_waste_pairs, max_nodes, games, table, line)


# --- From Python ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Position:
    """A position of one deal; by default the one just dealt. A redeal keeps the order of the stock."""

    pyramid: int = (1 << 28) - 1  # bit i: card i of the deck, counted from 0, has not been discarded
    stock: int = (1 << 24) - 1  # bit i: card 28 + i of the deck has not been discarded
    pointer: int = 0  # stock cards of lower index are the waste, the highest of them on top; the others the stock
    pass_number: int = 1
    bonus: int = 0  # what clearing the pyramid has earned already


class Move(NamedTuple):
    """One move; `str` gives its text: 'QH+AC', 'KS', 'draw', 'redeal'."""

    kind: Literal["pair", "king", "draw", "redeal"]
    cards: tuple[int, ...] = ()

    def __str__(self) -> str:
        return "+".join("A23456789TJQK"[card % 13] + "CDHS"[card // 13] for card in self.cards) or self.kind


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What is known about a position. It is 'unknown' only where `max_nodes` ended the search."""

    status: Status
    value: int | None  # best score or fewest moves (if unknown, the best found); None for the other goals
    moves: tuple[Move, ...]  # a line that reaches it; empty if none was found
    nodes: int  # states searched


def solve(
    deck: Sequence[int],
    *,
    goal: Goal = "all",
    passes: int = 3,
    stock_waste_pairs: bool = True,
    max_nodes: int | None = None,
    position: Position | None = None,
    memory: Memory | None = None,
) -> Solution:
    """Settles one position exactly.

    Args:
        deck: 52 cards, 13 * suit + rank - 1 each, in dealing order: the pyramid's 28, then the stock from the top.
        goal: 'all' (discard all 52 cards), 'pyramid' (discard its 28), 'score' (highest final score), or the fewest
            moves to reach either of the first two, where each draw, redeal, pair and king is a move.
        passes: Passes through the stock allowed.
        stock_waste_pairs: Whether the tops of stock and waste may be paired.
        max_nodes: States to search at most; None: `MAX_NODES`.
        position: Where to start; None: as dealt.
        memory: Storage to use again; None: new storage.

    Raises:
        ValueError: The game knows no such deck, goal, number of passes or position.
    """
    start, memory, line = position or Position(), memory or new_memory(), np.empty(LINE_SIZE, np.int64)
    results = _solve(np.array(deck)[None], goal, passes, stock_waste_pairs, max_nodes, start, memory, line)
    status, value, nodes = results[0].tolist()
    found, counts = bool(line[0]), GOALS.index(goal) >= SCORE
    moves = _write_out(np.array(deck).tolist(), start, goal, passes, memory.game[0].place, line) if found else []
    return Solution(status=STATUSES[status], value=value if found and counts else None, moves=tuple(moves), nodes=nodes)


def solve_many(
    decks: NDArray[np.integer[Any]],
    *,
    goal: Goal = "all",
    passes: int = 3,
    stock_waste_pairs: bool = True,
    max_nodes: int | None = None,
    memory: Memory | None = None,
) -> NDArray[np.int64]:
    """Settles many deals in one kernel.

    Args:
        decks: Cards, shape (N, 52).
        goal: As in `solve`.
        passes: As in `solve`.
        stock_waste_pairs: As in `solve`.
        max_nodes: As in `solve`, for each deal.
        memory: As in `solve`.

    Returns:
        Shape (N, 3), a row per deal: status (index into `STATUSES`), value (0 for 'all' and 'pyramid'), nodes.

    Raises:
        ValueError: As in `solve`.
    """
    line = np.empty(LINE_SIZE, np.int64)
    return _solve(decks, goal, passes, stock_waste_pairs, max_nodes, Position(), memory or new_memory(), line)


def _solve(
    decks: NDArray[np.integer[Any]],
    goal: Goal,
    passes: int,
    stock_waste_pairs: bool,
    max_nodes: int | None,
    start: Position,
    memory: Memory,
    line: NDArray[np.int64],
) -> NDArray[np.int64]:
    if decks.ndim != 2 or decks.shape[1] != 52 or (np.sort(decks, axis=1) != np.arange(52)).any():
        raise ValueError(f"expected decks of 52 distinct cards 0..51, got {decks.tolist()}")
    if goal not in GOALS:
        raise ValueError(f"expected a goal of {GOALS}, got {goal!r}")
    if not 1 <= start.pass_number <= passes:
        raise ValueError(f"expected 1 <= pass number <= passes, got {start.pass_number} and {passes}")
    if start.pyramid >> 28 or start.stock >> 24 or not 0 <= start.pointer <= 24:
        raise ValueError(f"expected 28 bits of pyramid, 24 of stock, a pointer 0..24, got {start}")
    for i in range(21):
        if not start.pyramid >> i & 1 and any(start.pyramid >> cover & 1 for cover in _covers(i)):
            raise ValueError(f"expected nothing left on a discarded card, got {start} without card {i}")
    results = np.empty((len(decks), 3), np.int64)
    limit = MAX_NODES if max_nodes is None else max_nodes
    positions = np.tile(np.array(astuple(start), np.int64), (len(decks), 1))
    settle_all(
        decks.astype(np.int64),
        positions,
        GOALS.index(goal),
        passes,
        stock_waste_pairs,
        limit,
        memory.game,
        memory.table,
        line,
        results,
    )
    return results


def _covers(i: int) -> tuple[int, ...]:
    """The places of the two cards that cover the pyramid card at place i."""
    row = next(row for row in range(1, 8) if i < row * (row + 1) // 2)
    return (i + row, i + row + 1) if row < 7 else ()


def _write_out(
    deck: list[int], start: Position, goal: Goal, passes: int, place: NDArray[np.int64], line: NDArray[np.int64]
) -> list[Move]:
    """Spells out a line of the search, states of slots, with its draws, redeals and kings."""
    left = {i for i in range(52) if (start.pyramid >> i if i < 28 else start.stock >> (i - 28)) & 1}
    kings = {i for i in left if deck[i] % 13 == 12}
    pointer, this_pass = 28 + start.pointer, start.pass_number
    moves: list[Move] = []

    def discard(*places: int) -> None:
        left.difference_update(places)
        moves.append(Move("pair" if len(places) == 2 else "king", tuple(deck[i] for i in places)))

    def open_places() -> set[int]:
        pyramid = {i for i in left if i < 28 and left.isdisjoint(_covers(i))}
        stock, waste = (i for i in left if i >= pointer), (i for i in left if 28 <= i < pointer)
        return pyramid | {min(stock, default=-1), max(waste, default=-1)} - {-1}

    def discard_kings() -> None:
        # The shortest way to clear the pyramid may leave a king in the waste, or never come to one in the stock.
        while free := {i for i in open_places() & kings if i < 28 or goal != "shortest-pyramid"}:
            discard(free.pop())

    def go_on() -> None:
        nonlocal pointer, this_pass
        top = min((i for i in left if i >= pointer), default=-1)
        if top in kings:
            discard(top)
        elif top >= 0:
            moves.append(Move("draw"))
            pointer = top + 1
        else:
            moves.append(Move("redeal"))
            pointer, this_pass = 28, this_pass + 1

    discard_kings()
    for before, after in pairwise(line[1 : 1 + line[0]].tolist()):
        gone = {int(place[s]) for s in range(52) if (before & ~after) >> s & 1}
        discarded = gone - kings or gone & left  # a lone king: the waste's top
        while not discarded <= open_places():
            go_on()
            discard_kings()
        if discarded:
            discard(*sorted(discarded))
        discard_kings()
        if goal == "pyramid" and min(left, default=28) >= 28:
            return moves
    while goal in ("all", "score", "shortest-all") and any(i in kings and i >= 28 for i in left):
        if this_pass == passes and all(i < pointer for i in left):
            break  # a king buried in the last waste stays
        go_on()
        discard_kings()
    return moves
