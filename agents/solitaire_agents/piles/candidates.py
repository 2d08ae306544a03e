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
from typing import Any, NamedTuple

from solitaire_agents.choices import FORCED, steps_over, write_draws
from solitaire_agents.piles.dominances import dominances_of, safe_moves_of
from solitaire_agents.piles.progress import survey_of
from solitaire_agents.piles.runs import find_runs_of, moves_runs
from solitaire_agents.piles.tables import (
    ACTION,
    CLOCK,
    FOUND,
    FROM_TABLE,
    MEASURE,
    NO_ACTION,
    PLACE,
    TO_CELL,
    TRIAL,
    UP,
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
from solitaire_agents.piles.talon import talon_of
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.game import Game
from solitaire_envs.jit import kernel
from solitaire_envs.piles.shape import EMPTY, PileShape, neighbours


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
    apply, legal, survey, look = game.apply, game.legal, survey_of(shape), steps_over(game).look
    DRAW, FIRST_UP, END_UP = actions.draw, actions.up, actions.up + shape.ups
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
    FITS, NEIGHBOURS = shape.fits, neighbours(shape.pack, shape.hole is not None and shape.hole.wrap)
    NEXT_UP, COPIES = shape.pack.next_up, shape.pack.copies
    RUNS, find_runs = moves_runs(shape), find_runs_of(game, shape)
    known, is_within_reach, _, card_at = talon_of(shape)
    SAFE, (_, safe_move) = dominances_of(shape).safe, safe_moves_of(shape)

    @kernel
    def count(storage: Storage, observation: Any, mask: Any) -> int:
        now = storage.now
        look(storage.steps, observation)
        storage.tables[0] = storage.steps.states[0]
        now[FOUND], now[VISITED], now[CLOCK] = 0, 1, now[CLOCK] + 1
        now[MEASURE], storage.hashes[0] = survey(storage.tables[0])
        storage.steps_to[0] = storage.lengths[0] = 0
        if SAFE:
            legal(storage.steps.rules[0], storage.tables[0], storage.mask)
            only = safe_move(storage.steps.rules[0], storage.tables[0], storage.mask)
            if only >= 0:
                add(storage, 0, only, 0)
                return FORCED
        if STOCK:
            if mask[DRAW] and is_fresh(storage.tables[0]):
                add(storage, 0, DRAW, 0)
        if TO_WASTE:
            mark_reach(storage)
        table = 0
        while table < now[VISITED]:
            if storage.steps_to[table] <= storage.most_steps:
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
            if is_within_reach(storage.steps.rules[0], storage.steps.states[0], place):
                card = card_at(table, place)
                table.where[card], storage.places[card] = WASTE, place

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
                line = k // COPIES
                return int(NEXT_UP[line, state.foundations[line], k % COPIES])
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
        storage.tables[TRIAL] = storage.tables[table]
        after = storage.tables[TRIAL]
        apply(storage.steps.rules[0], after, action)
        measure, hash_ = survey(after)
        if measure < storage.now[MEASURE]:
            if is_new(storage, card, target_of(storage.tables[table], action)):
                add(storage, table, action, 0)
        elif may_add_table(storage, table, 1) and not is_visited(storage, hash_):
            copy_line(storage, table)
            add_move(storage, action)
            keep_table(storage, hash_, storage.steps_to[table] + 1)

    # --- Candidates

    @kernel
    def moves(storage: Storage, k: int, line: Any) -> int:
        table = storage.candidates[k, FROM_TABLE]
        length = storage.lengths[table]
        for i in range(length):
            line[i] = storage.lines[table, i]
        if TO_WASTE:
            if storage.candidates[k, PLACE] > 0:
                draws, state = storage.steps.rules[0].draw, storage.steps.states[0]
                length = write_draws(state, draws, storage.candidates[k, PLACE], line, length)
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
