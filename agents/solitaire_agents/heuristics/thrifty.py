"""A plain rule for La tour infernale that is thrifty with empty piles: the best known for one pass.

It is written over words, `tour_words`, because the planner plays whole games by it, a hundred thousand to a deal.
"""

from typing import Any

import numpy as np

from solitaire_agents.base import first_legal
from solitaire_agents.tour_words import (
    CARDS,
    CLUBS,
    NO_MOVE,
    ON_BOTTOM,
    TO_FOUNDATION,
    bases_of,
    heights_of,
    index_of,
    movable,
    next_up,
    size_of,
    slot_of,
    tops_of,
)
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import ACTIONS, EMPTY, FOUNDATION, GAME, MAX_PILES, REDEAL, SOURCE, STOCK_SIZE, WASTE

NOTHING_TO_COME = -1  # instead of a size of the stock
SOON = 8  # ranks up to a card's turn on its foundation; all three by a random search over 40,000 deals
OPENING = 6  # counts as so many ranks: that the card beneath goes up at once
HALF_STOCK = 23  # counts as a rank: empty piles are worth more while many cards are to come
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


# --- The rule ---------------------------------------------------------------------------------------------------------


@kernel
def thrifty_move(a: int, b: int, c: int, waste: int, top: int, under: int, to_come: int, piles: int) -> int:
    """Chooses a move of a card, in the form of `tour_words`; none: rather draw or redeal. It never goes in circles.

    Args:
        a: The configuration's first word.
        b: Its second.
        c: Its third.
        waste: The cards of the waste.
        top: Slot of the waste's top.
        under: Slot of the card under it.
        to_come: Cards in the stock, `NOTHING_TO_COME` if there is no redeal either.
        piles: Number of piles.
    """
    goals, tops = next_up(heights_of(a, b))[0], tops_of(a, b, c)
    ups = goals & (tops | (1 << top if top >= 0 else 0))
    if ups:
        return int(index_of(ups & -ups) << 3 | TO_FOUNDATION)
    empty = piles - size_of(a & ~c & CARDS)
    movers = tops & c if empty else movable(tops) & c
    while movers:
        i = index_of(movers & -movers)
        movers &= movers - 1
        if goals >> _base(a, b, i) & 1:  # frees a card that goes up at once
            return _to_tableau(a, b, tops, i)
    if top >= 0 and bases_of(tops, top):
        return _to_tableau(a, b, tops, top)
    lone = movable(tops) & ~c
    if lone:  # frees a pile
        return _to_tableau(a, b, tops, index_of(lone & -lone))
    if top >= 0 and empty and _may_start_pile(a, b, waste, top, under, to_come, empty):
        return top << 3 | ON_BOTTOM
    return NO_MOVE


@kernel
def _base(a: int, b: int, i: int) -> int:
    """The card that a card of the tableau lies on."""
    return (i & ~3) + 4 + (a >> i & 1 | (b >> i & 1) << 1)


@kernel
def _to_tableau(a: int, b: int, tops: int, i: int) -> int:
    """Puts a card on that which is wanted last, on the foundation that is lowest; on nothing if it must be."""
    bases, heights = bases_of(tops, i), heights_of(a, b)
    best, lowest = ON_BOTTOM, NUM_RANKS + 1
    for suit in range(4):
        height = heights >> 4 * suit & 15
        if bases >> suit & 1 and height < lowest:
            best, lowest = suit, height
    return i << 3 | best


@kernel
def _may_start_pile(a: int, b: int, waste: int, top: int, under: int, to_come: int, empty: int) -> bool:
    """Whether the waste's top deserves an empty pile: if that opens a card that goes up, or its own turn comes soon."""
    heights = heights_of(a, b)
    if to_come == NOTHING_TO_COME:
        return True
    turn = (top >> 2) + 1 - (heights >> 4 * (top & 3) & 15)
    bars = (waste & (CLUBS << (top & 3)) & ((1 << top) - 1)) != 0  # a card of its suit that has to go up first
    opens = under >= 0 and next_up(heights)[0] >> under & 1
    return bool(turn - bars - OPENING * opens + to_come // HALF_STOCK < SOON + (empty > 1))


# --- Over observations ------------------------------------------------------------------------------------------------


@kernel
def thrifty(observation: Any, mask: Any) -> int:
    """Tidy, with a closer look at which cards may take an empty pile, and all it has in the end."""
    a, b, c = words_of(observation)
    waste = stock_size = 0
    for index in range(STOCK_SIZE):
        card = SLOT[observation[WASTE_SLOT + index]]
        waste |= 1 << card if card >= 0 else 0
        stock_size += observation[STOCK_SLOT + index] != EMPTY
    top, under = SLOT[observation[WASTE_SLOT]], SLOT[observation[WASTE_SLOT + 1]]
    to_come = stock_size if stock_size > 0 or observation[REDEALS_SLOT] != 0 else NOTHING_TO_COME
    piles = MAX_PILES if len(mask) == len(SOURCE) else MAX_PILES - 1
    move = thrifty_move(a, b, c, waste, top, under, to_come, piles)
    return first_legal(mask) if move == NO_MOVE else _action_of(observation, move)


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
