"""The choices of La tour infernale: the positions to reach before the next draw or redeal.

`candidates` finds them, and `inputs` describes them. This file turns a candidate's line into actions, and computes the
worth of a game.
"""

from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.choices import Choices, copy, share_of_cards, wins
from solitaire_agents.piles import first_empty, redeal, take_first, take_last, turn_over
from solitaire_agents.tour_infernale.bitboard import (
    DRAWN,
    action_of,
)
from solitaire_agents.tour_infernale.candidates import MOST_CANDIDATES, MOST_MOVES, count, new_storage, write_path
from solitaire_agents.tour_infernale.inputs import INPUTS, MOST_ON, MOST_REDEALS, describe
from solitaire_envs import tour_infernale
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import AT, DRAW, FOUNDATION, REDEAL, SOURCE, STOCK_SIZE, SUIT, TARGET, WASTE

ROW_SIZE: Final = 16_384
"""The mean is 1,700, but one choice in 200 takes more than 12,288, and very few take a little more than this."""
MANY_PASSES: Final = MOST_REDEALS + 1
"""Higher numbers of passes are treated as this one."""
MIDDLE, SPREAD = 150, 22
"""Without a limit of passes, a win in `MIDDLE` moves is worth 0.5; `SPREAD` more moves lower the logit of this by 1."""


def tour_infernale_choices(options: tour_infernale.TourInfernaleOptions) -> Choices:
    """Returns the choices of La tour infernale.

    Agents play only with the numbers of piles and passes that they were trained with, since they play others badly.
    """
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
        worth=_few_moves if count_moves else wins if options.objective == "win" else share_of_cards,
        rules={
            "piles": options.piles,
            "passes": None if options.passes is None else min(options.passes, MANY_PASSES),
        },
    )


# --- The worth of a game ----------------------------------------------------------------------------------------------


def _few_moves(outcomes: Any) -> NDArray[np.float32]:
    """Returns a worth that is higher for wins in fewer moves, since every deal can be won without a limit of passes.

    A win in 120 moves is worth 0.8, one in 150 moves 0.5, one in 180 moves 0.2. The worth falls smoothly towards 0, so
    that agents which take many more moves learn too.
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
    """Writes the observation after a legal move, before a card is turned up. As in `Choices`.

    A card that is drawn is written as the stock showed it: as unseen, if it was hidden.
    """
    copy(observation, after)
    _play(after, action)


@kernel
def _play(shown: Any, action: int) -> None:
    if action == DRAW:
        turn_over(shown, AT.stock, AT.waste, STOCK_SIZE, 1)
    elif action == REDEAL:
        redeal(shown, AT.stock, AT.waste, STOCK_SIZE, AT.pass_, AT.redeals)
    else:
        if SOURCE[action] == WASTE:
            card = take_first(shown, AT.waste, STOCK_SIZE)
        else:
            card = take_last(shown, SOURCE[action] * NUM_RANKS, NUM_RANKS)
        if TARGET[action] == FOUNDATION:
            shown[AT.foundations + SUIT[card]] += 1
        else:
            shown[first_empty(shown, TARGET[action] * NUM_RANKS, NUM_RANKS)] = card
