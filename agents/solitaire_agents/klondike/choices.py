"""The choices of Klondike: plays that make progress, with all moves that lead to each.

`candidates` finds them, and `inputs` describes the positions after them. This file writes what is seen after a move,
and says what a game was worth.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.choices import Choices, copy
from solitaire_agents.klondike.candidates import (
    DOWN_SLOT,
    DRAW_SLOT,
    FOUNDATION_SLOT,
    MOST_CANDIDATES,
    MOST_MOVES,
    PASS_SLOT,
    REDEALS_SLOT,
    STOCK_SLOT,
    WASTE_SLOT,
    count,
    new_storage,
    write_moves,
)
from solitaire_agents.klondike.inputs import INPUTS, MOST_ON, MOST_REDEALS, describe, mirror_image
from solitaire_envs import klondike
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.klondike import FIRST_DOWN, SOURCE, STOCK_SIZE, TARGET
from solitaire_envs.klondike_table import DRAW, EMPTY, FOUNDATION, RANK, REDEAL, SUIT, WASTE

ROW_SIZE: Final = 2_048
MANY_PASSES: Final = MOST_REDEALS + 1
"""Higher numbers of passes look alike, and are learned as this one."""
HIGHEST_PASS: Final = 10_000
"""The pass that an observation shows stops counting here."""


def klondike_choices(options: klondike.KlondikeOptions) -> Choices:
    """Returns the choices of Klondike.

    Raises:
        ValueError: The game does not show what the inputs are about.
    """
    if options.information == "table":
        raise ValueError("expected information='memory' for an agent that is trained, got 'table'")
    return Choices(
        inputs=INPUTS,
        most_on=MOST_ON,
        most_candidates=MOST_CANDIDATES,
        most_moves=MOST_MOVES,
        row_size=ROW_SIZE,
        new_storage=new_storage,
        count=count,
        describe=describe,
        moves=write_moves,
        after=play_on,
        worth=_wins if options.objective == "win" else _cards_up,
        chance=options.objective == "win",
        rules={
            "draw": options.draw,
            "returns": options.returns,
            "passes": None if options.passes is None else min(options.passes, MANY_PASSES),
        },
        mirror=mirror_image(),
    )


def _wins(outcomes: Any) -> NDArray[np.float32]:
    return np.asarray(outcomes["won"], np.float32)


def _cards_up(outcomes: Any) -> NDArray[np.float32]:
    return np.asarray(outcomes["score"] / NUM_CARDS, np.float32)


# --- The position after a move ----------------------------------------------------------------------------------------


@kernel
def play_on(observation: Any, action: int, after: Any) -> None:
    """Writes what is seen after a legal move, before a card is turned up. As in `Choices`.

    Cards that are turned up or drawn are written as they were shown: with their backs up, if they were hidden.
    """
    copy(observation, after)
    source, target = SOURCE[action], TARGET[action]
    if action == DRAW:
        for _ in range(min(after[DRAW_SLOT], _first_empty(after, STOCK_SLOT, STOCK_SIZE) - STOCK_SLOT)):
            _push(after, WASTE_SLOT, _pop(after, STOCK_SLOT))
    elif action == REDEAL:
        _turn_over(after)
    elif source < WASTE and target < WASTE:
        _move_run(after, source, target)
    else:
        card = _take(after, source)
        if target == FOUNDATION:
            after[FOUNDATION_SLOT + SUIT[card]] += 1
        else:
            after[_first_empty(after, target * NUM_RANKS, NUM_RANKS)] = card


@kernel
def _take(board: Any, source: int) -> int:
    """Takes the top card of a source; returns it."""
    if source == WASTE:
        return int(_pop(board, WASTE_SLOT))
    if source >= FOUNDATION:
        suit = source - FOUNDATION
        board[FOUNDATION_SLOT + suit] -= 1
        return int(NUM_RANKS * suit + board[FOUNDATION_SLOT + suit] + 1)
    top = _first_empty(board, source * NUM_RANKS, NUM_RANKS) - 1
    card = board[top]
    board[top] = EMPTY
    _turn_up(board, source)
    return int(card)


@kernel
def _move_run(board: Any, source: int, target: int) -> None:
    """Moves all face-up cards, or as many as make the undermost fit."""
    start, end = source * NUM_RANKS, _first_empty(board, source * NUM_RANKS, NUM_RANKS)
    place = _first_empty(board, target * NUM_RANKS, NUM_RANKS)
    if place > target * NUM_RANKS:
        start = end - RANK[board[place - 1]] + RANK[board[end - 1]]
    for moved in range(start, end):
        board[place + moved - start] = board[moved]
        board[moved] = EMPTY
    _turn_up(board, source)


@kernel
def _turn_up(board: Any, pile: int) -> None:
    """Turns up a pile's uppermost face-down card, if no other card is left on it."""
    end = _first_empty(board, DOWN_SLOT + FIRST_DOWN[pile], pile) - 1
    if board[pile * NUM_RANKS] == EMPTY and end >= DOWN_SLOT + FIRST_DOWN[pile]:
        board[pile * NUM_RANKS] = board[end]
        board[end] = EMPTY


@kernel
def _turn_over(board: Any) -> None:
    """Makes the waste the stock, which is empty."""
    for _ in range(_first_empty(board, WASTE_SLOT, STOCK_SIZE) - WASTE_SLOT):
        _push(board, STOCK_SLOT, _pop(board, WASTE_SLOT))
    board[PASS_SLOT] = min(board[PASS_SLOT] + 1, HIGHEST_PASS)
    if board[REDEALS_SLOT] > 0:
        board[REDEALS_SLOT] -= 1


@kernel
def _pop(board: Any, pile: int) -> int:
    """Takes the top of stock or waste; returns the card."""
    card = board[pile]
    for k in range(pile, pile + STOCK_SIZE - 1):
        board[k] = board[k + 1]
    board[pile + STOCK_SIZE - 1] = EMPTY
    return int(card)


@kernel
def _push(board: Any, pile: int, card: int) -> None:
    """Puts a card on stock or waste."""
    for k in range(pile + STOCK_SIZE - 1, pile, -1):
        board[k] = board[k - 1]
    board[pile] = card


@kernel
def _first_empty(board: Any, start: int, size: int) -> int:
    """Returns the first slot of a pile without a card, or the one behind the pile."""
    slot = start
    while slot < start + size and board[slot] != EMPTY:
        slot += 1
    return slot
