"""How the cards of a declared game come and go: the state, and the kernels that keep it consistent.

A branch on a constant that a game does not need is left out before Numba infers its types.
"""

from typing import Any, NamedTuple

import numpy as np

from solitaire_envs.game import state_dtype
from solitaire_envs.jit import kernel
from solitaire_envs.piles.shape import EMPTY, NO_CARD, REAL, RELATIVE, PileShape, fitting


class Cards(NamedTuple):
    """Kernels over the state. A place is one of `Places`, or a pile."""

    real: Any
    """(state, card) -> the card with its printed rank."""
    relative: Any
    """(state, card with its printed rank) -> the card."""
    clear: Any
    """(state): no card lies anywhere; nothing has been seen."""
    note_top: Any
    """(state, place, card): makes a card, or EMPTY, the top of a place outside the tableau."""
    put: Any
    """(state, card, pile)"""
    show: Any
    """(state, card): it has been seen."""
    show_reserve: Any
    """(state): turns up the top of a reserve in one pile."""
    show_waste: Any
    """(state): the last card of the waste is its top."""
    fill_foundation: Any
    """(state, line, cards)"""
    take_top: Any
    """(state, place) -> the card."""
    take_stock: Any
    """(state) -> the stock's top, which has been seen then."""
    stock_top: Any
    """(state) -> index in `talon` of the stock's top."""
    move_cards: Any
    """(state, card, pile) -> the place it came from: moves a card, with all that lie on it."""


def pile_state(shape: PileShape) -> "np.dtype[np.void]":
    """Returns the dtype of the state."""
    n, talon = shape.sizes, (3 if shape.to_waste else 2) * shape.sizes.stock
    fields = [
        ("tableau", "u1", n.piles * n.rows),  # `rows` a pile: its face-up cards from the undermost
        ("heights", "i4", n.piles),  # face-up cards in each pile
        *([("runs", "i4", n.piles)] if _counts_runs(shape) else []),  # cards of the run at each pile's top
        *([("face_down", "u1", n.downs), ("downs", "i4", n.piles)] if n.downs else []),  # from the bottom of each pile
        ("tops", "u1", shape.places.nowhere + 1),  # top of each place; of the foundations only if it may go back
        ("where", "u1", shape.pack.codes),  # card -> the place that it may be taken from, alone or with those on it
        *([("num_cells", "i4")] if n.cells else []),  # that may be used
        *([] if shape.hole else [("foundations", "u1", shape.pack.lines)]),  # cards on each
        *([("reserve", "u1", n.stacked), ("reserve_size", "i4")] if n.stacked else []),  # from its bottom
        # The waste from its bottom, then the stock from its top, with zeros before and after them.
        *([("talon", "u1", talon), ("stock_size", "i4")] if n.stock else []),
        *([("waste_size", "i4"), ("current_pass", "i4")] if shape.to_waste else []),
        *([("unseen", "u1", shape.pack.unseen)] if shape.hides else []),  # by number; the last entry is not used
        *([("base_rank", "i4")] if shape.start == "base" else []),  # 0..12
    ]
    return state_dtype(fields, shape.pack.number)


def _counts_runs(shape: PileShape) -> bool:
    return shape.game.tableau.moves != "tops" and not shape.all_move


def make_cards(shape: PileShape) -> Cards:  # noqa: PLR0915  # short kernels that share a declaration
    """Makes the kernels."""
    t, places, sizes = shape.game.tableau, shape.places, shape.sizes
    PILES, ROWS, STOCK, DOWN = sizes.piles, sizes.rows, sizes.stock, sizes.downs > 0
    RESERVE, WASTE, FOUNDATION, NOWHERE = places.reserve, places.waste, places.foundation, places.nowhere
    TOPS, RUNS, STACKED, HIDES = t.moves == "tops", _counts_runs(shape), sizes.stacked > 0, shape.hides
    TO_WASTE, FOUNDATIONS, RETURNS, BASE = shape.to_waste, not shape.hole, shape.returns, shape.start == "base"
    FIRST_DOWN = np.concatenate([[0], np.cumsum(shape.face_down)[:-1]])
    JOINS = np.zeros((shape.pack.codes, shape.pack.codes), np.bool_)
    for card, on_it in enumerate(fitting(shape.pack, t.run or t.build)):
        JOINS[card, on_it] = True
    JOINS[:, EMPTY] = False

    @kernel
    def real(state: Any, card: int) -> int:
        if BASE:
            return int(REAL[state.base_rank, card])
        return int(card)

    @kernel
    def relative(state: Any, card: int) -> int:
        if BASE:
            return int(RELATIVE[state.base_rank, card])
        return int(card)

    @kernel
    def clear(state: Any) -> None:
        state.tableau[:] = EMPTY
        state.heights[:] = 0
        state.tops[:] = EMPTY
        state.tops[NOWHERE] = NO_CARD
        state.where[:] = NOWHERE
        if RUNS:
            state.runs[:] = 0
        if DOWN:
            state.face_down[:] = EMPTY
            state.downs[:] = 0
        if FOUNDATIONS:
            state.foundations[:] = 0
        if STACKED:
            state.reserve[:] = EMPTY
            state.reserve_size = 0
        if STOCK:
            state.talon[:] = EMPTY
            state.stock_size = 0
        if TO_WASTE:
            state.waste_size = 0
            state.current_pass = 1
        if HIDES:
            state.unseen[:] = 1
        if BASE:
            state.base_rank = 0

    @kernel
    def note_top(state: Any, place: int, card: int) -> None:
        state.where[state.tops[place]] = NOWHERE
        state.tops[place] = card
        if card != EMPTY:
            state.where[card] = place

    @kernel
    def put(state: Any, card: int, pile: int) -> None:
        height = state.heights[pile]
        if TOPS:
            state.where[state.tops[pile]] = NOWHERE
        if RUNS:
            if JOINS[state.tops[pile], card]:
                state.runs[pile] += 1
            else:
                for row in range(height - state.runs[pile], height):
                    state.where[state.tableau[ROWS * pile + row]] = NOWHERE
                state.runs[pile] = 1
        state.tableau[ROWS * pile + height] = card
        state.heights[pile] = height + 1
        state.tops[pile] = card
        state.where[card] = pile

    @kernel
    def show(state: Any, card: int) -> None:
        if HIDES:
            state.unseen[real(state, card) - 1] = 0

    @kernel
    def show_reserve(state: Any) -> None:
        if STACKED:
            card = state.reserve[state.reserve_size - 1] if state.reserve_size > 0 else EMPTY
            if card != EMPTY:
                show(state, card)
            note_top(state, RESERVE, card)

    @kernel
    def show_waste(state: Any) -> None:
        if TO_WASTE:
            note_top(state, WASTE, state.talon[STOCK + state.waste_size - 1])

    @kernel
    def fill_foundation(state: Any, line: int, count: int) -> None:
        if FOUNDATIONS:
            state.foundations[line] = count
        if RETURNS:
            note_top(state, FOUNDATION + line, 13 * line + count if count > 0 else EMPTY)

    @kernel
    def find_run(state: Any, pile: int) -> None:
        """Counts the run at a pile's top, which is not empty."""
        if RUNS:
            last, run = ROWS * pile + state.heights[pile] - 1, 1
            state.where[state.tableau[last]] = pile
            while run < state.heights[pile] and JOINS[state.tableau[last - run], state.tableau[last - run + 1]]:
                state.where[state.tableau[last - run]] = pile
                run += 1
            state.runs[pile] = run

    @kernel
    def uncover(state: Any, pile: int, taken: int) -> None:
        """Notes what lies on top after cards were taken; turns it up if it is face down."""
        height = state.heights[pile]
        if height > 0:
            top = state.tableau[ROWS * pile + height - 1]
            state.tops[pile] = top
            if TOPS:
                state.where[top] = pile
            if RUNS:
                state.runs[pile] -= taken
                if state.runs[pile] == 0:
                    find_run(state, pile)
            return
        state.tops[pile] = EMPTY
        if RUNS:
            state.runs[pile] = 0
        if DOWN:
            if state.downs[pile] > 0:
                state.downs[pile] -= 1
                place = FIRST_DOWN[pile] + state.downs[pile]
                show(state, state.face_down[place])
                put(state, state.face_down[place], pile)
                state.face_down[place] = EMPTY

    @kernel
    def close_gap(state: Any, index: int) -> None:
        """Takes a card out of waste or stock; the rest of the stock moves up."""
        for place in range(index, STOCK + state.waste_size + state.stock_size + 1):
            state.talon[place] = state.talon[place + 1]

    @kernel
    def take_top(state: Any, place: int) -> int:
        card = state.tops[place]
        state.where[card] = NOWHERE
        if place < PILES:
            state.heights[place] -= 1
            state.tableau[ROWS * place + state.heights[place]] = EMPTY
            uncover(state, place, 1)
            return int(card)
        if RETURNS:
            if place >= FOUNDATION:
                fill_foundation(state, place - FOUNDATION, state.foundations[place - FOUNDATION] - 1)
                return int(card)
        if TO_WASTE:
            if place == WASTE:
                state.waste_size -= 1
                close_gap(state, STOCK + state.waste_size)
                show_waste(state)
                return int(card)
        if STACKED:
            if place == RESERVE:
                state.reserve_size -= 1
                state.reserve[state.reserve_size] = EMPTY
                show_reserve(state)
                return int(card)
        state.tops[place] = EMPTY
        return int(card)

    @kernel
    def stock_top(state: Any) -> int:
        if TO_WASTE:
            return int(STOCK + state.waste_size)
        return int(STOCK - state.stock_size)

    @kernel
    def take_stock(state: Any) -> int:
        top = stock_top(state)
        card = state.talon[top]
        show(state, card)
        state.stock_size -= 1
        if TO_WASTE:
            close_gap(state, top)
        else:
            state.talon[top] = EMPTY
        return int(card)

    @kernel
    def move_cards(state: Any, card: int, pile: int) -> int:
        source = int(state.where[card])
        if TOPS or source >= PILES:
            put(state, take_top(state, source), pile)
            return int(source)
        if not TOPS:
            end = state.heights[source]
            start = end - 1
            while state.tableau[ROWS * source + start] != card:
                start -= 1
            state.heights[source] = start
            for row in range(ROWS * source + start, ROWS * source + end):
                moved = state.tableau[row]
                state.tableau[row] = EMPTY
                put(state, moved, pile)
            uncover(state, source, end - start)
        return int(source)

    names = locals()
    return Cards(*(names[name] for name in Cards._fields))
