"""Pyramid's table: its places and actions, and how people see them and make moves by hand."""

from collections.abc import Collection
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from solitaire_envs.cards import NUM_CARDS, NUM_RANKS, RANKS, card_text
from solitaire_envs.layout import BACK, STOCK_NAME, WASTE_NAME, Gesture, Layout, Spot, stock_spot, waste_spots

ROWS, PYRAMID_SIZE, STOCK_SIZE, KING, UNSEEN = 7, 28, NUM_CARDS - 28, 13, 14

# --- Places and actions -----------------------------------------------------------------------------------------------
# A place is a pyramid position 0..27, or STOCK or WASTE for the top card of that pile.

STOCK, WASTE, NO_PLACE = PYRAMID_SIZE, PYRAMID_SIZE + 1, -1

POSITION = {(row, column): row * (row + 1) // 2 + column for row in range(ROWS) for column in range(row + 1)}
COVERS = np.zeros(PYRAMID_SIZE, dtype=np.int32)
"""Bits of the two positions that cover a position, none for the bottom row."""
COVERED = np.full((PYRAMID_SIZE, 2), NO_PLACE, dtype=np.int64)
"""The positions, at most two, that a position covers."""
for (_row, _column), _position in POSITION.items():
    for _side in (0, 1) if _row < ROWS - 1 else ():
        _cover = POSITION[_row + 1, _column + _side]
        COVERS[_position] |= 1 << _cover
        COVERED[_cover, 1 - _side] = _position


@cache
def all_covers(position: int) -> frozenset[int]:
    """Returns every position that has to go before `position` is available."""
    direct = frozenset(cover for cover in range(PYRAMID_SIZE) if int(COVERS[position]) >> cover & 1)
    return direct.union(*(all_covers(cover) for cover in direct))


DRAW, REDEAL = 0, 1
ACTIONS: list[tuple[int, int]] = [(NO_PLACE, NO_PLACE)] * 2
"""Action -> the places of the cards it discards. Draw, redeal, the 30 places a king can be discarded from, then the
253 pairs of places that can be available together: never a position and one that it covers, directly or not."""
ACTIONS += [(place, NO_PLACE) for place in range(PYRAMID_SIZE + 2)]
ACTIONS += [(STOCK, WASTE), *((position, pile) for pile in (STOCK, WASTE) for position in range(PYRAMID_SIZE))]
ACTIONS += [pair for pair in combinations(range(PYRAMID_SIZE), 2) if pair[1] not in all_covers(pair[0])]
NUM_ACTIONS = len(ACTIONS)

FIRST = np.array([first for first, _ in ACTIONS], dtype=np.int64)
SECOND = np.array([second for _, second in ACTIONS], dtype=np.int64)
ACTION_OF = np.full((PYRAMID_SIZE + 2, PYRAMID_SIZE + 2), -1, dtype=np.int16)
"""Two places, in either order -> the action that discards their cards; the same place twice: a king there."""
for _action, (_first, _second) in enumerate(ACTIONS[2:], start=2):
    _other = _first if _second == NO_PLACE else _second
    ACTION_OF[_first, _other] = ACTION_OF[_other, _first] = _action

RANK = np.array([card % NUM_RANKS + 1 for card in range(NUM_CARDS)], dtype=np.uint8)

# --- Moves in words, layout, gestures ---------------------------------------------------------------------------------


def move_text(state: Any, action: int) -> str:
    """Returns a move as ``QH+AC`` (higher rank first), ``KS``, ``draw`` or ``redeal``."""
    if action in (DRAW, REDEAL):
        return ("draw", "redeal")[action]
    places = [place for place in ACTIONS[action] if place != NO_PLACE]
    return "+".join(sorted((_card_at(state, place) for place in places), key=lambda card: -RANKS.find(card[0])))


def _card_at(state: Any, place: int) -> str:
    if place in (STOCK, WASTE):
        cards = stock_cards(state) if place == STOCK else waste_cards(state)
        return card_text(cards[0]) if cards else "(no card)"
    return card_text(state.deck[place])


def stock_cards(state: Any) -> list[int]:
    """Returns the stock's cards, top first."""
    return _cards(state.stock, state.stock_size)


def waste_cards(state: Any) -> list[int]:
    """Returns the waste's cards, top first."""
    return _cards(state.waste, state.waste_size)


def _cards(pile: Any, size: int) -> list[int]:
    cards = pile[STOCK_SIZE - size : STOCK_SIZE].tolist()
    return [BACK if card == UNSEEN else NUM_RANKS * (card >> 4) + (card & 15) - 1 for card in cards]


PLACES = [*(f"row {row + 1}, card {column + 1}" for row, column in POSITION), STOCK_NAME, WASTE_NAME, "discard pile"]
"""Place -> its name in a layout; the last is that of `NO_PLACE`."""


def layout(state: Any, options: Any, legal: Collection[int]) -> Layout:
    """Returns where the cards lie."""
    playable = {place for action in legal for place in ACTIONS[action]}
    stock, waste, discarded = stock_cards(state), waste_cards(state), int(state.discarded)
    spots = [
        stock_spot(next(iter(stock), None), len(stock), playable=STOCK in playable, redeal=REDEAL in legal),
        *waste_spots(waste[:1], len(waste), playable=WASTE in playable),
        Spot(x=ROWS - 1, card=BACK if discarded else None, caption=f"discarded {discarded}", place=PLACES[-1]),
    ]
    for ((row, column), position), place in zip(POSITION.items(), PLACES, strict=False):
        card = int(state.deck[position]) if state.pyramid >> position & 1 else None
        x, free, can = (ROWS - 1 - row) / 2 + column, bool(state.available >> position & 1), position in playable
        spots.append(Spot(x=x, y=row / 2, line=row, card=card, available=free, playable=can, place=place))
    return Layout(height=(ROWS + 1) / 2, columns=ROWS, spots=spots)


def gestures(state: Any, action: int) -> list[Gesture]:
    """Returns how a move is played: a card is dropped on its partner or the pile; a king and the stock are touched."""
    first, second = (PLACES[place] for place in ACTIONS[action])
    if action in (DRAW, REDEAL):
        return [Gesture(STOCK_NAME)]
    if second != PLACES[NO_PLACE]:
        return [Gesture(first, second), Gesture(second, first)]
    return [Gesture(first, second), *([Gesture(first)] if first != STOCK_NAME else [])]
