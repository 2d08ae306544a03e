"""Exhaustive search of La tour infernale without any pruning, the oracle of the exact solver; shares no code with it.

Every state that the rules of the game can reach is visited, so this serves for few cards, or late in a game. Cards are
numbers 0..51, 13 * suit + rank - 1. The order of the piles is forgotten, as is which of two empty piles a card went to.
`next_states` is the judge of lines of play; `winnable` has the same rules over packed words with Numba, depth first.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit


class State(NamedTuple):
    """A position: each pile from its bottom, the piles sorted; stock and waste with their tops last."""

    piles: tuple[tuple[int, ...], ...]
    foundations: tuple[int, ...]
    stock: tuple[int, ...]
    waste: tuple[int, ...]
    pass_number: int = 1


def won(state: State) -> bool:
    return state.foundations == (13, 13, 13, 13)


def put(piles: tuple[tuple[int, ...], ...], place: int, card: int | None) -> tuple[tuple[int, ...], ...]:
    """Puts a card on a pile, or takes the top away."""
    pile = piles[place][:-1] if card is None else (*piles[place], card)
    return (*piles[:place], pile, *piles[place + 1 :])


def next_states(state: State, passes: int) -> Iterator[State]:
    if state.stock:
        yield state._replace(stock=state.stock[:-1], waste=(*state.waste, state.stock[-1]))
    elif state.waste and state.pass_number < passes:
        yield state._replace(stock=state.waste[::-1], waste=(), pass_number=state.pass_number + 1)
    sources = [(pile[-1], put(state.piles, i, None), state.waste) for i, pile in enumerate(state.piles) if pile]
    if state.waste:
        sources.append((state.waste[-1], state.piles, state.waste[:-1]))
    for card, piles, waste in sources:
        suit, rank = divmod(card, 13)
        if state.foundations[suit] == rank:
            raised = tuple(height + (i == suit) for i, height in enumerate(state.foundations))
            yield state._replace(piles=tuple(sorted(piles)), foundations=raised, waste=waste)
        for i, pile in enumerate(piles):
            if not pile or pile[-1] % 13 == rank + 1:
                yield state._replace(piles=tuple(sorted(put(piles, i, card))), waste=waste)


def fewest_moves(start: State, max_states: int) -> int | None:
    """Moves to a win, with redeals without limit; None: too many states."""
    layer = {start._replace(piles=tuple(sorted(start.piles)))}
    seen, moves = set(layer), 0
    while not any(won(state) for state in layer):
        if len(seen) > max_states:
            return None
        after = {state._replace(pass_number=1) for before in layer for state in next_states(before, passes=2)}
        layer, moves = after - seen, moves + 1
        seen |= layer
    return moves


# --- Depth first, over packed words -----------------------------------------------------------------------------------
# A row: the piles, sorted; then bits 0..15 how many cards each foundation has, 16..23 how many cards of the order of
# drawing lie before the stock, 24.. the pass; then bit k for card k of the order, if it is in stock or waste. A pile:
# bits 0..3 its size, 4..7 the rank of its bottom card, then the suits from there. Rows are compared, not only hashed.


@njit(cache=True)
def _moved(row, source, target, card, after):
    """Writes the row after a card goes from a pile, or the waste, to a pile, or its foundation, which is the last."""
    after[:] = row
    last = len(row) - 2
    suit, rank = card // 13, card % 13
    if source == last:
        drawn = row[last] >> 16 & 255
        while row[last + 1] >> (drawn - 1) & 1 == 0:
            drawn -= 1
        after[last + 1] ^= 1 << (drawn - 1)
    else:
        size = (row[source] & 15) - 1
        after[source] = row[source] - 1 & ~(-1 << (8 + 2 * size)) if size else 0
    if target == last:
        after[last] += 1 << 4 * suit
    else:
        size = after[target] & 15
        after[target] = after[target] + 1 | suit << (8 + 2 * size) if size else 1 | rank << 4 | suit << 8
    for end in range(1, last):
        for i in range(end, 0, -1):
            if after[i - 1] > after[i]:
                after[i - 1], after[i] = after[i], after[i - 1]


@njit(cache=True)
def _top(pile):
    size = pile & 15
    return 13 * (pile >> (6 + 2 * size) & 3) + (pile >> 4 & 15) - size + 1 if size else -1


@njit(cache=True)
def _next_rows(order, row, passes, afters):
    """Writes the rows after each legal move, draws first and moves to foundations last; returns their number."""
    last = len(row) - 2
    drawn, this_pass, left = row[last] >> 16 & 255, row[last] >> 24, row[last + 1]
    stock, waste, n = drawn, drawn - 1, 0
    while stock < len(order) and left >> stock & 1 == 0:
        stock += 1
    while waste >= 0 and left >> waste & 1 == 0:
        waste -= 1
    if stock < len(order):
        afters[n] = row
        afters[n, last] += stock + 1 - drawn << 16
        n += 1
    elif waste >= 0 and this_pass < passes:
        afters[n] = row
        afters[n, last] += (1 << 24) - (drawn << 16)
        n += 1
    for to_foundation in (False, True):
        for source in range(last + 1):
            card = order[waste] if source == last and waste >= 0 else _top(row[source]) if source < last else -1
            if card < 0:
                continue
            if to_foundation:
                if row[last] >> 4 * (card // 13) & 15 == card % 13:
                    _moved(row, source, last, card, afters[n])
                    n += 1
                continue
            for target in range(last):
                top = _top(row[target])
                if top % 13 == card % 13 + 1 if top >= 0 else source == last or row[source] & 15 > 1:
                    _moved(row, source, target, card, afters[n])
                    n += 1
    return n


@njit(cache=True)
def _search_rows(order, start, passes, rows, table, stack):
    """Returns 1 for a win, 0 for none, -1 if there are more rows than fit."""
    afters = np.empty((64, len(start)), np.int64)
    rows[0], stack[0], found, depth = start, 0, 1, 1
    while depth:
        depth -= 1
        n = _next_rows(order, rows[stack[depth]], passes, afters)
        for k in range(n):
            after = afters[k]
            mixed = 0
            for word in after:
                mixed = (mixed ^ word) * 0x9E3779B97F4A7C1
                mixed ^= mixed >> 31
            at = mixed & len(table) - 1
            while table[at]:
                other = rows[table[at] - 1]
                same = True
                for i in range(len(after)):
                    same &= other[i] == after[i]
                if same:
                    break
                at = at + 1 & len(table) - 1
            if table[at]:
                continue
            if after[-2] & 0xFFFF == 0xDDDD:
                return 1
            if found == len(rows):
                return -1
            rows[found], table[at], stack[depth] = after, found + 1, found
            found, depth = found + 1, depth + 1
    return 0


def winnable(start: State, passes: int, max_states: int) -> bool | None:
    """Whether a position can be won; None: too many states."""
    if won(start):
        return True
    order = [*start.waste, *reversed(start.stock)]
    piles = [
        len(pile) | (pile[0] % 13) << 4 | sum(card // 13 << (8 + 2 * i) for i, card in enumerate(pile)) if pile else 0
        for pile in start.piles
    ]
    counts = sum(height << 4 * suit for suit, height in enumerate(start.foundations))
    counts |= len(start.waste) << 16 | start.pass_number << 24
    row = np.array([*sorted(piles), counts, (1 << len(order)) - 1])
    rows, stack = np.empty((max_states, len(row)), np.int64), np.empty(max_states, np.int64)
    table = np.zeros(1 << (2 * max_states).bit_length(), np.int64)
    found = _search_rows(np.array(order, np.int64), row, passes, rows, table, stack)
    return None if found < 0 else found > 0
