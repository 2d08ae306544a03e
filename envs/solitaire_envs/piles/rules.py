"""The rules of a declared game: deal, legal moves, moves."""

from typing import Any, NamedTuple

import numpy as np

from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.piles.cards import Cards
from solitaire_envs.piles.shape import ACE_OF_SPADES, EMPTY, PileShape, neighbours

OBJECTIVE_SCORE = 1  # this choice as a number in a rules record


class Rules(NamedTuple):
    """Kernels of the contract, and what the others ask."""

    deal: Any
    legal: Any
    apply: Any
    score: Any
    """(state) -> cards on the foundations, or cards of the tableau that have been played to the hole."""
    is_won: Any
    """(state)"""


def make_rules(shape: PileShape, cards: Cards) -> Rules:  # noqa: PLR0915  # short kernels that share a declaration
    """Makes the kernels."""
    game, t, places = shape.game, shape.game.tableau, shape.places
    PILES, ROWS, STOCK, CELLS, FITTING = (
        getattr(shape.sizes, name) for name in ("piles", "rows", "stock", "cells", "fits")
    )
    TABLEAU, DOWN, STACKED = shape.sizes.tableau, shape.sizes.downs > 0, shape.sizes.stacked > 0
    CELL, RESERVE, WASTE, FOUNDATION, NOWHERE = places
    DRAW, REDEAL, UP, TO_PILE, TO_CELL, TO_SPACE, ACTIONS = shape.actions
    NUM_CARDS, LINES, COPIES, UPS = shape.pack.number, shape.pack.lines, shape.pack.copies, shape.ups
    RANK, LINE, NEXT_UP, FITS = shape.pack.rank, shape.pack.line, shape.pack.next_up, shape.fits
    HOLE, RUNS_UP, RETURNS = shape.hole is not None, shape.takes_runs, shape.returns
    TO_WASTE, TO_TABLEAU = shape.to_waste, game.stock is not None and game.stock.to == "tableau"
    SINKS, KINGS, SPACES, WHOLE = t.sunk == "kings", t.spaces == "kings", t.spaces != "none", t.whole_piles is not None
    ACES, BASE, SPADE = (
        shape.start == "aces",
        shape.start == "base",
        shape.hole is not None and shape.hole.start == "ace of spades",
    )
    NEIGHBOURS = neighbours(shape.pack, shape.hole is not None and shape.hole.wrap)
    FIRST_DOWN = np.concatenate([[0], np.cumsum(shape.face_down)[:-1]])
    DEALING = np.array(list(shape.dealing()), np.int64).reshape(-1, 2)
    DEALT, REFILL = len(DEALING), np.array([("reserve", "waste", "stock").index(each) for each in t.refill], np.int64)
    REFILLS, OVER_SPACES = len(REFILL), game.stock is None or game.stock.over_spaces
    _, relative, clear, note_top, put, show, show_reserve, show_waste, fill_foundation = cards[:9]
    take_top, take_stock, _, move_cards = cards[9:]

    # --- The deal

    @kernel
    def deal(rules: Any, state: Any) -> None:
        clear(state)
        if CELLS:
            state.num_cells = rules.cells
        if BASE:
            state.base_rank = RANK[state.deck[0] + 1] - 1
        if SINKS:
            lay_out(state, True)
        lay_out(state, False)
        if STOCK:
            state.stock_size = STOCK
        show_reserve(state)

    @kernel
    def lay_out(state: Any, only_sunk: bool) -> None:
        """Lays the cards of the deck on their places; if some sink, these or the others."""
        dealt = 0
        for order in range(NUM_CARDS):
            card = relative(state, state.deck[order] + 1)
            if ACES and RANK[card] == 1:
                show(state, card)
                fill_foundation(state, LINE[card], 1)
            elif SPADE and card == ACE_OF_SPADES:
                show(state, card)
                state.tops[FOUNDATION] = card
            elif dealt < DEALT:
                if not SINKS or (RANK[card] == NUM_RANKS) == only_sunk:
                    lay(state, card, DEALING[dealt, 0], DEALING[dealt, 1] == 1)
                dealt += 1
            elif STOCK:
                state.talon[STOCK + dealt - DEALT if TO_WASTE else dealt - DEALT] = card
                dealt += 1

    @kernel
    def lay(state: Any, card: int, place: int, up: bool) -> None:
        """Lays a card of the deal on its place."""
        if up:
            show(state, card)
        if place < PILES:
            if up:
                put(state, card, place)
            elif DOWN:
                state.face_down[FIRST_DOWN[place] + state.downs[place]] = card
                state.downs[place] += 1
        elif place == FOUNDATION:
            if HOLE:
                state.tops[FOUNDATION] = card
            else:
                fill_foundation(state, LINE[card], 1)
        elif STACKED and place == RESERVE:
            if STACKED:
                state.reserve[state.reserve_size] = card
                state.reserve_size += 1
        else:
            note_top(state, place, card)

    # --- Legal moves

    @kernel
    def score(state: Any) -> int:
        count = 0
        if HOLE:
            count = TABLEAU
            for pile in range(PILES):
                count -= state.heights[pile]
                if DOWN:
                    count -= state.downs[pile]
            for cell in range(CELL, CELL + CELLS):
                count -= state.tops[cell] != EMPTY
        else:
            for line in range(LINES):
                count += int(state.foundations[line])
        return count

    @kernel
    def is_won(state: Any) -> bool:
        if HOLE:
            for place in range(PILES + CELLS):
                if state.tops[place] != EMPTY:
                    return False
            return True
        return score(state) == NUM_CARDS

    @kernel
    def legal(rules: Any, state: Any, mask: Any) -> bool:
        for action in range(ACTIONS):
            mask[action] = False
        if is_won(state):
            return False
        found = space = False
        if SPACES or not OVER_SPACES:
            space = has_space(state)
        if STOCK:
            found = mask[DRAW] = state.stock_size > 0 and (OVER_SPACES or not space)
        if TO_WASTE:
            mask[REDEAL] = state.stock_size == 0 and state.waste_size > 0 and state.current_pass < rules.passes
            found |= mask[REDEAL]
        found |= list_up(state, mask)
        end = FOUNDATION
        if RETURNS:
            end = NOWHERE if rules.returns else FOUNDATION
        whole = False
        if WHOLE:
            whole = rules.whole_piles != 0
        for pile in range(PILES):
            top = state.tops[pile]
            for k in range(FITTING):
                card = FITS[top, k]
                place = int(state.where[card])
                if (
                    place < end
                    and place != pile
                    and not (whole and place < PILES and not is_undermost(state, place, card))
                ):
                    found = mask[TO_PILE + FITTING * pile + k] = True
        if SPACES:
            if space:
                found |= list_to_space(state, mask, end, whole)
        if CELLS:
            if free_cell(state) < WASTE:
                for pile in range(PILES):
                    mask[TO_CELL + pile] = RANK[state.tops[pile]] > 0
                    found |= mask[TO_CELL + pile]
        return bool(found)

    @kernel
    def has_space(state: Any) -> bool:
        for pile in range(PILES):
            if state.tops[pile] == EMPTY:
                return True
        return False

    @kernel
    def list_up(state: Any, mask: Any) -> bool:
        """Lists the moves to the foundations or the hole."""
        found = False
        if HOLE:
            for k in range(8):
                card = NEIGHBOURS[state.tops[FOUNDATION], k]
                mask[UP + k] = state.tops[state.where[card]] == card
                found |= mask[UP + k]
        elif RUNS_UP:
            for pile in range(PILES):
                top = state.tops[pile]
                if RANK[top] == 1 and state.runs[pile] == NUM_RANKS:
                    found = mask[UP + LINE[top]] = True
        else:
            for line in range(LINES):
                if COPIES > 1:
                    if is_as_high(state, line):
                        continue
                for copy in range(COPIES):
                    card = NEXT_UP[line, state.foundations[line], copy]
                    action = UP + COPIES * line + copy
                    mask[action] = state.tops[state.where[card]] == card
                    found |= mask[action]
        return found

    @kernel
    def is_as_high(state: Any, line: int) -> bool:
        """Returns whether an earlier foundation of the suit is as high, so that moves there stand for both."""
        return bool(line >= 4 and state.foundations[line - 4] == state.foundations[line])

    @kernel
    def list_to_space(state: Any, mask: Any, end: int, whole: bool) -> bool:
        """Lists the moves to an empty pile, of which there is one."""
        found = False
        for k in range(LINES if KINGS else NUM_CARDS):
            card = NUM_RANKS * k + NUM_RANKS if KINGS else k + 1
            place = int(state.where[card])
            if place < end and not (place < PILES and (whole or stays_alike(state, place, card))):
                found = mask[TO_SPACE + k] = True
        return found

    @kernel
    def is_undermost(state: Any, pile: int, card: int) -> bool:
        return bool(state.tableau[ROWS * pile] == card)

    @kernel
    def stays_alike(state: Any, pile: int, card: int) -> bool:
        """Returns whether a move of the card to an empty pile would change nothing."""
        if DOWN:
            return is_undermost(state, pile, card) and state.downs[pile] == 0
        return is_undermost(state, pile, card)

    @kernel
    def free_cell(state: Any) -> int:
        """Returns the first free cell, WASTE if there is none."""
        if CELLS:
            for cell in range(CELL, CELL + state.num_cells):
                if state.tops[cell] == EMPTY:
                    return cell
        return WASTE

    # --- Moves

    @kernel
    def draw(rules: Any, state: Any) -> None:
        if TO_WASTE:
            for _ in range(min(rules.draw, state.stock_size)):
                show(state, state.talon[STOCK + state.waste_size])
                state.waste_size += 1
                state.stock_size -= 1
            show_waste(state)
        elif TO_TABLEAU:
            for pile in range(min(PILES, state.stock_size)):
                put(state, take_stock(state), pile)
        else:
            state.tops[FOUNDATION] = take_stock(state)

    @kernel
    def redeal(state: Any) -> None:
        if TO_WASTE:
            state.stock_size = state.waste_size
            state.waste_size = 0
            state.current_pass += 1
            show_waste(state)

    @kernel
    def play_up(state: Any, k: int) -> int:
        """Plays a card, or a run, to the foundations or the hole; returns the points."""
        if HOLE:
            place = int(state.where[NEIGHBOURS[state.tops[FOUNDATION], k]])
            state.tops[FOUNDATION] = take_top(state, place)
            return 1
        if RUNS_UP:
            pile = int(state.where[NUM_RANKS * k + 1])  # the top, an ace
            for _ in range(NUM_RANKS):
                take_top(state, pile)
            fill_foundation(state, k, NUM_RANKS)
            return NUM_RANKS
        if not HOLE:
            line = k // COPIES
            take_top(state, int(state.where[NEXT_UP[line, state.foundations[line], k % COPIES]]))
            fill_foundation(state, line, state.foundations[line] + 1)
        return 1

    @kernel
    def first_space(state: Any) -> int:
        pile = 0
        while state.tops[pile] != EMPTY:
            pile += 1
        return pile

    @kernel
    def play(rules: Any, state: Any, action: int) -> int:
        """Plays an action; returns the change in the score."""
        if STOCK:
            if action == DRAW:
                draw(rules, state)
                return 0
        if TO_WASTE:
            if action == REDEAL:
                redeal(state)
                return 0
        if action < UP + UPS:
            return play_up(state, action - UP)
        if CELLS:
            if TO_CELL <= action < TO_CELL + PILES:
                cell = free_cell(state)
                note_top(state, cell, take_top(state, action - TO_CELL))
                return 0
        source = NOWHERE
        if FITTING:
            if TO_PILE <= action < TO_PILE + FITTING * PILES:
                pile = (action - TO_PILE) // FITTING
                card = FITS[state.tops[pile], (action - TO_PILE) % FITTING]
                source = move_cards(state, card, pile)
                return -int(source >= FOUNDATION)
        if SPACES:
            k = action - TO_SPACE
            source = move_cards(state, NUM_RANKS * k + NUM_RANKS if KINGS else k + 1, first_space(state))
        return -int(source >= FOUNDATION)

    @kernel
    def refill(state: Any) -> None:
        """Fills empty piles from the first of `REFILL` that has a card."""
        for pile in range(PILES):
            for each in range(REFILLS):
                if state.tops[pile] == EMPTY:
                    if STACKED:
                        if REFILL[each] == 0 and state.reserve_size > 0:
                            put(state, take_top(state, RESERVE), pile)
                    if TO_WASTE:
                        if REFILL[each] == 1 and state.waste_size > 0:
                            put(state, take_top(state, WASTE), pile)
                        if REFILL[each] == 2 and state.stock_size > 0:
                            put(state, take_stock(state), pile)

    @kernel
    def apply(rules: Any, state: Any, action: int) -> float:
        points = play(rules, state, action)
        if REFILLS:
            refill(state)
        if rules.objective == OBJECTIVE_SCORE:
            return float(points)
        return 1.0 if points > 0 and is_won(state) else 0.0

    return Rules(deal, legal, apply, score, is_won)
