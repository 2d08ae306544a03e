"""The choices of Klondike: plays that make progress, each with the moves that lead to it.

`candidates` finds them, and `inputs` describes the positions after them. This file writes the observation after a move,
and computes the worth of a game.
"""

from typing import Any, Final

from solitaire_agents.choices import Choices, copy, share_of_cards, wins
from solitaire_agents.klondike.candidates import (
    MOST_CANDIDATES,
    MOST_MOVES,
    count,
    new_storage,
    write_moves,
)
from solitaire_agents.klondike.inputs import INPUTS, MOST_ON, MOST_REDEALS, describe, mirror_image
from solitaire_agents.piles import count_cards, first_empty, redeal, take_first, take_last, turn_over
from solitaire_envs import klondike
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.klondike import AT, FIRST_DOWN, SOURCE, STOCK_SIZE, TARGET
from solitaire_envs.klondike_table import DRAW, EMPTY, FOUNDATION, RANK, REDEAL, SUIT, WASTE

ROW_SIZE: Final = 2_048
MANY_PASSES: Final = MOST_REDEALS + 1
"""Higher numbers of passes are treated as this one."""


def klondike_choices(options: klondike.KlondikeOptions) -> Choices:
    """Returns the choices of Klondike."""
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
        worth=wins if options.objective == "win" else share_of_cards,
        rules={
            "draw": options.draw,
            "returns": options.returns,
            "passes": None if options.passes is None else min(options.passes, MANY_PASSES),
        },
        mirror=mirror_image(),
    )


# --- The position after a move ----------------------------------------------------------------------------------------


@kernel
def play_on(observation: Any, action: int, after: Any) -> None:
    """Writes the observation after a legal move, before a card is turned up. As in `Choices`.

    Cards that are turned up or drawn are written as they were shown before: as unseen, if they were hidden.
    """
    copy(observation, after)
    source, target = SOURCE[action], TARGET[action]
    if action == DRAW:
        stock = count_cards(after, AT.stock, STOCK_SIZE)
        turn_over(after, AT.stock, AT.waste, STOCK_SIZE, min(after[AT.draw], stock))
    elif action == REDEAL:
        redeal(after, AT.stock, AT.waste, STOCK_SIZE, AT.pass_, AT.redeals)
    elif source < WASTE and target < WASTE:
        _move_run(after, source, target)
    else:
        card = _take(after, source)
        if target == FOUNDATION:
            after[AT.foundations + SUIT[card]] += 1
        else:
            after[first_empty(after, target * NUM_RANKS, NUM_RANKS)] = card


@kernel
def _take(board: Any, source: int) -> int:
    """Takes the top card of a source; returns it."""
    if source == WASTE:
        return int(take_first(board, AT.waste, STOCK_SIZE))
    if source >= FOUNDATION:
        suit = source - FOUNDATION
        board[AT.foundations + suit] -= 1
        return int(NUM_RANKS * suit + board[AT.foundations + suit] + 1)
    card = take_last(board, source * NUM_RANKS, NUM_RANKS)
    _turn_up(board, source)
    return int(card)


@kernel
def _move_run(board: Any, source: int, target: int) -> None:
    """Moves all face-up cards to an empty pile, else those from the card that fits on."""
    start, end = source * NUM_RANKS, first_empty(board, source * NUM_RANKS, NUM_RANKS)
    place = first_empty(board, target * NUM_RANKS, NUM_RANKS)
    if place > target * NUM_RANKS:
        start = end - RANK[board[place - 1]] + RANK[board[end - 1]]
    for moved in range(start, end):
        board[place + moved - start] = board[moved]
        board[moved] = EMPTY
    _turn_up(board, source)


@kernel
def _turn_up(board: Any, pile: int) -> None:
    """Turns up a pile's uppermost face-down card, if no other card is left on it."""
    end = first_empty(board, AT.face_down + FIRST_DOWN[pile], pile) - 1
    if board[pile * NUM_RANKS] == EMPTY and end >= AT.face_down + FIRST_DOWN[pile]:
        board[pile * NUM_RANKS] = board[end]
        board[end] = EMPTY
