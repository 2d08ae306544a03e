"""The inputs that describe a position of a declared game to a network: all that a player knows, and no pile's number.

An input is on as often as what it stands for is there. Inputs tell what each face-up card lies on, where each card is,
where the next cards of the foundations are, what cards wait for (`waiting`), what is free, and what is left. Where
suits mean nothing, as in a hole, a card is its rank. Cards that are hidden are unseen in the state, or are not read.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.piles.codes import (
    AWAY,
    CODE_OF_DEPTH,
    IN_CELL,
    PLACES,
    RESERVE,
    RETURNABLE,
    TALON,
    UP,
)
from solitaire_agents.piles.progress import BLOCKS, FRESH, LEFT, part_of, survey_of
from solitaire_agents.piles.talon import talon_of
from solitaire_agents.piles.waiting import waiting_blocks, waiting_of
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.game import NO_LIMIT, Game
from solitaire_envs.jit import kernel
from solitaire_envs.piles.shape import EMPTY, PileShape, pack_of

AHEAD: Final = 3
"""Number of next cards of each suit whose places are inputs."""
MOST_REDEALS: Final = 3
MOST_LEGAL: Final = 24
RELATIONS: Final = 3
"""Of the same suit, of the same colour, of the other."""
EACH_CARD, BELOW, EACH_SUIT = "card", "below", "suit"
"""Axes that a mirror image changes: 52 faces; 54 codes of what lies below; four suits."""
FACES: Final = pack_of(1, 4)
LENGTHS: Final = {EACH_CARD: NUM_CARDS, BELOW: FACES.codes, EACH_SUIT: 4}
NONE: Final = -1
"""The first input of a block that a game does not have."""
Blocks = Mapping[str, tuple[str | int, ...]]


class Inputs(NamedTuple):
    """How the positions of a game are described."""

    number: int
    most_on: int
    describe: Any
    """Kernel (rules, state, mask to write to, codes int64 [codes] to write to, on) -> the number of inputs on."""
    mirror: NDArray[np.uint16] | None
    """As in `Choices`."""


def blocks_of(shape: PileShape) -> Blocks:
    """Returns the blocks of inputs of a game: name -> its axes."""
    n, hole, cards = shape.sizes, shape.hole is not None, shape.pack.number
    common: dict[str, tuple[str | int, ...]] = {
        "downs": (NUM_RANKS, cards),
        "free": (n.piles + 1, n.cells + 1),
        "left": (cards + 1,),
        "fresh": (cards + 1,),
        "blocks": (cards + 1,),
        "legal": (MOST_LEGAL + 1,),
        "redeals": (MOST_REDEALS + 2,),
        "draw": (5,),
        "cells": (n.cells + 1,),
        "flags": (2,),
    }
    if hole:
        own: dict[str, tuple[str | int, ...]] = {
            "on": (NUM_RANKS, NUM_RANKS + 2),
            "where": (NUM_RANKS, PLACES),
            "tops": (NUM_RANKS, NUM_RANKS),
            "hole": (NUM_RANKS,),
            "count": (NUM_RANKS, 5),
            "height": (n.rows + 1,),
        }
    else:
        own = {
            "on": (EACH_CARD, BELOW),
            "where": (EACH_CARD, PLACES),
            "relation": (NUM_RANKS, NUM_RANKS, RELATIONS),
            "next": (AHEAD, NUM_RANKS + 1, PLACES),
            "up": (EACH_SUIT, NUM_RANKS + 1),
            "all_up": (cards + 1,),
            **waiting_blocks(shape),
        }
    return {**own, **common}


def _size(axes: tuple[str | int, ...]) -> int:
    return int(np.prod([LENGTHS.get(axis, axis) for axis in axes]))  # type: ignore[arg-type]


def firsts_of(shape: PileShape) -> tuple[dict[str, int], int]:
    """Returns the first input of each block, and the number of all."""
    firsts, number = {}, 0
    for name, axes in blocks_of(shape).items():
        firsts[name] = number
        number += _size(axes)
    return firsts, number


def mirror_of(shape: PileShape) -> NDArray[np.uint16] | None:
    """Returns input -> its image if the suits of a colour swap, or the only two; None if there is nothing to swap."""
    if shape.hole is not None or shape.game.suits == 1:
        return None
    suits = np.array([3, 2, 1, 0] if shape.game.suits == 4 else [0, 1, 3, 2])
    cards = np.arange(NUM_CARDS).reshape(4, NUM_RANKS)[suits].ravel()
    images = {EACH_CARD: cards, BELOW: np.array([EMPTY, *cards + 1, FACES.unseen]), EACH_SUIT: suits}
    image, first = list[NDArray[Any]](), 0
    for axes in blocks_of(shape).values():
        lengths = [LENGTHS.get(axis, axis) for axis in axes]  # type: ignore[arg-type]
        numbers = np.arange(_size(axes)).reshape(lengths)
        for place, axis in enumerate(axes):
            if axis in images:
                numbers = numbers.take(images[axis], axis=place)
        image.append(first + numbers.ravel())
        first += numbers.size
    return np.concatenate([*image, [first]]).astype(np.uint16)


@cache
def inputs_of(game: Game, shape: PileShape) -> Inputs:  # noqa: PLR0915  # short kernels that share a declaration
    """Makes the inputs of a game, always the same ones."""
    sizes, places, legal, survey = shape.sizes, shape.places, game.legal, survey_of(shape)
    first, number = firsts_of(shape)
    ON, WHERE, DOWNS, FREE, LEGAL = (first[name] for name in ("on", "where", "downs", "free", "legal"))
    LEFTS, FRESHS, BLOCKED = first["left"], first["fresh"], first["blocks"]
    REDEALS, DRAWS, CELLS_USED, FLAGS = (first[name] for name in ("redeals", "draw", "cells", "flags"))
    HOLE, TO_WASTE, DOWN, HIDES = shape.hole is not None, shape.to_waste, sizes.downs > 0, shape.hides
    PILES, ROWS, CELLS = sizes.piles, sizes.rows, sizes.cells
    FIRST_CELL, FIRST_RESERVE, WASTE, FOUNDATION = places.cell, places.reserve, places.waste, places.foundation
    FIRST_PLAY = shape.actions.up
    RETURNS, WHOLE = shape.returns, shape.game.tableau.whole_piles is not None
    KEYS = NUM_RANKS if HOLE else NUM_CARDS
    pack = shape.pack
    RANK, SUIT, COLOUR, CODES, UNSEEN = pack.rank, pack.suit, pack.is_red, pack.codes, pack.unseen
    NUMBER, LINES, COPIES, NEXT_UP = pack.number, pack.lines, pack.copies, pack.next_up
    KEY = np.array([0, *((RANK if HOLE else pack.face)[1:UNSEEN]), KEYS + 1], np.int64)  # EMPTY 0, unseen last
    RELATION = np.array(
        [[0 if SUIT[a] == SUIT[b] else 1 if COLOUR[a] == COLOUR[b] else 2 for b in range(CODES)] for a in range(CODES)]
    )
    known, _, code, card_at = talon_of(shape)
    TOPS, TOP_OF_HOLE, COUNT, HEIGHT = (first.get(name, NONE) for name in ("tops", "hole", "count", "height"))
    waiting: Any = None if HOLE else waiting_of(shape, first)
    RELATED, NEXT, UPS, ALL_UP = (first.get(name, NONE) for name in ("relation", "next", "up", "all_up"))

    @kernel
    def describe(rules: Any, state: Any, mask: Any, codes: Any, on: Any) -> int:
        for card in range(CODES):
            codes[card] = AWAY
        n, spaces = tableau(state, codes, on)
        beside(rules, state, codes)
        if HOLE:
            n = hole(state, codes, on, n)
        else:
            n = foundations(state, codes, on, n)
            note_returnable(rules, state, codes)
        for card in range(1, UNSEEN):
            if codes[card] not in (UP, RETURNABLE):
                on[n] = WHERE + (KEY[card] - 1) * PLACES + codes[card]
                n += 1
        n = counts(rules, state, mask, spaces, on, n)
        if not HOLE:
            n = waiting(rules, state, codes, spaces, on, n)
        return options(rules, state, on, n)

    @kernel
    def tableau(state: Any, codes: Any, on: Any) -> tuple[int, int]:
        """Writes what each face-up card lies on; returns the number of inputs, and of empty piles."""
        n, spaces = 0, 0
        for pile in range(PILES):
            below, height, downs = EMPTY, state.heights[pile], 0
            if DOWN:
                downs = state.downs[pile]
            if downs > 0:
                below = UNSEEN
            spaces += height == 0 and downs == 0
            for row in range(height):
                card = state.tableau[ROWS * pile + row]
                if card != UNSEEN:
                    codes[card] = CODE_OF_DEPTH[height - 1 - row]
                    on[n] = ON + (KEY[card] - 1) * (KEYS + 2) + KEY[below]
                    n += 1
                    if downs > 0 and row == 0:
                        on[n] = DOWNS + (RANK[card] - 1) * NUMBER + downs
                        n += 1
                    if not HOLE:
                        if RANK[below] > 0:
                            pair = (RANK[card] - 1) * NUM_RANKS + RANK[below] - 1
                            on[n] = RELATED + pair * RELATIONS + RELATION[card, below]
                            n += 1
                below = card
        return n, spaces

    @kernel
    def beside(rules: Any, state: Any, codes: Any) -> None:
        """Notes the cards in cells, reserve, waste and stock."""
        if CELLS:
            for place in range(FIRST_CELL, FIRST_CELL + CELLS):
                codes[state.tops[place]] = IN_CELL
        for place in range(FIRST_RESERVE, WASTE):
            codes[state.tops[place]] = RESERVE
        if TO_WASTE:
            for place in range(1, known(state) + 1):
                codes[card_at(state, place)] = TALON + code(rules, state, place)

    @kernel
    def hole(state: Any, codes: Any, on: Any, n: int) -> int:
        """Writes the hole's top, and how it goes with each top and each rank that is left."""
        if HOLE:
            rank = RANK[state.tops[FOUNDATION]]
            if rank > 0:
                on[n] = TOP_OF_HOLE + rank - 1
                n += 1
            for pile in range(PILES):
                on[n] = HEIGHT + state.heights[pile]
                n += 1
                top = RANK[state.tops[pile]]
                if rank > 0 and top > 0:
                    on[n] = TOPS + (rank - 1) * NUM_RANKS + top - 1
                    n += 1
            for each in range(1, NUM_RANKS + 1):
                left = 0
                for suit in range(4):
                    left += codes[NUM_RANKS * suit + each] != AWAY
                on[n] = COUNT + (each - 1) * 5 + left
                n += 1
            note_played(state, codes)
        return n

    @kernel
    def note_played(state: Any, codes: Any) -> None:
        """Notes which cards have gone to the foundations or the hole: those that are nowhere else."""
        for card in range(1, UNSEEN):
            is_elsewhere = codes[card] != AWAY
            if HIDES:
                is_elsewhere |= state.unseen[card - 1] != 0
            if not is_elsewhere:
                codes[card] = UP

    @kernel
    def foundations(state: Any, codes: Any, on: Any, n: int) -> int:
        """Writes how high the foundations are, and where their next cards lie."""
        all_up = 0
        if COPIES > 1:
            note_played(state, codes)
        if not HOLE:
            for line in range(LINES):
                height = state.foundations[line]
                all_up += height
                on[n] = UPS + SUIT[NUM_RANKS * line + 1] * (NUM_RANKS + 1) + height
                n += 1
                if COPIES == 1:
                    for card in range(NUM_RANKS * line + 1, NUM_RANKS * line + 1 + height):
                        codes[card] = UP
                for ahead in range(min(AHEAD, NUM_RANKS - height)):
                    for copy in range(COPIES):
                        place = codes[NEXT_UP[line, height + ahead, copy]]
                        on[n] = NEXT + (ahead * (NUM_RANKS + 1) + height) * PLACES + place
                        n += 1
            on[n] = ALL_UP + all_up
            n += 1
        return n

    @kernel
    def note_returnable(rules: Any, state: Any, codes: Any) -> None:
        """Notes the tops of the foundations that may come back."""
        if RETURNS:
            for line in range(LINES):
                if rules.returns and state.foundations[line] > 0:
                    codes[NUM_RANKS * line + state.foundations[line]] = RETURNABLE

    @kernel
    def counts(rules: Any, state: Any, mask: Any, spaces: int, on: Any, n: int) -> int:
        """Writes what is free, what is left, and how many moves there are."""
        measure, _ = survey(state)
        free = 0
        if CELLS:
            for cell in range(CELLS):
                free += cell < state.num_cells and state.tops[FIRST_CELL + cell] == EMPTY
        legal(rules, state, mask)
        plays = 0
        for action in range(FIRST_PLAY, len(mask)):
            plays += mask[action]
        on[n] = FREE + spaces * (CELLS + 1) + free
        on[n + 1] = LEFTS + part_of(measure, LEFT)
        on[n + 2] = FRESHS + part_of(measure, FRESH)
        on[n + 3] = BLOCKED + part_of(measure, BLOCKS)
        on[n + 4] = LEGAL + min(plays, MOST_LEGAL)
        return n + 5

    @kernel
    def options(rules: Any, state: Any, on: Any, n: int) -> int:
        """Writes the rules of the game, for networks that learn several."""
        if CELLS:
            on[n] = CELLS_USED + state.num_cells
            n += 1
        if TO_WASTE:
            endless = rules.passes == NO_LIMIT
            on[n] = REDEALS + (MOST_REDEALS + 1 if endless else min(rules.passes - state.current_pass, MOST_REDEALS))
            on[n + 1] = DRAWS + min(rules.draw, 4)
            n += 2
        if RETURNS:
            if rules.returns:
                on[n] = FLAGS
                n += 1
        if WHOLE:
            if rules.whole_piles:
                on[n] = FLAGS + 1
                n += 1
        return n

    most_on = 4 * NUMBER + 2 * sizes.stock + 7 * PILES + LINES * (1 + AHEAD * COPIES) + max(shape.face_down) + 20
    return Inputs(number, most_on, describe, mirror_of(shape))
