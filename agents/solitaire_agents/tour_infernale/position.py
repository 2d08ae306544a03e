"""Conversions of a position: from a state or an observation to the form of the searches, and from moves to actions.

Kernels that turn an observation into a bitboard, and a move into an action, are in `bitboard`.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.kit import known_states
from solitaire_agents.line import rules_record
from solitaire_agents.tour_infernale.bitboard import DRAWN, REDEALT, Bitboard, action_of, bit_of, board_seen
from solitaire_envs.jit import as_records, entry_point, kernel
from solitaire_envs.tour_infernale import (
    DRAW,
    GAME,
    REDEAL,
    TourInfernaleOptions,
    apply,
    observe,
    stock_cards,
    waste_cards,
)


class Start(NamedTuple):
    """The position in which a search starts."""

    board: Bitboard
    order: NDArray[np.int64]
    """Bits of waste and stock in the order of drawing, [n]."""
    drawn: int
    """How many of them are drawn in this pass."""
    pass_number: int
    """The pass under way, from 1."""
    piles: int


def start_of(state: Any, options: TourInfernaleOptions) -> Start:
    """Returns the start of a search from a state, one record of `tour_infernale.STATE`.

    Raises:
        ValueError: It is no state under the options, or a card is not known.
    """
    (known,) = known_states(GAME, options, state, ("stock", "waste"))
    board = board_seen(np.concatenate([known["tableau"].ravel(), known["foundations"]]).astype(np.int16))
    order = [bit_of(card) for card in (*reversed(waste_cards(state)), *stock_cards(state))]
    return Start(board, np.array(order, np.int64), int(known["waste_size"]), int(known["current_pass"]), options.piles)


def spell_out(state: Any, options: TourInfernaleOptions, moves: Iterable[int]) -> list[int]:
    """Returns a line of moves from a state as the environment's actions."""
    line, states = np.array([*moves], np.int64), as_records(np.array([state], GAME.state))
    _spell_out(rules_record(GAME, options), states, np.zeros(GAME.observation_size, np.int16), line)
    actions: list[int] = line.tolist()
    return actions


@entry_point("tour infernale position")
def _spell_out(rules: Any, states: Any, observation: Any, line: Any) -> None:
    write_actions(rules[0], states[0], observation, line)


@kernel
def write_actions(rules: Any, state: Any, observation: Any, line: Any) -> None:
    """Plays the moves of a line, int64 [N], and writes the actions in their place; also writes the observation."""
    for k in range(len(line)):
        kind = line[k] & 7
        if kind >= DRAWN:
            line[k] = REDEAL if kind == REDEALT else DRAW
        else:
            observe(rules, state, observation)
            line[k] = action_of(observation, line[k])
        apply(rules, state, line[k])
