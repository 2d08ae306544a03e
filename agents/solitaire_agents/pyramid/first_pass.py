"""The positions of pass 1 of Pyramid that a bound on fair players needs, and the moves between them.

`fair_bound` says which moves these are, and why they are enough.
"""

from typing import Any, Final, NamedTuple

from solitaire_agents.bits import index_of
from solitaire_agents.pyramid.solver.relaxation import partners_of, uncovered
from solitaire_agents.pyramid.solver.settle import ALL, ask, cards_left
from solitaire_agents.pyramid.solver.tables import GROUPS, INFEASIBLE, KINGS, PAIRS_IN, lay_out, match_all
from solitaire_envs.jit import entry_point, kernel

MOST_WAYS: Final = 4_096
"""Sets of pairs within the pyramid that are looked at in one position, at most."""
NOT_THERE: Final = -1


class Positions(NamedTuple):
    """The positions of pass 1 of a deal, and the moves between them: [n], in the order in which they are found."""

    left: Any  # int64: the cards left, as slots of the solver, without kings
    place: Any  # int64: the index of the stock's top in the stock of the start
    drawn: Any  # int64: the position after the stock's top is drawn, or discarded as a king; -1: all is known here
    paired: Any  # int64: the position after the tops of stock and waste are discarded; -1: they are no pair
    end: Any  # int64: where in `after` those end that follow without a new card; they begin where the last one's end
    after: Any  # int64 [moves]: positions
    came: Any  # bool: whether a card has just turned up


class Storage(NamedTuple):
    """Working storage for one thread."""

    keys: Any  # int64: positions whole, cards left and place in one word; -1: free
    numbers: Any  # int64: the number of each
    waiting: Any  # int64: the cards left in the positions of the next place
    ways: Any  # int64 [MOST_WAYS]: the cards left after some pairs within the pyramid
    opened: Any  # int64 [MOST_WAYS]: the cards of the pyramid that lay open before the last of these pairs
    results: Any  # int64 [MOST_WAYS]


@kernel
def pose(problem: Any, state: Any, goal: int, rules: Any) -> tuple[int, int, int]:
    """States the problem of a win for the solver; returns the cards left, those that may stay, and the stock's top."""
    lay_out(problem, state, rules)
    left, pointer = cards_left(problem, state, goal, rules)
    ask(problem, state, goal, rules)
    spare = 0 if goal == ALL else left & ~problem.pyramid & ~KINGS
    problem.must = left & ~spare & ~KINGS
    problem.generation += 1
    match_all(problem, left, spare)
    return left, spare, pointer


@kernel
def _enter(storage: Any, left: int, place: int, n: int) -> int:
    """Returns the number of a position among those of its place; that is `n` if it is new."""
    keys, key = storage.keys, left << 5 | place
    at = int(key % len(keys))
    while keys[at] != NOT_THERE and keys[at] != key:
        at = at + 1 if at + 1 < len(keys) else 0
    if keys[at] == NOT_THERE:
        keys[at], storage.numbers[at] = key, n
    return int(storage.numbers[at])


@kernel
def _waste_top(problem: Any, left: int, place: int) -> Any:
    """Returns the waste's top card that is no king; 0 if there is none."""
    for i in range(place - 1, -1, -1):
        if left & problem.stock[i]:
            return left & problem.stock[i]
    return 0


@kernel
def _pairs(problem: Any, left: int, opened: int, g: int) -> Any:
    """Returns the pairs of group g among the open cards, without those after which the rest cannot be paired off."""
    return problem.allowed[g, left >> 8 * g & 255] & PAIRS_IN[opened >> 8 * g & 255]


@kernel
def _is_pair(problem: Any, left: int, waste: int, top: int) -> bool:
    """Returns whether the tops of waste and stock can be discarded with each other."""
    g = index_of(top) >> 3
    return bool(waste and index_of(waste) >> 3 == g and _pairs(problem, left, waste | top, g))


@kernel
def _cards(g: int, pair: int) -> int:
    """Returns the two cards of a pair, given as a bit of `_pairs`."""
    k = index_of(pair)
    return int((1 << (k >> 2) | 16 << (k & 3)) << 8 * g)


@kernel
def _matches(problem: Any, left: int, top: int, storage: Any) -> Any:
    """Writes the cards left after each way to discard the waste's top with a card of the pyramid.

    Pairs within the pyramid may come first, but only such as uncover that card: nothing that lies open already, or lies
    open without the last of these pairs, is worth them.

    Args:
        problem: The problem, with its tables filled.
        left: The cards left.
        top: The waste's top.
        storage: `Storage`; the results are written to it.

    Returns:
        Their number; -1 if there is no room.
    """
    ways, opened, results = storage.ways, storage.opened, storage.results
    ways[0], opened[0], n, found, k = left, 0, 1, 0, 0
    while k < n:
        here = ways[k]
        partners, open_now = (
            partners_of(problem, here, index_of(top)) & problem.pyramid,
            uncovered(problem, here & problem.pyramid, here),
        )
        targets = partners & open_now & ~opened[k]
        while targets:
            if found == len(results):
                return NOT_THERE
            results[found], found = here & ~top & ~(targets & -targets), found + 1
            targets &= targets - 1
        for g in range(GROUPS if partners & ~open_now else 0):
            pairs = _pairs(problem, here, open_now, g)
            while pairs:
                then = here & ~_cards(g, pairs & -pairs)
                pairs &= pairs - 1
                at = n - 1  # ways with fewer cards come later
                while at > k and ways[at] != then:
                    at -= 1
                if at == k:
                    if n == len(ways):
                        return NOT_THERE
                    at, n = n, n + 1
                    ways[at], opened[at] = then, 0
                opened[at] |= open_now
        k += 1
    return found


@kernel
def _is_over(problem: Any, left: int, spare: int) -> bool:
    """Returns whether a position is won, or lost wherever the hidden cards lie."""
    for g in range(GROUPS):
        if problem.least[g, left >> 8 * g & 255] >= INFEASIBLE:
            return True
    return left & ~spare == 0


@kernel
def _list_positions(  # noqa: PLR0912  # one loop over places
    problem: Any, spare: int, place: int, last: int, found: Any, storage: Any
) -> int:
    """Lists the positions from a start, whose cards are `storage.waiting[0]`; returns their number, -1: no room.

    Args:
        problem: The problem, with its tables filled.
        spare: The cards that may stay.
        place: The stock's top at the start.
        last: The first place of the stock's top at which all is known.
        found: `Positions`, written to.
        storage: `Storage`.
    """
    first, moves, waiting, room = 0, 0, 1, len(found.left)
    storage.keys[:] = NOT_THERE
    while waiting:
        number, k, top = waiting, 0, problem.stock[place]
        if first + number > room:
            return NOT_THERE
        for k in range(number):
            found.left[first + k], found.came[first + k] = storage.waiting[k], first > 0
        waiting = k = 0
        while k < number:  # it grows
            at, here = first + k, found.left[first + k]
            found.place[at], found.drawn[at], found.paired[at] = place, NOT_THERE, NOT_THERE
            waste = 0 if top & KINGS else _waste_top(problem, here, place)
            if place < last and not _is_over(problem, here, spare):
                found.drawn[at], waiting = _wait(storage, here, place + 1, waiting)
                if _is_pair(problem, here, waste, top):
                    found.paired[at], waiting = _wait(storage, here & ~waste & ~top, place + 1, waiting)
                ways = _matches(problem, here, waste, storage) if waste else 0
                if ways == NOT_THERE or first + number + ways > room or moves + ways > len(found.after):
                    return NOT_THERE
                for w in range(ways):
                    child = _enter(storage, storage.results[w], place, number)
                    if child == number:
                        found.left[first + child], found.came[first + child] = storage.results[w], False
                        number += 1
                    found.after[moves], moves = first + child, moves + 1
            found.end[at] = moves
            if waiting + 2 > len(storage.waiting):
                return NOT_THERE
            k += 1
        for at in range(first, first + number):
            if found.drawn[at] != NOT_THERE:
                found.drawn[at] += first + number
            if found.paired[at] != NOT_THERE:
                found.paired[at] += first + number
        first, place = first + number, place + 1
    return first


@kernel
def _wait(storage: Any, left: int, place: int, waiting: int) -> tuple[int, int]:
    """Returns the number of a position of the next place, and how many are waiting there."""
    number = _enter(storage, left, place, waiting)
    if number == waiting:
        storage.waiting[number], waiting = left, waiting + 1
    return number, waiting


@entry_point("fair bound")
def list_all(state: Any, goal: int, rules: Any, memory: Any, found: Any, storage: Any) -> int:
    """Lists the positions of pass 1 from a state, one record [1]; returns as `_list_positions`."""
    problem = memory.problems[0]
    left, spare, _ = pose(problem, state[0], goal, rules[0])
    storage.waiting[0] = left
    place = state[0].waste_size
    last = max(place, problem.talon - 2) if state[0].current_pass == 1 else place
    return _list_positions(problem, spare, place, last, found, storage)
