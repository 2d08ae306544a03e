"""How learners see Golf: as a choice among the legal moves, by what is seen after each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from golf.game import AT, DRAW, GAME, ROWS, STARTER, STOCK_SIZE, UNSEEN, GolfOptions
from solitaire_agents.choices import Choices, copy, slot_choices, wins
from solitaire_envs.jit import kernel


def golf_choices(options: GolfOptions) -> Choices:
    """Returns the choices of Golf."""
    worth = wins if options.objective == "win" else share_played
    return slot_choices(GAME, options, after, worth, rules={"wrap": options.wrap})


@kernel
def after(observation: Any, action: int, seen: Any) -> None:
    """Writes what is seen after a legal move, before the card drawn is turned up: the waste's top is then 0."""
    copy(observation, seen)
    pile, size = (AT.stock, STOCK_SIZE) if action == DRAW else (ROWS * action, ROWS)
    seen[AT.waste] = 0 if observation[pile] == UNSEEN else observation[pile]
    for depth in range(size - 1):
        seen[pile + depth] = observation[pile + depth + 1]
    seen[pile + size - 1] = 0


def share_played(outcomes: Any) -> NDArray[np.float32]:
    """Returns which share of the columns' cards was played."""
    return np.asarray((outcomes["score"] + STARTER) / STARTER, np.float32)
