"""Runs that move card by card, through free cells and spaces, as one step: where the rules move one card at a time."""

from functools import cache
from typing import Any, Final

from solitaire_agents.piles.progress import fits_on, survey_of
from solitaire_agents.piles.tables import (
    DONE,
    MEASURE,
    NO_ACTION,
    TRIAL,
    VISITED,
    Storage,
    add,
    add_move,
    copy_line,
    is_new,
    is_visited,
    keep_table,
    may_add_table,
)
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.game import Game
from solitaire_envs.jit import kernel
from solitaire_envs.piles.shape import EMPTY, PileShape

NO_PILE: Final = -1
"""Stands for an empty pile as a target."""


def moves_runs(shape: PileShape) -> bool:
    """Returns whether a game has such moves."""
    t = shape.game.tableau
    has_room = shape.sizes.cells > 0 or t.spaces == "any"
    return t.moves == "tops" and shape.sizes.fits > 0 and has_room and not t.refill


@cache
def find_runs_of(game: Game, shape: PileShape) -> Any:  # noqa: PLR0915  # short kernels that share a declaration
    """Makes the kernel (storage, table), which finds the moves of runs on a table."""
    apply, survey, actions, t = game.apply, survey_of(shape), shape.actions, shape.game.tableau
    PILES, FITTING, CELLS, ROWS = shape.sizes.piles, shape.sizes.fits, shape.sizes.cells, shape.sizes.rows
    TO_PILE, TO_CELLS, TO_SPACE = actions.to_pile, actions.to_cell, actions.to_space
    KINGS, NO_SPACES, FITS, FITS_ON = (
        t.spaces == "kings",
        t.spaces == "none",
        shape.fits,
        fits_on(shape, runs=False),
    )

    RANK, LINE = shape.pack.rank, shape.pack.line

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
        """Makes the moves a candidate if they make progress; else makes them a preparing step."""
        if not may_add_table(storage, table, 2 * moved - 1):
            return
        storage.tables[TRIAL] = storage.tables[table]
        after = storage.tables[TRIAL]
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
        if measure >= storage.now[MEASURE]:
            if not is_visited(storage, hash_):
                keep_table(storage, hash_, storage.steps_to[table] + 1)
        elif is_new(storage, card, on):
            add(storage, storage.now[VISITED], NO_ACTION, 0)
            keep_table(storage, hash_, DONE)

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
        return int(TO_SPACE + (LINE[card] if KINGS else card - 1))

    @kernel
    def to_card(state: Any, card: int, pile: int) -> int:
        """Returns the action that moves a card to a pile on whose top it fits."""
        action = TO_PILE + FITTING * pile
        if FITTING:
            while FITS[state.tops[pile], action - TO_PILE - FITTING * pile] != card:
                action += 1
        return int(action)

    return find_runs
