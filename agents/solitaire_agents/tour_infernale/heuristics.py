"""The rules for La tour infernale by name. `greedy` is here; `thrifty` and `swift` have files of their own."""

from collections.abc import Callable
from typing import Any

from solitaire_agents.base import first_legal
from solitaire_agents.tour_infernale.bitboard_rules import over_observations
from solitaire_agents.tour_infernale.swift import swift_move
from solitaire_agents.tour_infernale.thrifty import thrifty_move
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import EMPTY, FOUNDATION, REDEAL, SOURCE, TARGET, WASTE

FIRST_MOVE = REDEAL + 1
"""The first action that moves a card."""


@kernel
def greedy(observation: Any, mask: Any) -> int:
    """Moves to a foundation; else from the waste to the tableau, preferably on a card; else draws or redeals."""
    best, best_rating = first_legal(mask), 0
    for action in range(FIRST_MOVE, len(mask)):
        if mask[action]:
            rating = _rating(observation, SOURCE[action], TARGET[action])
            if rating > best_rating:
                best, best_rating = action, rating
    return best


@kernel
def _rating(observation: Any, source: int, target: int) -> int:
    """Rates a move of a card; 0 is worse than a draw."""
    if target == FOUNDATION:
        return 3
    if source != WASTE:
        return 0
    return 1 if observation[target * NUM_RANKS] == EMPTY else 2


RULES: dict[str, Callable[[Any, Any], int]] = {
    "greedy": greedy,
    "thrifty": over_observations(thrifty_move),
    "swift": over_observations(swift_move),
}
