"""Klondike's table: its places and actions, and how people see them and make moves by hand."""

from typing import Any

import numpy as np

from solitaire_envs.cards import NUM_CARDS, NUM_RANKS, SUITS, card_text
from solitaire_envs.klondike_words import KLONDIKE
from solitaire_envs.layout import FOUNDATION_NAME, PIPS, STOCK_NAME, WASTE_NAME, Gesture
from solitaire_envs.piles.shape import PileShape
from solitaire_envs.piles.table import PileTable

PILES = 7
LEAD = NUM_CARDS - PILES * (PILES + 1) // 2  # zeros before waste and stock in the state
EMPTY = 0

# --- Places and actions -----------------------------------------------------------------------------------------------
# A source is a pile 0..6, WASTE, or FOUNDATION + suit. A target is a pile or FOUNDATION.

WASTE, FOUNDATION, NO_PLACE = PILES, PILES + 1, -1
SOURCES = FOUNDATION + 4

DRAW, REDEAL = 0, 1
TO_FOUNDATION, TO_PILES = 2, 2 + PILES + 1
"""The first action to a foundation, and the first to a pile."""
ACTIONS: list[tuple[int, int]] = [(NO_PLACE, NO_PLACE)] * 2
"""Action -> source and target. Draw, redeal, to a foundation from each pile and the waste; then, target by target, to a
pile from all other piles, the waste, and the foundations."""
ACTIONS += [(source, FOUNDATION) for source in range(PILES + 1)]
ACTIONS += [(source, pile) for pile in range(PILES) for source in range(SOURCES) if source != pile]
NUM_ACTIONS = len(ACTIONS)

RANK = np.array([0, *(card % NUM_RANKS + 1 for card in range(NUM_CARDS)), 0], dtype=np.int64)
SUIT = np.array([0, *(card // NUM_RANKS for card in range(NUM_CARDS)), 0], dtype=np.int64)
"""Rank and suit of a card as the state holds it; EMPTY, and an unseen card, have rank 0."""

# --- Moves in words, layout, gestures ---------------------------------------------------------------------------------


def run_length(state: Any, source: int, target: int) -> int:
    """Returns how many cards move from pile to pile: all to an empty pile, else those from the card that fits on."""
    if state.tops[target] == EMPTY:
        return int(state.heights[source])
    return int(RANK[state.tops[target]] - RANK[state.tops[source]])


def move_text(state: Any, action: int) -> str:
    """Returns a move as ``AC>F``, ``9S>TH`` (the undermost card that moves), ``KD>empty``, ``draw`` or ``redeal``."""
    if action in (DRAW, REDEAL):
        return ("draw", "redeal")[action]
    source, target = ACTIONS[action]
    if target == FOUNDATION:
        return f"{_shown(state.tops[source]) or '(nothing)'}>F"
    return f"{_shown(_moving(state, source, target)) or '(nothing)'}>{_shown(state.tops[target]) or 'empty'}"


def _moving(state: Any, source: int, target: int) -> int:
    """Returns the card that would lie on the target's top; if no card of a pile fits, the pile's top."""
    if source >= FOUNDATION:
        count = int(state.foundations[source - FOUNDATION])
        return NUM_RANKS * (source - FOUNDATION) + count if count else EMPTY
    height = int(state.heights[source]) if source < PILES else 0
    count = run_length(state, source, target) if height else 0
    return int(state.tableau[NUM_RANKS * source + height - count] if 0 < count <= height else state.tops[source])


def _shown(card: int) -> str:
    return "" if card == EMPTY else card_text(int(card) - 1)


PLACES = [
    *(f"pile {pile + 1}" for pile in range(PILES)),
    WASTE_NAME,
    *(f"{FOUNDATION_NAME} {PIPS[suit]}" for suit in SUITS),
]
"""Source -> its name in the layout; a pile's name is the name of its top card's place."""


def _place_in_pile(pile: int, depth: int) -> str:
    return f"{PLACES[pile]}, card {depth + 1}"


def gestures(state: Any, action: int) -> list[Gesture]:
    """Returns how a move is played: the undermost card is dropped on its target; to draw or redeal, touch the stock."""
    if action in (DRAW, REDEAL):
        return [Gesture(STOCK_NAME)]
    source, target = ACTIONS[action]
    if target == FOUNDATION:
        return [Gesture(PLACES[source], PLACES[FOUNDATION + SUIT[state.tops[source]]])]
    count = run_length(state, source, target) if source < PILES else 1
    below = int(state.downs[source] + state.heights[source]) - count if count > 1 else 0
    return [Gesture(_place_in_pile(source, below) if count > 1 else PLACES[source], PLACES[target])]


class _Table(PileTable):
    """The table of the declared game, with the actions of Klondike."""

    def gestures(self, state: Any, action: int) -> list[Gesture]:
        return gestures(state, action)


layout = _Table(PileShape(KLONDIKE)).layout
