"""Codes that say where a card of a declared game lies, and the kinds of places that other cards wait for."""

from typing import Final

import numpy as np

from solitaire_agents.piles.talon import BY_DRAWS, TALON_CODES, WAYS
from solitaire_envs.cards import NUM_CARDS

AWAY, UP, RETURNABLE, IN_CELL, RESERVE, TALON = range(6)
"""Codes of a card's place: hidden; on a foundation or in the hole; a foundation's top that may come back; in a cell; in
the reserve; and the first of those in waste and stock, see `talon`. Five of the tableau follow, by the number of cards
on it."""
TABLEAU: Final = TALON + TALON_CODES
CODE_OF_DEPTH: Final = TABLEAU + np.array([0, 1, 2, 2, *[3] * 3, *[4] * 2 * NUM_CARDS])
PLACES: Final = TABLEAU + 5

PUT_UP, HIDDEN, AT_HAND, OUT_OF_REACH, NEXT_PASS, THIS_PASS, COVERED, TOP = range(8)
"""Kinds of places. A card is the easier to lay another on, the higher its kind: at hand are those that can be laid on
the tableau first; then come those of waste and stock by the pass in which they come up; then those of the tableau."""
KINDS: Final = 8
_KINDS_OF_TALON: Final = [
    THIS_PASS if this == BY_DRAWS else NEXT_PASS if later == 0 else OUT_OF_REACH
    for this in range(WAYS)
    for later in range(WAYS)
]
KIND: Final = np.array([HIDDEN, PUT_UP, *[AT_HAND] * 3, THIS_PASS, *_KINDS_OF_TALON, TOP, *[COVERED] * 4], np.int64)
"""Code -> kind."""
