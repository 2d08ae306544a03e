"""Rules for Pyramid: match into the pyramid first, and the same with care."""

from collections.abc import Callable
from typing import Any

import numpy as np

from solitaire_agents.bits import count_ones
from solitaire_envs.cards import random_below
from solitaire_envs.jit import kernel
from solitaire_envs.pyramid import AT
from solitaire_envs.pyramid_table import (
    COVERED,
    COVERS,
    DRAW,
    FIRST,
    KING,
    NO_PLACE,
    NUM_ACTIONS,
    POSITION,
    PYRAMID_SIZE,
    REDEAL,
    SECOND,
    STOCK,
    STOCK_SIZE,
    all_covers,
)

# Groups of actions, in their order: draw, redeal, kings, stock+waste, pyramid+stock, pyramid+waste, pyramid pairs.
KINGS = REDEAL + 1
STOCK_WASTE = KINGS + PYRAMID_SIZE + 2
WITH_PILE = STOCK_WASTE + 1
IN_PYRAMID = WITH_PILE + 2 * PYRAMID_SIZE


# --- pyramid-first ----------------------------------------------------------------------------------------------------

PREFERENCES = np.array(
    [(KINGS, STOCK_WASTE), (IN_PYRAMID, NUM_ACTIONS), (WITH_PILE, IN_PYRAMID), (STOCK_WASTE, WITH_PILE), (DRAW, KINGS)]
)


@kernel
def pyramid_first(observation: Any, mask: Any) -> int:
    """Discards a king, else a pair (pyramid pairs first), else draws. A hash of the observation picks among equals."""
    noise = np.uint64(0)
    for slot in range(len(observation)):
        noise = noise * np.uint64(31) + np.uint64(observation[slot])
    for group in range(len(PREFERENCES)):
        start, stop = PREFERENCES[group]
        choices = np.sum(mask[start:stop])
        if choices > 0:
            _, skip = random_below(noise, choices)
            for action in range(start, stop):
                skip -= mask[action]
                if skip < 0:
                    return action
    return DRAW


# --- careful ----------------------------------------------------------------------------------------------------------

RELATED = np.zeros((PYRAMID_SIZE, PYRAMID_SIZE), dtype=np.bool_)
"""Whether one of two positions has to go before the other is available. The two can never be paired."""
for _position in range(PYRAMID_SIZE):
    for _cover in all_covers(_position):
        RELATED[_position, _cover] = RELATED[_cover, _position] = True
ROW = np.array([row for row, _ in POSITION])


@kernel
def careful(observation: Any, mask: Any) -> int:
    """Discards a king at once, else the pair of most worth, and draws if every pair is better left for later."""
    best, best_rating = -1, -1_000_000
    for action in range(KINGS, NUM_ACTIONS):
        if mask[action]:
            if action < STOCK_WASTE:
                return action  # it loses nothing, unless clearing the pyramid ends the game
            rating = _rating(observation, action)
            if rating > best_rating:
                best, best_rating = action, rating
    may_wait = mask[DRAW] or mask[REDEAL]
    if best >= 0 and (best_rating > 0 or not may_wait):
        return best
    return DRAW if mask[DRAW] else REDEAL


@kernel
def _rating(observation: Any, action: int) -> int:
    """Rates a pair. A pair rated 0 or less is better left for later, if the game goes on without it."""
    first, second = FIRST[action], SECOND[action]
    rank = observation[first] if first < PYRAMID_SIZE else observation[AT.stock]
    low = min(rank, KING - rank)
    if _can_clear(observation, low, NO_PLACE, NO_PLACE) and not _can_clear(observation, low, first, second):
        return -1_000  # the last partner of a blocked card: save it
    if first == STOCK:  # stock with waste, last of all: neither is needed to unblock the pyramid, as just checked
        return 1
    rating = 10 + ROW[first] + _freed_by(observation, first)
    if second < PYRAMID_SIZE:
        rating += 100 + ROW[second] + _freed_by(observation, second)
    return int(rating)


@kernel
def _freed_by(observation: Any, position: int) -> int:
    """Counts the cards that only this one covers."""
    freed = 0
    for side in range(2):
        below = COVERED[position, side]
        if below != NO_PLACE:
            others = COVERS[below] & ~(1 << position)
            free = True
            for cover in range(PYRAMID_SIZE):
                if others >> cover & 1 and observation[cover] > 0:
                    free = False
            freed += free
    return freed


@kernel
def _can_clear(observation: Any, low: int, first: int, second: int) -> bool:
    """Returns whether the cards of rank `low` and 13 - `low` left in the pyramid can all find partners.

    The two places `first` and `second` count as discarded. Equally many cards of both ranks are left, and those outside
    the pyramid can be paired with any. So all can find partners exactly if enough pairs can be made within the pyramid,
    of cards where neither has to go before the other.
    """
    high = KING - low
    outside_high = _outside(observation, high) - _is_in_pile(observation, high, first, second)
    lows, highs, paired = 0, 0, 1  # bit m of `paired`: lows found so far can be paired with the set m of highs
    for position in range(PYRAMID_SIZE):
        if observation[position] == low and position not in (first, second):
            lows += 1
            highs = 0
            before = paired
            for other in range(PYRAMID_SIZE):
                if observation[other] == high and other not in (first, second):
                    if not RELATED[position, other]:
                        for chosen in range(16):
                            if before >> chosen & 1 and not chosen >> highs & 1:
                                paired |= 1 << (chosen | 1 << highs)
                    highs += 1
    most = 0
    for chosen in range(16):
        if paired >> chosen & 1:
            most = max(most, count_ones(chosen))
    return most >= lows - outside_high


@kernel
def _outside(observation: Any, rank: int) -> int:
    """Counts the cards of a rank in stock and waste, hidden ones included."""
    cards = int(observation[AT.unseen + rank - 1])
    for slot in range(AT.stock, AT.stock + 2 * STOCK_SIZE):
        cards += observation[slot] == rank
    return cards


@kernel
def _is_in_pile(observation: Any, rank: int, first: int, second: int) -> int:
    """Returns 1 if one of two places is the top of stock or waste and has the rank, else 0."""
    for place in (first, second):
        if place >= PYRAMID_SIZE:
            slot = AT.stock if place == STOCK else AT.waste
            if observation[slot] == rank:
                return 1
    return 0


RULES: dict[str, Callable[[Any, Any], int]] = {
    "pyramid-first": pyramid_first,
    "careful": careful,
}
