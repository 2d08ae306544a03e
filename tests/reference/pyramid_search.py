"""Exhaustive search of Pyramid without any pruning, the oracle of the exact solver; shares no code with it.

Every state that the rules of the game can reach is visited, move by move. `search` is plain Python over tuples and
serves for positions late in a game; `search_deal` does the same over packed words with Numba and bears tens of millions
of states. `replay` is the judge of lines of play.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import njit

BONUS = (50, 35, 20)
COVERS = [(i + row, i + row + 1) for row in range(1, 7) for i in range(row * (row - 1) // 2, row * (row + 1) // 2)]


class State(NamedTuple):
    """A position: cards by their place in the deck, 0..27 in the pyramid."""

    pyramid: frozenset[int]
    stock: tuple[int, ...]  # top first
    waste: tuple[int, ...]  # top last
    pass_number: int = 1
    bonus: int = 0


class Outcome(NamedTuple):
    """What can be reached from a position."""

    score: int
    wins: bool  # all cards can be discarded
    clears: bool  # the pyramid can


START = State(frozenset(range(28)), tuple(range(28, 52)), ())


def rank(card: int) -> int:
    return card % 13 + 1


def left(state: State) -> int:
    return len(state.pyramid) + len(state.stock) + len(state.waste)


def open_places(state: State) -> list[int]:
    uncovered = [i for i in state.pyramid if i > 20 or not state.pyramid.intersection(COVERS[i])]
    return uncovered + list(state.stock[:1]) + list(state.waste[-1:])


def discard(state: State, places: Iterable[int]) -> State:
    pyramid = state.pyramid.difference(places)
    bonus = state.bonus
    if state.pyramid and not pyramid and state.pass_number <= 3:
        bonus = BONUS[state.pass_number - 1]
    stock = tuple(i for i in state.stock if i not in places)
    waste = tuple(i for i in state.waste if i not in places)
    return State(pyramid, stock, waste, state.pass_number, bonus)


def moves(
    deck: list[int], state: State, passes: int, stock_waste_pairs: bool
) -> Iterator[tuple[tuple[str, tuple[int, ...]], State]]:
    """Yields each legal move, kind and cards, with the state after it."""
    places = open_places(state)
    for i in places:
        if rank(deck[i]) == 13:
            yield ("king", (deck[i],)), discard(state, (i,))
        for j in places:
            both_stock = i >= 28 and j >= 28
            if i < j and rank(deck[i]) + rank(deck[j]) == 13 and (stock_waste_pairs or not both_stock):
                yield ("pair", (deck[i], deck[j])), discard(state, (i, j))
    if state.stock:
        yield ("draw", ()), state._replace(stock=state.stock[1:], waste=(*state.waste, state.stock[0]))
    elif state.waste and state.pass_number < passes:
        yield ("redeal", ()), state._replace(stock=state.waste, waste=(), pass_number=state.pass_number + 1)


def replay(deck: list[int], line: Iterable[Any], state: State, passes: int, stock_waste_pairs: bool) -> State:
    """Plays a line of moves, each a kind and its cards in either order; fails on an illegal one."""
    for kind, cards in line:
        legal = {
            (name, frozenset(those)): after for (name, those), after in moves(deck, state, passes, stock_waste_pairs)
        }
        assert (kind, frozenset(cards)) in legal, f"{kind} {cards} is illegal in {state}"
        state = legal[kind, frozenset(cards)]
    return state


def search(deck: list[int], start: State, passes: int, stock_waste_pairs: bool) -> Outcome:
    """Visits every state that can be reached from `start`."""
    layer, seen = [start], {start}
    while layer:
        after = {new for state in layer for _, new in moves(deck, state, passes, stock_waste_pairs)}
        layer = list(after - seen)
        seen |= after
    score = max(state.bonus - left(state) for state in seen)
    return Outcome(score, any(not left(state) for state in seen), any(not state.pyramid for state in seen))


# --- The same over packed words ---------------------------------------------------------------------------------------
# Bits 0..27 pyramid, 28..51 stock cards not discarded, 52..56 the place behind the waste's top, 57..59 pass - 1, 60..61
# which bonus was earned (0: none).


@njit(cache=True)
def _next_states(deck, word, passes, stock_waste_pairs, out):
    drawn, this_pass = word >> 52 & 31, word >> 57 & 7
    places = np.empty(9, np.int64)
    n = 0
    row, i = 1, 0
    while row <= 7:
        for _ in range(row):
            if word >> i & 1 and (row == 7 or not (word >> (i + row) & 1 or word >> (i + row + 1) & 1)):
                places[n] = i
                n += 1
            i += 1
        row += 1
    stock = waste = -1
    for i in range(28, 52):
        if word >> i & 1:
            if i < 28 + drawn:
                waste = i
            elif stock < 0:
                stock = i
    for i in (stock, waste):
        if i >= 0:
            places[n] = i
            n += 1
    found = 0
    for a in range(n):
        for b in range(a, n):
            i, j = places[a], places[b]
            ranks = deck[i] % 13 + 1 + (deck[j] % 13 + 1 if a != b else 0)
            if ranks != 13 or (i >= 28 and j >= 28 and i != j and not stock_waste_pairs):
                continue
            new = word & ~(1 << i) & ~(1 << j)
            while new >> 52 & 31 and not new >> 27 + (new >> 52 & 31) & 1:
                new -= 1 << 52
            if word & 0xFFFFFFF and not new & 0xFFFFFFF and this_pass < 3:
                new |= (this_pass + 1) << 60
            out[found] = new
            found += 1
    if stock >= 0:
        out[found] = word & ~(31 << 52) | (stock - 27) << 52
        found += 1
    elif waste >= 0 and this_pass + 1 < passes:
        out[found] = word & ~(255 << 52) | (this_pass + 1) << 57
        found += 1
    return found


@njit(cache=True)
def _search_words(deck, start, passes, stock_waste_pairs, seen, queue):
    """Breadth first; `seen` an empty hash table of 2**k words, `queue` for as many states as it may hold."""
    bonus = (0, 50, 35, 20)
    out = np.empty(64, np.int64)
    score, wins, clears = -52, False, False
    queue[0] = start
    head, end = 0, 1
    while head < end:
        word = queue[head]
        head += 1
        cards = 0
        for i in range(52):
            cards += word >> i & 1
        score = max(score, bonus[word >> 60 & 3] - cards)
        wins |= cards == 0
        clears |= word & 0xFFFFFFF == 0
        for k in range(_next_states(deck, word, passes, stock_waste_pairs, out)):
            at = (out[k] ^ out[k] >> 29) * 0x9E3779B97F4A7C1 >> 20 & len(seen) - 1
            while seen[at] and seen[at] != out[k] + 1:
                at = at + 1 & len(seen) - 1
            if not seen[at]:
                if end == len(queue):
                    return -1, score, wins, clears
                seen[at] = out[k] + 1
                queue[end] = out[k]
                end += 1
    return end, score, wins, clears


def search_deal(
    deck: list[int], passes: int, stock_waste_pairs: bool, start: State = START, log2_states: int = 24
) -> Outcome | None:
    """As `search`, for more states; None if there are more than 2**log2_states of them (17 bytes each)."""
    assert passes <= 8, "the packed word has room for 8 passes"
    word = sum(1 << i for i in (*start.pyramid, *start.stock, *start.waste))
    drawn = max(start.waste, default=27) - 27
    bonus = BONUS.index(start.bonus) + 1 if start.bonus else 0
    word |= drawn << 52 | (start.pass_number - 1) << 57 | bonus << 60
    seen, queue = np.zeros(2 << log2_states, np.int64), np.empty(1 << log2_states, np.int64)
    count, score, wins, clears = _search_words(np.array(deck), word, passes, stock_waste_pairs, seen, queue)
    return None if count < 0 else Outcome(int(score), bool(wins), bool(clears))
