"""The choices of La tour infernale: where to stand before the next card is drawn, or before the waste is turned over.

`candidates` finds what is within reach, and `inputs` describes it. This file turns a candidate's line into actions, and
says what a game was worth.
"""

from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.choices import Choices, copy
from solitaire_agents.tour_infernale.bitboard import (
    DRAWN,
    FOUNDATION_SLOT,
    PASS_SLOT,
    REDEALS_SLOT,
    STOCK_SLOT,
    WASTE_SLOT,
    action_of,
)
from solitaire_agents.tour_infernale.candidates import MOST_CANDIDATES, MOST_MOVES, count, new_storage, write_path
from solitaire_agents.tour_infernale.inputs import INPUTS, MOST_ON, MOST_REDEALS, describe
from solitaire_agents.tour_infernale.solver.options import check_options
from solitaire_envs import tour_infernale
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import DRAW, EMPTY, FOUNDATION, REDEAL, SOURCE, STOCK_SIZE, SUIT, TARGET, WASTE

ROW_SIZE: Final = 16_384
"""The mean is 1,700, but a choice in 200 takes more than 12,288, and a very few a little more than this."""
MANY_PASSES: Final = MOST_REDEALS + 1
"""Higher numbers of passes look alike, and are learned as this one."""
MIDDLE, SPREAD = 150, 22
"""Without a limit of passes, a win in `MIDDLE` moves is worth 0.5; `SPREAD` more moves lower the logit of this by 1."""
HIGHEST_PASS: Final = 10_000
"""The pass that an observation shows stops counting here."""


def tour_infernale_choices(options: tour_infernale.TourInfernaleOptions) -> Choices:
    """Returns the choices of La tour infernale.

    Agents play only with the numbers of piles and passes that they have learned with: what they know says little about
    others.

    Raises:
        ValueError: The game does not show what the inputs are about, or has an option that the candidates do not know.
    """
    check_options(options)
    if options.information == "table":
        raise ValueError("expected information='memory' for an agent that is trained, got 'table'")
    count_moves = options.objective == "win" and options.passes is None
    return Choices(
        inputs=INPUTS,
        most_on=MOST_ON,
        most_candidates=MOST_CANDIDATES,
        most_moves=MOST_MOVES,
        row_size=ROW_SIZE,
        new_storage=partial(new_storage, options.piles),
        count=count,
        describe=describe,
        moves=write_moves,
        after=play_on,
        worth=_few_moves if count_moves else _wins if options.objective == "win" else _cards_up,
        chance=options.objective == "win" and not count_moves,
        rules={
            "piles": options.piles,
            "passes": None if options.passes is None else min(options.passes, MANY_PASSES),
        },
    )


# --- What a game was worth --------------------------------------------------------------------------------------------


def _wins(outcomes: Any) -> NDArray[np.float32]:
    return np.asarray(outcomes["won"], np.float32)


def _cards_up(outcomes: Any) -> NDArray[np.float32]:
    return np.asarray(outcomes["score"] / NUM_CARDS, np.float32)


def _few_moves(outcomes: Any) -> NDArray[np.float32]:
    """Every deal can be won if passes have no limit, so a win is worth more, the fewer moves it takes.

    A win in 120 moves is worth 0.8, one in 150 moves 0.5, one in 180 moves 0.2. It falls towards 0
    smoothly, so that players who take many more moves learn too.
    """
    logits = (MIDDLE - outcomes["moves"]) / SPREAD
    return np.asarray(outcomes["won"] * (1 + np.tanh(logits / 2)) / 2, np.float32)


# --- Moves ------------------------------------------------------------------------------------------------------------


@kernel
def write_moves(storage: Any, k: int, line: Any) -> int:
    """Writes the actions that lead to candidate k; returns how many. As in `Choices`."""
    shown, length = storage.after, min(write_path(storage, k), len(line))
    copy(storage.seen, shown)
    for j in range(length):
        move = storage.path[j]
        line[j] = action_of(shown, move) if move & 7 < DRAWN else DRAW if move & 7 == DRAWN else REDEAL
        _play(shown, line[j])
    return int(length)


@kernel
def play_on(observation: Any, action: int, after: Any) -> None:
    """Writes what is seen after a legal move, before a card is turned up. As in `Choices`.

    A card that is drawn lies on the waste as the stock showed it: with its back up, if it was hidden.
    """
    copy(observation, after)
    _play(after, action)


@kernel
def _play(shown: Any, action: int) -> None:
    if action == DRAW:
        _push(shown, WASTE_SLOT, _pop(shown, STOCK_SLOT))
    elif action == REDEAL:
        _turn_over(shown)
    else:
        card = _pop(shown, WASTE_SLOT) if SOURCE[action] == WASTE else _take_top(shown, SOURCE[action] * NUM_RANKS)
        if TARGET[action] == FOUNDATION:
            shown[FOUNDATION_SLOT + SUIT[card]] += 1
        else:
            shown[_first_empty(shown, TARGET[action] * NUM_RANKS, NUM_RANKS)] = card


@kernel
def _turn_over(shown: Any) -> None:
    """Makes the waste the stock, which is empty."""
    for _ in range(_first_empty(shown, WASTE_SLOT, STOCK_SIZE) - WASTE_SLOT):
        _push(shown, STOCK_SLOT, _pop(shown, WASTE_SLOT))
    shown[PASS_SLOT] = min(shown[PASS_SLOT] + 1, HIGHEST_PASS)
    if shown[REDEALS_SLOT] > 0:
        shown[REDEALS_SLOT] -= 1


@kernel
def _pop(shown: Any, pile: int) -> int:
    """Takes the top of stock or waste; returns the card."""
    card = shown[pile]
    for k in range(pile, pile + STOCK_SIZE - 1):
        shown[k] = shown[k + 1]
    shown[pile + STOCK_SIZE - 1] = EMPTY
    return int(card)


@kernel
def _push(shown: Any, pile: int, card: int) -> None:
    """Puts a card on stock or waste."""
    for k in range(pile + STOCK_SIZE - 1, pile, -1):
        shown[k] = shown[k - 1]
    shown[pile] = card


@kernel
def _take_top(shown: Any, pile: int) -> int:
    """Takes the top of a pile of the tableau; returns the card."""
    top = _first_empty(shown, pile, NUM_RANKS) - 1
    card = shown[top]
    shown[top] = EMPTY
    return int(card)


@kernel
def _first_empty(shown: Any, start: int, size: int) -> int:
    """Returns the first slot of a pile without a card, or the one behind the pile."""
    slot = start
    while slot < start + size and shown[slot] != EMPTY:
        slot += 1
    return slot
