"""Rules for La tour infernale that are written over words, `tour_words`: the planner plays whole games by them.

Such a rule takes a, b, c: the configuration's words; waste: the cards of the waste; top, under: slots of the waste's
top and of the card under it; to_come: cards in the stock, `NOTHING_TO_COME` if there is no redeal either; piles: the
number of piles. It returns a move of a card, or `NO_MOVE`: rather draw or redeal. It never goes in circles.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from solitaire_agents.base import first_legal
from solitaire_agents.tour_infernale.bitboard import (
    NO_MOVE,
    ON_BOTTOM,
    TO_FOUNDATION,
    bases_of,
    heights_of,
    index_of,
    movable,
    slot_of,
)
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import ACTIONS, EMPTY, FOUNDATION, GAME, MAX_PILES, REDEAL, SOURCE, STOCK_SIZE, WASTE

NOTHING_TO_COME = -1  # instead of a size of the stock
NO_SLOT = -1

_START = {slots.name: GAME.slots(slots.name).start for slots in GAME.observation}
FOUNDATION_SLOT, STOCK_SLOT, WASTE_SLOT, REDEALS_SLOT = (
    _START[name] for name in ("foundations", "stock", "waste", "redeals")
)
SLOT = np.array([NO_SLOT, *(slot_of(card) for card in range(NUM_CARDS)), NO_SLOT], dtype=np.int64)
"""Of a card as the observation shows it; none where there is no card, or an unseen one."""
ACTION_OF = np.zeros((MAX_PILES + 1, MAX_PILES + 1), dtype=np.int64)
"""[source, target] -> action"""
for _action, (_source, _target) in enumerate(ACTIONS[REDEAL + 1 :], start=REDEAL + 1):
    ACTION_OF[_source, _target] = _action

WordRule = Callable[[int, int, int, int, int, int, int, int], int]


def over_observations(choose_move: WordRule) -> Callable[[Any, Any], int]:
    """Returns the rule as one that takes an observation and its action mask."""

    def choose(observation: Any, mask: Any) -> int:
        a, b, c = words_of(observation)
        waste = stock_size = 0
        for index in range(STOCK_SIZE):
            card = SLOT[observation[WASTE_SLOT + index]]
            waste |= 1 << card if card >= 0 else 0
            stock_size += observation[STOCK_SLOT + index] != EMPTY
        top, under = SLOT[observation[WASTE_SLOT]], SLOT[observation[WASTE_SLOT + 1]]
        to_come = stock_size if stock_size > 0 or observation[REDEALS_SLOT] != 0 else NOTHING_TO_COME
        piles = MAX_PILES if len(mask) == len(SOURCE) else MAX_PILES - 1
        move = choose_move(a, b, c, waste, top, under, to_come, piles)
        return first_legal(mask) if move == NO_MOVE else _action_of(observation, move)

    choose.__module__ = getattr(choose_move, "py_func", choose_move).__module__  # where an agent's sources begin
    return kernel(choose)


@kernel
def words_of(observation: Any) -> tuple[int, int, int]:
    """Returns the configuration that an observation shows."""
    a = b = c = 0
    for suit in range(2):
        a |= int(observation[FOUNDATION_SLOT + suit]) << 52 + 4 * suit
        b |= int(observation[FOUNDATION_SLOT + 2 + suit]) << 52 + 4 * suit
    for pile in range(MAX_PILES):
        below = NO_SLOT
        for index in range(NUM_RANKS):
            card = SLOT[observation[pile * NUM_RANKS + index]]
            if card >= 0 and below < 0:
                a |= 1 << card
            elif card >= 0:
                a, b, c = a | (below & 1) << card, b | (below >> 1 & 1) << card, c | 1 << card
            below = card
    return a, b, c


@kernel
def _action_of(observation: Any, move: int) -> int:
    """Spells a move out in the environment's action numbers."""
    card, kind = move >> 3, move & 7
    base = NO_SLOT if kind == ON_BOTTOM else (card & ~3) + 4 + kind
    source, target = WASTE, FOUNDATION
    for pile in range(MAX_PILES - 1, -1, -1):
        top = _top_of(observation, pile)
        if top == card:
            source = pile
        if kind != TO_FOUNDATION and top == base:
            target = pile
    return int(ACTION_OF[source, target])


@kernel
def _top_of(observation: Any, pile: int) -> int:
    """The slot of a pile's top card."""
    top = NO_SLOT
    for index in range(NUM_RANKS):
        card = SLOT[observation[pile * NUM_RANKS + index]]
        top = card if card >= 0 else top
    return top


# --- Steps that the rules share ---------------------------------------------------------------------------------------


@kernel
def move_up(goals: int, tops: int, top: int) -> int:
    """Moves up the lowest card whose turn it is, of the piles and the waste's top; `NO_MOVE` if there is none."""
    ups = goals & (tops | (1 << top if top >= 0 else 0))
    return index_of(ups & -ups) << 3 | TO_FOUNDATION if ups else NO_MOVE


@kernel
def free_pile(a: int, b: int, c: int, tops: int) -> int:
    """Puts the card of a pile of one on another pile; `NO_MOVE` if none can be."""
    lone = movable(tops) & ~c
    return to_tableau(a, b, tops, index_of(lone & -lone)) if lone else NO_MOVE


@kernel
def to_tableau(a: int, b: int, tops: int, i: int) -> int:
    """Puts a card on that which is wanted last, on the foundation that is lowest; on nothing if it must be."""
    bases, heights = bases_of(tops, i), heights_of(a, b)
    best, lowest = ON_BOTTOM, NUM_RANKS + 1
    for suit in range(4):
        height = heights >> 4 * suit & 15
        if bases >> suit & 1 and height < lowest:
            best, lowest = suit, height
    return i << 3 | best
