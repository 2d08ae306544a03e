"""The candidates of a declared game: plays that make progress, each with the moves that lead to it.

A play makes progress if it lowers the measure of `progress`, so no choice of plays goes in circles. A few moves that do
not may prepare it: they free a card that lies on another, make room, bring a card back from a foundation. Where cards
move one by one, a run that moves through free places counts as one of these. Draws through cards that have been seen
prepare a play as well. If there is no candidate, there is nothing left to gain, as far as the search looks.

All moves are made by the game's own kernels, on states in which hidden cards are unseen. If several plays put one card
on one target, the candidate is the one with the fewest preparing moves.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.choices import new_steps, steps_over
from solitaire_agents.piles.progress import fits_on, progress_of
from solitaire_agents.piles.talon import OUT_OF_REACH, talon_of
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.game import Game, Options
from solitaire_envs.jit import as_records, kernel
from solitaire_envs.piles.shape import CODES, EMPTY, NEXT_UP, RANK, SUIT, PileShape, fitting, neighbours

MOST_CANDIDATES: Final = 64
TABLES: Final = 128
"""Most tables, which are positions after preparing moves, to look at."""
MOST_PREPARED: Final = 5
"""Most steps that prepare a play, draws aside; each is a move, or the moves of a run."""
MOST_LINE: Final = 32
"""Most moves of these steps."""
DONE: Final = MOST_PREPARED + 1
"""Number of steps of a table that is a candidate by itself."""
NO_PILE: Final = -1
NO_ACTION: Final = -1
"""The last action of a candidate that is made by the moves to its table."""

FOUND, MET, CLOCK, MEASURE = range(4)
"""Numbers in `Storage.now`: candidates; tables; calls so far; the measure of the position."""
TABLE, ACTION, PLACE = range(3)
"""Fields of a candidate: its table, its last action, and the place in waste and stock of the card played; 0: none."""
TO_CELL, UP = CODES, CODES + 1
"""Stand for a cell, and for foundation or hole, as targets. Other targets are the cards to put a card on."""


class Storage(NamedTuple):
    """Working storage for one thread."""

    steps: Any  # Steps: the position, and one after a candidate
    tables: Any  # [TABLES + 1] of `Game.state`: the tables, the first is the position; the last is for trials
    hashes: Any  # int64 [TABLES]
    steps_to: Any  # int64 [TABLES]: number of preparing steps
    lengths: Any  # int64 [TABLES]: number of their moves
    lines: Any  # int64 [TABLES, MOST_LINE]: these moves
    run: Any  # int64 [NUM_RANKS]: the cards of a run that moves, from its top
    mask: Any  # bool [A]
    candidates: Any  # int64 [MOST_CANDIDATES, 3]
    met: Any  # int64 [CODES, CODES + 2]: card, target -> the last call that found this play
    places: Any  # int64 [CODES]: place in waste and stock of each card that is within reach there
    now: Any  # int64 [4]
    line: Any  # int64 [most_moves]
    codes: Any  # int64 [CODES]: where each card is; see `inputs`


def most_moves(shape: PileShape) -> int:
    """Returns the most moves that lead to a candidate."""
    draws = 2 * shape.sizes.stock + 1 if shape.to_waste else 0
    return MOST_LINE + draws + 1


def new_storage(game: Game, shape: PileShape, options: Options) -> Storage:
    """Allocates storage."""
    return Storage(
        new_steps(game, options),
        as_records(np.zeros(TABLES + 1, game.state)),
        np.zeros(TABLES, np.int64),
        np.zeros(TABLES, np.int64),
        np.zeros(TABLES, np.int64),
        np.zeros((TABLES, MOST_LINE), np.int64),
        np.zeros(NUM_RANKS, np.int64),
        np.zeros(game.num_actions(options), np.bool_),
        np.zeros((MOST_CANDIDATES, PLACE + 1), np.int64),
        np.zeros((CODES, UP + 1), np.int64),
        np.zeros(CODES, np.int64),
        np.zeros(MEASURE + 1, np.int64),
        np.zeros(most_moves(shape), np.int64),
        np.zeros(CODES, np.int64),
    )


class Candidates(NamedTuple):
    """Kernels."""

    count: Callable[..., int]
    """As in `Choices`."""
    moves: Callable[..., int]
    """As in `Choices`."""
    play_out: Callable[..., None]
    """(storage, k): makes the second state of the steps that after candidate k."""


@cache
def candidates_of(game: Game, shape: PileShape) -> Candidates:  # noqa: PLR0915  # short kernels that share a declaration
    """Makes the kernels of a game, always the same ones."""
    t, actions, places = shape.game.tableau, shape.actions, shape.places
    apply, legal, survey, look = game.apply, game.legal, progress_of(shape).survey, steps_over(game).look
    DRAW, FIRST_UP, END_UP = actions.draw, actions.up, actions.up + (8 if shape.hole else 4)
    TO_PILE, TO_CELLS, TO_SPACE, ACTIONS = actions.to_pile, actions.to_cell, actions.to_space, actions.total
    PILES, FITTING, CELLS, WASTE, FOUNDATION = (
        shape.sizes.piles,
        shape.sizes.fits,
        shape.sizes.cells,
        places.waste,
        places.foundation,
    )
    STOCK, TO_WASTE, HOLE, RUNS_UP, KINGS = (
        shape.sizes.stock,
        shape.to_waste,
        shape.hole is not None,
        shape.takes_runs,
        t.spaces == "kings",
    )
    FITS, NEIGHBOURS = fitting(t.build), neighbours(shape.hole is not None and shape.hole.wrap)
    NO_SPACES, ROWS, FITS_ON = t.spaces == "none", shape.sizes.rows, fits_on(shape, runs=False)
    RUNS = t.moves == "tops" and FITTING > 0 and (CELLS > 0 or t.spaces == "any") and not t.refill
    known, when, card_at, write_draws = talon_of(shape)

    @kernel
    def count(storage: Storage, observation: Any, mask: Any) -> int:
        now = storage.now
        look(storage.steps, observation)
        storage.tables[0] = storage.steps.states[0]
        now[FOUND], now[MET], now[CLOCK] = 0, 1, now[CLOCK] + 1
        now[MEASURE], storage.hashes[0] = survey(storage.tables[0])
        storage.steps_to[0] = storage.lengths[0] = 0
        if STOCK:
            if mask[DRAW] and is_fresh(storage.tables[0]):
                add(storage, 0, DRAW, 0)
        if TO_WASTE:
            mark_reach(storage)
        table = 0
        while table < now[MET]:
            if storage.steps_to[table] <= MOST_PREPARED:
                expand(storage, table)
            table += 1
        return int(now[FOUND])

    @kernel
    def is_fresh(state: Any) -> bool:
        """Returns whether a draw turns over cards that have not been seen."""
        if TO_WASTE:
            return bool(state.current_pass == 1)
        return True

    @kernel
    def mark_reach(storage: Storage) -> None:
        """Makes the cards within reach in waste and stock cards that may be taken from the waste."""
        table = storage.tables[0]
        for place in range(1, known(table) + 1):
            if when(storage.steps.rules[0], storage.steps.states[0], place) != OUT_OF_REACH:
                card = card_at(table, place)
                table.where[card], storage.places[card] = WASTE, place

    @kernel
    def add(storage: Storage, table: int, action: int, place: int) -> None:
        found = storage.now[FOUND]
        if found < MOST_CANDIDATES:
            candidate = storage.candidates[found]
            candidate[TABLE], candidate[ACTION], candidate[PLACE] = table, action, place
            storage.now[FOUND] += 1

    @kernel
    def is_new(storage: Storage, card: int, target: int) -> bool:
        """Returns whether this call finds the play for the first time."""
        met = storage.met[card, target] == storage.now[CLOCK]
        storage.met[card, target] = storage.now[CLOCK]
        return not met

    @kernel
    def card_of(state: Any, action: int) -> int:
        """Returns the card that an action moves; of several, the undermost."""
        if action < END_UP:
            k = action - FIRST_UP
            if HOLE:
                return int(NEIGHBOURS[state.tops[FOUNDATION], k])
            if RUNS_UP:
                return NUM_RANKS * k + 1
            if not HOLE:
                return int(NEXT_UP[k, state.foundations[k]])
        if CELLS:
            if TO_CELLS <= action < TO_CELLS + PILES:
                return int(state.tops[action - TO_CELLS])
        if FITTING:
            if TO_PILE <= action < TO_PILE + FITTING * PILES:
                return int(FITS[state.tops[(action - TO_PILE) // FITTING], (action - TO_PILE) % FITTING])
        k = action - TO_SPACE
        return NUM_RANKS * k + NUM_RANKS if KINGS else k + 1

    @kernel
    def target_of(state: Any, action: int) -> int:
        if action < END_UP:
            return UP
        if CELLS:
            if TO_CELLS <= action < TO_CELLS + PILES:
                return TO_CELL
        if FITTING:
            if TO_PILE <= action < TO_PILE + FITTING * PILES:
                return int(state.tops[(action - TO_PILE) // FITTING])
        return EMPTY

    @kernel
    def expand(storage: Storage, table: int) -> None:
        """Finds the plays on a table, and the tables after one more preparing move."""
        state = storage.tables[table]
        legal(storage.steps.rules[0], state, storage.mask)
        for action in range(FIRST_UP, ACTIONS):
            card = card_of(state, action)
            if TO_WASTE:
                if state.where[card] == WASTE and (storage.mask[action] or action < END_UP):
                    if is_new(storage, card, target_of(state, action)):
                        add(storage, table, action, storage.places[card])
                    continue
            if storage.mask[action]:
                try_action(storage, table, action, card)

        if RUNS:
            find_runs(storage, table)

    @kernel
    def try_action(storage: Storage, table: int, action: int, card: int) -> None:
        """Makes an action a candidate if it makes progress; else makes it a preparing step, if there is room."""
        storage.tables[TABLES] = storage.tables[table]
        after = storage.tables[TABLES]
        apply(storage.steps.rules[0], after, action)
        measure, hash_ = survey(after)
        if measure < storage.now[MEASURE]:
            if is_new(storage, card, target_of(storage.tables[table], action)):
                add(storage, table, action, 0)
        elif start_line(storage, table, hash_):
            add_move(storage, action)
            keep_table(storage, table, storage.steps_to[table] + 1)

    # --- Tables

    @kernel
    def start_line(storage: Storage, table: int, hash_: int) -> bool:
        """Begins the line to the table on trial; returns False if it has been met, or there is no room."""
        met = storage.now[MET]
        if storage.steps_to[table] >= MOST_PREPARED or storage.lengths[table] == MOST_LINE or met == TABLES:
            return False
        for other in range(met):
            if storage.hashes[other] == hash_:
                return False
        storage.hashes[met] = hash_
        copy_line(storage, table)
        return True

    @kernel
    def copy_line(storage: Storage, table: int) -> None:
        met = storage.now[MET]
        storage.lengths[met] = storage.lengths[table]
        for i in range(storage.lengths[table]):
            storage.lines[met, i] = storage.lines[table, i]

    @kernel
    def add_move(storage: Storage, action: int) -> None:
        met = storage.now[MET]
        storage.lines[met, storage.lengths[met]] = action
        storage.lengths[met] += 1

    @kernel
    def keep_table(storage: Storage, table: int, steps: int) -> None:
        """Keeps the table on trial, whose line and hash are written."""
        met = storage.now[MET]
        storage.tables[met], storage.steps_to[met] = storage.tables[TABLES], steps
        storage.now[MET] = met + 1

    # --- Runs that move card by card

    @kernel
    def find_runs(storage: Storage, table: int) -> None:
        """Finds the moves of two cards and more that join a run, through free places, to a card or a space."""
        state, spaces, free = storage.tables[table], 0, 0
        for pile in range(PILES):
            spaces += state.heights[pile] == 0
        for cell in range(PILES, PILES + CELLS):
            if CELLS:
                free += state.tops[cell] == EMPTY and cell - PILES < state.num_cells
        room = free + (0 if KINGS or NO_SPACES else spaces)
        for pile in range(PILES):
            height, moved = state.heights[pile], 1
            while moved <= room and moved < height:
                row = ROWS * pile + height - moved
                if not FITS_ON[state.tableau[row - 1], state.tableau[row]]:
                    break
                moved += 1
                card = int(state.tableau[row - 1])
                for target in range(PILES):
                    if FITS_ON[state.tops[target], card] and target != pile:
                        move_run(storage, table, pile, moved, target)
                may_go = spaces > 0 and not NO_SPACES and moved < height and (not KINGS or RANK[card] == NUM_RANKS)
                if may_go and moved <= room - (not KINGS) + 1:
                    move_run(storage, table, pile, moved, NO_PILE)

    @kernel
    def move_run(storage: Storage, table: int, pile: int, moved: int, target: int) -> None:
        """Tries the moves of a run; as `try_action`."""
        met = storage.now[MET]
        if met == TABLES or storage.lengths[table] + 2 * moved - 1 > MOST_LINE:
            return
        if storage.steps_to[table] >= MOST_PREPARED:
            return
        storage.tables[TABLES] = storage.tables[table]
        after = storage.tables[TABLES]
        copy_line(storage, table)
        for i in range(moved - 1):
            storage.run[i] = after.tops[pile]
            put_aside(storage, after, pile)
        card, on = int(after.tops[pile]), EMPTY if target == NO_PILE else int(after.tops[target])
        move(storage, after, to_space(card) if target == NO_PILE else to_card(after, card, target))
        to = after.where[card]
        for i in range(moved - 2, -1, -1):
            move(storage, after, to_card(after, storage.run[i], to))
        measure, hash_ = survey(after)
        storage.hashes[met] = hash_
        if measure < storage.now[MEASURE]:
            if is_new(storage, card, on):
                add(storage, met, NO_ACTION, 0)
                keep_table(storage, table, DONE)
            return
        for other in range(met):
            if storage.hashes[other] == hash_:
                return
        keep_table(storage, table, storage.steps_to[table] + 1)

    @kernel
    def move(storage: Storage, state: Any, action: int) -> None:
        add_move(storage, action)
        apply(storage.steps.rules[0], state, action)

    @kernel
    def put_aside(storage: Storage, state: Any, pile: int) -> None:
        """Puts the top of a pile into a free cell, or else on a space."""
        if CELLS:
            for cell in range(PILES, PILES + state.num_cells):
                if state.tops[cell] == EMPTY:
                    move(storage, state, TO_CELLS + pile)
                    return
        move(storage, state, to_space(state.tops[pile]))

    @kernel
    def to_space(card: int) -> int:
        return int(TO_SPACE + (SUIT[card] if KINGS else card - 1))

    @kernel
    def to_card(state: Any, card: int, pile: int) -> int:
        """Returns the action that moves a card to a pile on whose top it fits."""
        action = TO_PILE + FITTING * pile
        if FITTING:
            while FITS[state.tops[pile], action - TO_PILE - FITTING * pile] != card:
                action += 1
        return int(action)

    # --- Candidates

    @kernel
    def moves(storage: Storage, k: int, line: Any) -> int:
        table = storage.candidates[k, TABLE]
        length = storage.lengths[table]
        for i in range(length):
            line[i] = storage.lines[table, i]
        if TO_WASTE:
            if storage.candidates[k, PLACE] > 0:
                rules, state = storage.steps.rules[0], storage.steps.states[0]
                length = write_draws(rules, state, storage.candidates[k, PLACE], line, length)
        if storage.candidates[k, ACTION] == NO_ACTION:
            return int(length)
        line[length] = storage.candidates[k, ACTION]
        return int(length + 1)

    @kernel
    def play_out(storage: Storage, k: int) -> None:
        steps, length = storage.steps, moves(storage, k, storage.line)
        steps.states[1] = steps.states[0]
        for i in range(length):
            apply(steps.rules[0], steps.states[1], storage.line[i])

    return Candidates(count, moves, play_out)
