"""One exact search for every declared game, all cards known, by the game's own kernels.

It looks at the position with the highest value next, and never twice at one position. A position is known by its key,
which says of each card what it lies on. So the order of piles and cells makes no difference, nothing is sorted, and
equal keys are equal positions: a proof of a loss rests on no hash.

Three dominances leave out moves that no win needs. `Dominances` says when each of them holds; its docstring has the
proofs.
"""

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.piles.dominances import Dominances, safe_moves_of
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.game import NO_LIMIT, Game
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.piles.shape import EMPTY, PileShape, fitting

STOPPED, WON, LOST = range(3)
"""What a search says."""
MOST_MOVES: Final = 1_000
"""Most moves of a line. Where a search comes to longer ones, it proves no loss."""
LEVELS: Final = 16_384
"""Numbers of values; higher and lower ones count as the highest and the lowest."""
_BITS, _IN_A_WORD = 6, 10
_UNDERMOST, _DOWN, _CELL, _RESERVE, _WASTE, _STOCK = range(NUM_CARDS + 1, NUM_CARDS + 7)
"""Codes of a key for cards that lie on no face-up card of the tableau. 0: on a foundation or in the hole."""
_END, _ALL_DOWN = NUM_CARDS + 1, NUM_CARDS + 2
"""Codes of a key of faces: a pile ends; the cards of the pile so far lie face down."""


def key_words(shape: PileShape) -> int:
    """Returns the words of a key, of which each has ten codes of six bits.

    Where piles only shrink, as in Golf: their heights; the cells; and the hole's rank with the size of the stock. Else,
    where no cards look alike: what each card lies on; the pass, the hole's rank and whether a draw came last; and,
    while cards of the stock are still to be dealt to the piles, which of them is where. Else: faces, place by place.
    """
    if only_shrinks(shape):
        return 3
    if shape.pack.copies == 1:
        return 7
    return -(-(shape.pack.number + 2 * shape.places.waste + 5) // _IN_A_WORD)


def only_shrinks(shape: PileShape) -> bool:
    """Returns whether no pile ever gets a card, all lie face up, and the heights of the piles fit into a word."""
    n, t, places = shape.sizes, shape.game.tableau, shape.places
    gets_none = shape.hole is not None and n.fits == 0 and t.spaces == "none" and places.reserve == places.waste
    return gets_none and not (n.downs or t.refill) and n.piles * n.rows.bit_length() <= 64


class Memory(NamedTuple):
    """Storage for the positions of one search at a time. There is room for N of them."""

    keys: NDArray[np.uint64]  # [N, words]
    parents: NDArray[np.int32]  # [N]: the position before; -1 for the first
    actions: NDArray[np.int16]  # [N]: the move that led here
    depths: NDArray[np.int16]  # [N]: the moves that led here from the first
    following: NDArray[np.int32]  # [N]: the next position of the same value; -1 for the last
    table: NDArray[np.int32]  # hash table of the positions, plus one
    heads: NDArray[np.int32]  # [LEVELS]: the first position of each value that is to be looked at; -1: there is none
    line: NDArray[np.int16]  # [MOST_MOVES]


def new_memory(shape: PileShape, positions: int) -> Memory:
    """Allocates storage for a number of positions. Pages that no search reaches take no memory."""
    return Memory(
        np.zeros((positions, key_words(shape)), np.uint64),
        np.zeros(positions, np.int32),
        np.zeros(positions, np.int16),
        np.zeros(positions, np.int16),
        np.zeros(positions, np.int32),
        np.zeros(1 << (2 * positions).bit_length(), np.int32),
        np.zeros(LEVELS, np.int32),
        np.zeros(MOST_MOVES, np.int16),
    )


@cache
def make_search(game: Game, shape: PileShape, dominances: Dominances) -> Any:  # noqa: PLR0915  # short kernels
    """Makes the search of a declared game."""
    legal, apply, t = game.legal, game.apply, shape.game.tableau
    PILES, ROWS, DOWN, STOCK = shape.sizes.piles, shape.sizes.rows, shape.sizes.downs > 0, shape.sizes.stock
    CELL, RESERVE, WASTE, FOUNDATION, _ = shape.places
    DRAW, REDEAL, ACTIONS = shape.actions.draw, shape.actions.redeal, shape.actions.total
    STACKED, HOLE, TO_WASTE, RETURNS = shape.sizes.stacked, shape.hole is not None, shape.to_waste, shape.returns
    TO_TABLEAU = shape.game.stock is not None and shape.game.stock.to == "tableau"
    SAFE, LATE = dominances
    is_safe, safe_move = safe_moves_of(shape)
    FIRST_DOWN = np.concatenate([[0], np.cumsum(shape.face_down)[:-1]])
    CODES, LINES, COPIES, RANK, LINE, NEXT_UP = (
        getattr(shape.pack, name) for name in ("codes", "lines", "copies", "rank", "line", "next_up")
    )
    FACE, WORDS = shape.pack.face, key_words(shape)
    BY_CARD = not HOLE and not shape.takes_runs and COPIES == 1  # each to a foundation of its own
    SHRINKS, BITS_OF_HEIGHT = only_shrinks(shape), ROWS.bit_length()
    JOINED = np.zeros((CODES, CODES), np.bool_)
    for card, on_it in enumerate(fitting(shape.pack, t.run or t.build)):
        JOINED[card, on_it] = True
    JOINED[EMPTY, :] = True

    # --- Positions

    @kernel
    def note(key: Any, card: int, code: int) -> None:
        """Writes what a card lies on."""
        if SHRINKS:
            if code == _CELL:
                key[1] |= np.uint64(1) << np.uint64(card)
        elif COPIES == 1:
            write(key, card - 1, code)

    @kernel
    def write(key: Any, place: int, code: int) -> int:
        """Writes a code; returns the next place."""
        key[place // _IN_A_WORD] |= np.uint64(code) << np.uint64(_BITS * (place % _IN_A_WORD))
        return place + 1

    @kernel
    def look(rules: Any, state: Any, drawn: bool, weights: Any, key: Any) -> int:
        """Writes the key of a position; returns its value."""
        for word in range(WORDS):
            key[word] = 0
        value = look_at_piles(state, weights, key)
        for cell in range(CELL, RESERVE):
            card = state.tops[cell]
            if card == EMPTY:
                value += weights.free_cell
            else:
                note(key, card, _CELL)
        if STACKED:
            for place in range(state.reserve_size):
                note(key, state.reserve[place], _RESERVE)
            value -= weights.down * state.reserve_size
        else:
            for place in range(RESERVE, WASTE):
                if state.tops[place] != EMPTY:
                    note(key, state.tops[place], _RESERVE)
        if STOCK:
            look_at_stock(rules, state, key)
            value -= weights.stock * state.stock_size
        if HOLE:
            key[2 if SHRINKS else 5] |= np.uint64(RANK[state.tops[FOUNDATION]]) << np.uint64(24)
        else:
            for line in range(LINES):
                value += weights.up * state.foundations[line]
        if SHRINKS:
            for pile in range(PILES):
                key[0] |= np.uint64(state.heights[pile]) << np.uint64(BITS_OF_HEIGHT * pile)
            if STOCK:
                key[2] |= np.uint64(state.stock_size)
        elif COPIES == 1:
            key[5] |= np.uint64(drawn) << np.uint64(28)
        else:
            write_faces(rules, state, drawn, key)
        return int(value)

    @kernel
    def write_faces(rules: Any, state: Any, drawn: bool, key: Any) -> None:
        """Writes what lies where by faces: piles in a fixed order of their cards if their own order means nothing."""
        at, last = write(key, 0, drawn), -1
        for k in range(PILES):
            pile = k
            if not TO_TABLEAU or state.stock_size == 0:
                pile = last = next_pile(state, last)
            at = write_pile(state, pile, key, at)
        for place in range(CELL, WASTE):
            if STACKED:
                if place == RESERVE:
                    for each in range(state.reserve_size):
                        at = write(key, at, FACE[state.reserve[each]])
                    at = write(key, at, _END)
                    continue
            at = write(key, at, FACE[state.tops[place]])
        if STOCK:
            first = STOCK - state.stock_size
            if TO_WASTE:
                first = STOCK
                for place in range(STOCK, STOCK + state.waste_size):
                    at = write(key, at, FACE[state.talon[place]])
                at, first = write(key, at, _END), STOCK + state.waste_size
                if rules.passes != NO_LIMIT:
                    at = write(key, write(key, at, state.current_pass & 63), state.current_pass >> 6)
            for place in range(first, first + state.stock_size):
                at = write(key, at, FACE[state.talon[place]])

    @kernel
    def write_pile(state: Any, pile: int, key: Any, at: int) -> int:
        if DOWN:
            for place in range(FIRST_DOWN[pile], FIRST_DOWN[pile] + state.downs[pile]):
                at = write(key, at, FACE[state.face_down[place]])
            at = write(key, at, _ALL_DOWN)
        for place in range(ROWS * pile, ROWS * pile + state.heights[pile]):
            at = write(key, at, FACE[state.tableau[place]])
        return write(key, at, _END)

    @kernel
    def next_pile(state: Any, last: int) -> int:
        """Returns the pile that comes after one in the order of their cards; after -1, the first."""
        best = -1
        for pile in range(PILES):
            if last >= 0:
                if not comes_before(state, last, pile):
                    continue
            if best < 0 or comes_before(state, pile, best):
                best = pile
        return best

    @kernel
    def comes_before(state: Any, one: int, other: int) -> bool:
        """Returns whether a pile comes before another; of equal piles, the one with the lower number."""
        if DOWN:
            if state.downs[one] != state.downs[other]:
                return bool(state.downs[one] < state.downs[other])
            for row in range(state.downs[one]):
                a, b = state.face_down[FIRST_DOWN[one] + row], state.face_down[FIRST_DOWN[other] + row]
                if FACE[a] != FACE[b]:
                    return bool(FACE[a] < FACE[b])
        for row in range(min(state.heights[one], state.heights[other])):
            a, b = state.tableau[ROWS * one + row], state.tableau[ROWS * other + row]
            if FACE[a] != FACE[b]:
                return bool(FACE[a] < FACE[b])
        if state.heights[one] != state.heights[other]:
            return bool(state.heights[one] < state.heights[other])
        return one < other

    @kernel
    def look_at_piles(state: Any, weights: Any, key: Any) -> int:
        value = 0
        for pile in range(PILES):
            below, lowest = EMPTY, NUM_RANKS + 1
            if DOWN:
                for place in range(FIRST_DOWN[pile], FIRST_DOWN[pile] + state.downs[pile]):
                    below = state.face_down[place]
                    note(key, below, _DOWN)
                    lowest = min(lowest, RANK[below])
                value -= weights.down * state.downs[pile]
            if state.heights[pile] == 0:
                value += weights.space
            elif TO_TABLEAU and COPIES == 1:
                if state.stock_size > 0 and below == EMPTY:
                    key[6] |= np.uint64(state.tableau[ROWS * pile]) << np.uint64(_BITS * pile)
            for place in range(ROWS * pile, ROWS * pile + state.heights[pile]):
                card = state.tableau[place]
                note(key, card, below if below != EMPTY else _UNDERMOST)
                if RANK[card] > lowest:
                    value -= weights.blocked
                else:
                    lowest = RANK[card]
                value -= weights.broken * (not JOINED[below, card])
                if BY_CARD:
                    if state.foundations[LINE[card]] == RANK[card] - 1:
                        value -= weights.buried * (ROWS * pile + state.heights[pile] - 1 - place)
                below = card
            if HOLE:
                value -= weights.up * state.heights[pile]
        return value

    @kernel
    def look_at_stock(rules: Any, state: Any, key: Any) -> None:
        if TO_WASTE:
            for place in range(STOCK, STOCK + state.waste_size):
                note(key, state.talon[place], _WASTE)
            for place in range(STOCK + state.waste_size, STOCK + state.waste_size + state.stock_size):
                note(key, state.talon[place], _STOCK)
            if COPIES == 1 and rules.passes != NO_LIMIT:
                key[5] |= np.uint64(state.current_pass) << np.uint64(2 * _BITS)
        else:
            for place in range(STOCK - state.stock_size, STOCK):
                note(key, state.talon[place], _STOCK)

    @kernel
    def is_new(memory: Any, size: int, node: int) -> bool:
        """Puts a node into a table of some size, unless one with its key is there; returns whether it is new."""
        h = np.uint64(0)
        for word in range(WORDS):
            h = (h ^ memory.keys[node, word]) * np.uint64(0x9E3779B97F4A7C15)
            h ^= h >> np.uint64(29)
        last = size - 1
        slot = np.int64(h & np.uint64(last))
        while memory.table[slot] != 0:
            other, same = memory.table[slot] - 1, True
            for word in range(WORDS):
                same &= memory.keys[other, word] == memory.keys[node, word]
            if same:
                return False
            slot = (slot + 1) & last
        memory.table[slot] = node + 1
        return True

    # --- Dominances

    @kernel
    def is_needless(state: Any, after: Any, action: int, drawn: bool) -> bool:
        """Returns whether a move between two positions is left out: it could have come before a draw, or it is idle."""
        if LATE:
            if drawn and action > max(DRAW, REDEAL) and after.waste_size == state.waste_size:
                return True
        if SAFE and RETURNS:
            for suit in range(4):
                if after.foundations[suit] < state.foundations[suit]:
                    return bool(is_safe(after, NEXT_UP[suit, after.foundations[suit], 0]))
        return False

    # --- The search

    @kernel
    def copy_row(rows: Any, source: int, target: int) -> None:
        for word in range(rows.shape[1]):
            rows[target, word] = rows[source, word]

    @kernel
    def is_a_draw(action: int) -> bool:
        if STOCK:
            return action in (DRAW, REDEAL)
        return False

    @kernel
    def write_line(memory: Any, node: int) -> int:
        """Writes the moves that lead to a node; returns their number."""
        at = node
        while memory.depths[at] > 0:
            memory.line[memory.depths[at] - 1] = memory.actions[at]
            at = memory.parents[at]
        return int(memory.depths[node])

    @kernel
    def go_to(rules: Any, states: Any, rows: Any, memory: Any, node: int) -> None:
        """Plays the moves that lead to a node, from the first record to the second."""
        copy_row(rows, 0, 1)
        for i in range(write_line(memory, node)):
            apply(rules, states[1], memory.line[i])

    @kernel
    def add(memory: Any, node: int, parent: int, action: int, value: int) -> int:
        """Adds a node to those to be looked at; returns its place among the values."""
        place = min(max(LEVELS // 2 + value, 0), LEVELS - 1)
        memory.parents[node], memory.actions[node] = parent, action
        memory.depths[node] = memory.depths[parent] + 1 if parent >= 0 else 0
        memory.following[node], memory.heads[place] = memory.heads[place], node
        return place

    @entry_point(game.name)
    def search(
        all_rules: Any, weights: Any, states: Any, rows: Any, mask: Any, memory: Any, limit: int
    ) -> tuple[int, int, int]:
        """Searches from the first of three records; the other two are working storage.

        Args:
            all_rules: The rules record, [1].
            weights: `SearchWeights`.
            states: Records of the state, [3].
            rows: The same as words, uint64 [3, n].
            mask: bool [A], working storage.
            memory: `Memory`.
            limit: Most positions.

        Returns:
            `WON`, `LOST` or `STOPPED`; the number of positions; and the length of the line that wins.
        """
        rules = all_rules[0]
        size = 2
        while size < 2 * limit and size < len(memory.table):
            size *= 2
        memory.table[:size] = 0
        memory.heads[:] = -1
        value = look(rules, states[0], False, weights, memory.keys[0])
        is_new(memory, size, 0)
        nodes, best, last, none_left = 1, add(memory, 0, -1, -1, value), -1, LOST
        while True:
            while best >= 0 and memory.heads[best] < 0:
                best -= 1
            if best < 0:
                return none_left, nodes, 0
            node = memory.heads[best]
            memory.heads[best] = memory.following[node]
            if node > 0 and memory.parents[node] == last:
                apply(rules, states[1], memory.actions[node])
            else:
                go_to(rules, states, rows, memory, node)
            last = node
            drawn = LATE and node > 0 and is_a_draw(memory.actions[node])
            legal(rules, states[1], mask)
            only = -1
            if SAFE and not drawn:
                only = safe_move(rules, states[1], mask)
            for action in range(ACTIONS):
                if not mask[action] or (only >= 0 and action != only):
                    continue
                copy_row(rows, 1, 2)
                reward = apply(rules, states[2], action)
                if reward > 0:
                    length = write_line(memory, node)
                    memory.line[length] = action
                    return WON, nodes, length + 1
                if is_needless(states[1], states[2], action, drawn):
                    continue
                if nodes == limit:
                    return STOPPED, nodes, 0
                if memory.depths[node] == MOST_MOVES - 1:  # a win comes one move later at the earliest
                    none_left = STOPPED
                    continue
                after_draw = LATE and is_a_draw(action)
                value = look(rules, states[2], after_draw, weights, memory.keys[nodes])
                if is_new(memory, size, nodes):
                    best = max(best, add(memory, nodes, node, action, value))
                    nodes += 1

    return search
