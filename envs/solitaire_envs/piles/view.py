"""What is seen of a declared game: the observation, the way back from it, and the outcome."""

from typing import Any, NamedTuple

import numpy as np

from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.game import MEMORY, NO_LIMIT, OPEN, TABLE, Outcome, Slots, first_slots, next_card
from solitaire_envs.jit import kernel
from solitaire_envs.piles.cards import Cards
from solitaire_envs.piles.rules import Rules
from solitaire_envs.piles.shape import EMPTY, PileShape

LONGEST_COUNT = 10_000
"""Passes are counted up to this number."""
CARD_DOC = "card number + 1, 0 no card"
TWICE = ", then again"


class View(NamedTuple):
    """Kernels of the contract."""

    observe: Any
    imagine: Any
    conclude: Any


def pile_slots(shape: PileShape) -> tuple[Slots, ...]:
    """Returns the layout of the observation."""
    n, spread = shape.sizes, shape.places.waste - shape.places.reserve
    NUM_CARDS, UNSEEN, packs = shape.pack.number, shape.pack.unseen, shape.game.packs
    down = ", ".join(str(cards) for cards in shape.face_down)
    doc = f"{CARD_DOC}, {UNSEEN} unseen"
    rows = f"{n.rows} slots a pile, its face-up cards from the undermost: {CARD_DOC}"
    slots = [(True, Slots(name="tableau", size=n.piles * n.rows, high=NUM_CARDS, doc=rows))]

    def add(wanted: Any, name: str, size: int, high: int, doc: str, low: int = 0) -> None:
        slots.append((bool(wanted), Slots(name=name, size=size, high=high, doc=doc, low=low)))

    add(n.downs, "face_down", n.downs, UNSEEN, f"face-down cards from each pile's bottom, {down}: {doc}")
    add(shape.hole, "hole", 1, NUM_CARDS, "its top: card number + 1")
    add(
        not shape.hole,
        "foundations",
        4 * packs,
        NUM_RANKS,
        f"cards on each, clubs, diamonds, hearts, spades{TWICE * (packs - 1)}",
    )
    add(n.cells, "cells", n.cells, NUM_CARDS, CARD_DOC)
    add(n.cells, "num_cells", 1, n.cells, "cells that may be used")
    add(n.stacked, "reserve", n.stacked, UNSEEN, f"from the bottom: {doc}")
    add(spread and not n.stacked, "reserve", spread, NUM_CARDS, CARD_DOC)
    add(n.stock, "stock", n.stock, UNSEEN, f"top first: {doc}")
    add(shape.to_waste, "waste", n.stock, UNSEEN, f"top first: {doc}")
    add(shape.to_waste, "pass", 1, LONGEST_COUNT, "the pass under way, from 1; it stops counting at 10,000")
    add(shape.to_waste, "redeals", 1, LONGEST_COUNT, "redeals left; -1 no limit", -1)
    add(shape.to_waste, "draw", 1, 4, "cards that a draw turns over", 1)
    add(shape.returns, "returns", 1, 1, "1 if cards may come back from a foundation")
    add(shape.game.tableau.whole_piles is not None, "whole_piles", 1, 1, "1 if only whole piles move")
    add(shape.start == "base", "base", 1, NUM_RANKS, "the base rank, ace 1 to king 13", 1)
    add(shape.hides, "unseen", NUM_CARDS, 1, "1 for each card, by number, whose place is not known")
    return tuple(each for wanted, each in slots if wanted)


def pile_outcome(shape: PileShape) -> tuple[Outcome, ...]:
    """Returns the fields of the outcome."""
    played = "cards of the tableau played to the hole" if shape.hole else "cards on the foundations"
    all_up = f"all {shape.pack.number} cards are on the foundations"
    won = "tableau and cells are empty" if shape.hole else all_up
    passes = Outcome(name="passes", kind="count", doc="the pass under way at the end, from 1", status="pass")
    return (
        Outcome(name="score", kind="mean", doc=played),
        Outcome(name="won", kind="share", doc=won),
        *([passes] if shape.to_waste else []),
    )


def make_view(shape: PileShape, cards: Cards, rules: Rules) -> View:  # noqa: PLR0915  # kernels that share a declaration
    """Makes the kernels."""
    n, AT = shape.sizes, first_slots(pile_slots(shape))
    PILES, ROWS, TABLEAU, STOCK, CELLS, STACKED = n.piles, n.rows, n.piles * n.rows, n.stock, n.cells, n.stacked
    CELL, RESERVE, WASTE, FOUNDATION, _ = shape.places
    SPREAD = 0 if STACKED else WASTE - RESERVE
    HOLE, TO_WASTE, RETURNS, HIDES = shape.hole is not None, shape.to_waste, shape.returns, shape.hides
    BASE, WHOLE, DOWN = shape.start == "base", shape.game.tableau.whole_piles is not None, n.downs
    FIRST_DOWN = np.concatenate([[0], np.cumsum(shape.face_down)])
    NUM_CARDS, LINES, UNSEEN = shape.pack.number, shape.pack.lines, shape.pack.unseen
    real, relative, clear, put, show_reserve, show_waste, note_top, fill_foundation, stock_top = (
        getattr(cards, name)
        for name in (
            *("real", "relative", "clear", "put", "show_reserve", "show_waste"),
            *("note_top", "fill_foundation", "stock_top"),
        )
    )
    score, is_won = rules.score, rules.is_won

    # --- From the state

    @kernel
    def observe(rules: Any, state: Any, observation: Any) -> None:
        is_open = rules.information == OPEN
        for place in range(TABLEAU):
            observation[place] = real(state, state.tableau[place])
        if DOWN:
            for place in range(DOWN):
                card = state.face_down[place]
                observation[AT.face_down + place] = real(state, card) if is_open or card == EMPTY else UNSEEN
        if HOLE:
            observation[AT.hole] = state.tops[FOUNDATION]
        else:
            for line in range(LINES):
                observation[AT.foundations + line] = state.foundations[line]
        if CELLS:
            for cell in range(CELLS):
                observation[AT.cells + cell] = state.tops[CELL + cell]
            observation[AT.num_cells] = state.num_cells
        if SPREAD:
            for place in range(SPREAD):
                observation[AT.reserve + place] = real(state, state.tops[RESERVE + place])
        if STACKED:
            for place in range(STACKED):
                known = is_open or place >= state.reserve_size - 1
                observation[AT.reserve + place] = real(state, state.reserve[place]) if known else UNSEEN
        if STOCK:  # in a kernel of its own, this part takes three times as long
            known, first = is_open, stock_top(state)
            if TO_WASTE:
                known = is_open or (rules.information == MEMORY and state.current_pass > 1)
            stock = state.talon[first:]  # no index into it can be negative, which is faster, too
            for place in range(STOCK):
                card = stock[place]
                observation[AT.stock + place] = real(state, card) if known or card == EMPTY else UNSEEN
        if TO_WASTE:
            waste = state.talon[first - STOCK :]
            for place in range(STOCK):
                observation[AT.waste + place] = real(state, waste[STOCK - 1 - place])
            observation[AT.pass_] = min(state.current_pass, LONGEST_COUNT)
            observation[AT.redeals] = -1 if rules.passes == NO_LIMIT else rules.passes - state.current_pass
            observation[AT.draw] = rules.draw
        if RETURNS:
            observation[AT.returns] = rules.returns
        if WHOLE:
            observation[AT.whole_piles] = rules.whole_piles
        if BASE:
            observation[AT.base] = state.base_rank + 1
        if HIDES:
            for card in range(NUM_CARDS):
                observation[AT.unseen + card] = state.unseen[card] & (not is_open)
            if TO_WASTE:
                if rules.information == TABLE:
                    hide_what_is_not_face_up(state, observation)

    @kernel
    def hide_what_is_not_face_up(state: Any, observation: Any) -> None:
        """Under 'table', hides the place of every card in stock and waste except the waste's top."""
        for place in range(state.waste_size + state.stock_size):
            card = state.talon[STOCK + place]
            if place < state.waste_size - 1:
                observation[AT.waste + state.waste_size - 1 - place] = UNSEEN
            if place != state.waste_size - 1 and card != UNSEEN:
                observation[AT.unseen + real(state, card) - 1] = 1

    @kernel
    def conclude(rules: Any, state: Any, outcome: Any) -> None:
        outcome.score = score(state)
        outcome.won = is_won(state)
        if TO_WASTE:
            outcome.passes = state.current_pass

    # --- Back from an observation

    @kernel
    def imagine(rules: Any, observation: Any, cards: Any, state: Any) -> None:
        clear(state)
        if BASE:
            state.base_rank = observation[AT.base] - 1
        if HIDES:
            for card in range(NUM_CARDS):
                state.unseen[card] = observation[AT.unseen + card]
            state.unseen[NUM_CARDS] = 0
        for pile in range(PILES):
            for slot in range(ROWS * pile, ROWS * pile + ROWS):
                if observation[slot] != EMPTY:
                    put(state, relative(state, int(observation[slot])), pile)
        taken = 0
        if DOWN:
            taken = imagine_face_down(observation, cards, state)
        if HOLE:
            state.tops[FOUNDATION] = observation[AT.hole]
        else:
            for line in range(LINES):
                fill_foundation(state, line, int(observation[AT.foundations + line]))
        if CELLS:
            state.num_cells = observation[AT.num_cells]
            for cell in range(CELLS):
                note_top(state, CELL + cell, int(observation[AT.cells + cell]))
        if SPREAD:
            for place in range(SPREAD):
                note_top(state, RESERVE + place, relative(state, int(observation[AT.reserve + place])))
        if STACKED:
            taken = imagine_reserve(observation, cards, taken, state)
        if STOCK:
            imagine_stock(observation, cards, taken, state)

    @kernel
    def imagine_face_down(observation: Any, cards: Any, state: Any) -> int:
        taken = 0
        for pile in range(PILES):
            for place in range(FIRST_DOWN[pile], FIRST_DOWN[pile + 1]):
                card, taken = next_card(observation[AT.face_down + place], UNSEEN, cards, taken)
                state.face_down[place] = relative(state, card)
                if card != EMPTY:
                    state.downs[pile] += 1
                    state.unseen[card - 1] = 1
        return taken

    @kernel
    def imagine_reserve(observation: Any, cards: Any, taken: int, state: Any) -> int:
        for place in range(STACKED):
            card, taken = next_card(observation[AT.reserve + place], UNSEEN, cards, taken)
            state.reserve[place] = relative(state, card)
            if card != EMPTY:
                state.reserve_size += 1
                state.unseen[card - 1] = 1
        show_reserve(state)
        return taken

    @kernel
    def imagine_stock(observation: Any, cards: Any, taken: int, state: Any) -> None:
        for place in range(STOCK):
            state.stock_size += observation[AT.stock + place] != EMPTY
        new = True
        if TO_WASTE:
            state.current_pass = observation[AT.pass_]
            for place in range(STOCK):
                state.waste_size += observation[AT.waste + place] != EMPTY
            new = state.current_pass == 1
        first = stock_top(state)
        for place in range(state.stock_size):
            card, taken = next_card(observation[AT.stock + place], UNSEEN, cards, taken)
            state.talon[first + place] = relative(state, card)
            state.unseen[card - 1] = new
        if TO_WASTE:
            for place in range(state.waste_size):
                card, taken = next_card(observation[AT.waste + place], UNSEEN, cards, taken)
                state.talon[first - 1 - place] = relative(state, card)
                state.unseen[card - 1] = 0
            show_waste(state)

    return View(observe, imagine, conclude)
