"""Moves of Pyramid that the solver's bounds prove to lose something, without search.

Once nothing is hidden, the bounds prove of many moves that they put out of reach what others may still reach: a win, or
the bonus for an early clearing. The bounds look at the position after a move, and search nothing.
"""

from typing import Final

import numpy as np

from solitaire_agents.base import ActionMasks, Observations
from solitaire_agents.choices import Bounds
from solitaire_agents.pyramid.hindsight import rate_moves
from solitaire_agents.pyramid.position import imagine
from solitaire_agents.pyramid.solver.api import new_memory
from solitaire_envs import pyramid

_STATES: Final = 1
"""The solver looks at so many for each move: at the one after it, by its bounds."""
_UNSEEN = pyramid.GAME.slots("unseen")


def make_bounds(options: pyramid.PyramidOptions) -> Bounds:
    """Returns what keeps, of the legal moves, those that may still reach the most; all where cards are hidden.

    Where the game is played for the win, it keeps none if the game is proved lost.
    """
    memory = new_memory(1)

    def keep(observations: Observations, action_masks: ActionMasks) -> ActionMasks:
        kept = action_masks.copy()
        known = np.flatnonzero((observations[:, _UNSEEN].sum(axis=1) == 0) & (action_masks.sum(axis=1) > 1))
        if len(known):
            decks, positions = imagine(observations[known])
            ratings = rate_moves(decks, positions, action_masks[known], options, _STATES, memory)
            best = ratings.max(axis=1, keepdims=True)
            good = ratings == best
            kept[known] &= good & (best > 0) if options.objective == "win" else good | (best == 0)
        return kept

    return keep
