"""Moves of Pyramid that the solver's bounds prove to be mistakes, without search.

Once nothing is hidden, the bounds prove that many moves give up what other moves may still reach: a win, or the bonus
for an early clearing. The bounds rate the position after a move and search no further. For a win, a move that is left
out is lost, or another is known to win. For the score, its rating is the lower one; as bounds leave much open, that is
not always a loss.
"""

from typing import Final

import numpy as np

from solitaire_agents.base import ActionMasks, Observations
from solitaire_agents.choices import Bounds
from solitaire_agents.pyramid.hindsight import imagine_all, rate_moves
from solitaire_agents.pyramid.solver.api import new_memory
from solitaire_envs import pyramid

_STATES: Final = 1
"""States that the solver looks at for each move: only the one after it, by its bounds."""
_UNSEEN = pyramid.GAME.slots("unseen")


def make_bounds(options: pyramid.PyramidOptions) -> Bounds:
    """Returns bounds that keep the legal moves that may still reach the most, and all moves while cards are hidden.

    If the objective is to win, they keep no move of a game that is proved lost.
    """
    memory = new_memory(1)

    def keep(observations: Observations, action_masks: ActionMasks) -> ActionMasks:
        kept = action_masks.copy()
        known = np.flatnonzero((observations[:, _UNSEEN].sum(axis=1) == 0) & (action_masks.sum(axis=1) > 1))
        if len(known):
            states = imagine_all(options, observations[known], np.zeros((len(known), 0), np.int64))
            ratings = rate_moves(states, action_masks[known], options, _STATES, memory)
            best = ratings.max(axis=1, keepdims=True)
            good = ratings == best
            if options.objective == "win":
                kept[known] &= good & (best > 0)
            else:
                kept[known] &= good | (best == 0)
        return kept

    return keep
