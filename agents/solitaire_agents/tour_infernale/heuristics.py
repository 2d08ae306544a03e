"""The rules for La tour infernale by name. The plain ones are here; `thrifty` and `swift` have files of their own."""

from collections.abc import Callable
from typing import Any

from solitaire_agents.base import first_legal
from solitaire_agents.tour_infernale.bitboard import FOUNDATION_SLOT, WASTE_SLOT
from solitaire_agents.tour_infernale.bitboard_rules import over_observations
from solitaire_agents.tour_infernale.swift import swift_move
from solitaire_agents.tour_infernale.thrifty import thrifty_move
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import (
    EMPTY,
    FOUNDATION,
    MAX_PILES,
    RANK,
    REDEAL,
    SOURCE,
    SUIT,
    TARGET,
    WASTE,
)

FIRST_MOVE = REDEAL + 1
"""The first action that moves a card."""
SOON = 7
"""A card will go up soon if fewer ranks than this are between it and its turn; of 4..9, the best on 8,000 deals."""


@kernel
def foundation_only(observation: Any, mask: Any) -> int:
    """Moves to a foundation if possible, else draws, else redeals; puts nothing on the tableau."""
    for action in range(FIRST_MOVE, len(mask)):
        if mask[action] and TARGET[action] == FOUNDATION:
            return action
    return first_legal(mask)


@kernel
def greedy(observation: Any, mask: Any) -> int:
    """Moves to a foundation; else from the waste to the tableau, preferably on a card; else draws or redeals."""
    return _best(observation, mask, False)


@kernel
def tidy(observation: Any, mask: Any) -> int:
    """Plays as `greedy` does, but joins piles to free one, and keeps the last empty pile for cards that soon go up."""
    return _best(observation, mask, True)


@kernel
def _best(observation: Any, mask: Any, is_tidy: bool) -> int:
    best, best_worth = first_legal(mask), 0
    for action in range(FIRST_MOVE, len(mask)):
        if mask[action]:
            worth = _worth(observation, SOURCE[action], TARGET[action], is_tidy)
            if worth > best_worth:
                best, best_worth = action, worth
    return best


@kernel
def _worth(observation: Any, source: int, target: int, is_tidy: bool) -> int:
    """Rates a move of a card; 0 or less is worse than a draw. Of two moves that undo each other, one is rated so."""
    if target == FOUNDATION:
        return 1_000
    on_nothing = _card(observation, target, 0) == EMPTY
    if source == WASTE:
        deserved = not is_tidy or not on_nothing or _may_start_pile(observation)
        return (100 if on_nothing else 500) * deserved
    if not is_tidy or on_nothing:
        return 0
    beneath = _card(observation, source, 1)
    if beneath == EMPTY:
        return 400  # frees a pile
    if observation[FOUNDATION_SLOT + SUIT[beneath]] == RANK[beneath] - 1:
        return 600  # frees a card that goes up at once
    return 0


@kernel
def _card(observation: Any, place: int, depth: int) -> int:
    """Returns the card at a depth below the top of a pile or of the waste, EMPTY if there is none."""
    if place == WASTE:
        return int(observation[WASTE_SLOT + depth])
    for index in range(NUM_RANKS - 1, -1, -1):
        if observation[place * NUM_RANKS + index] != EMPTY:
            return int(observation[place * NUM_RANKS + index - depth]) if index >= depth else EMPTY
    return EMPTY


@kernel
def _may_start_pile(observation: Any) -> bool:
    """Returns whether the waste's top deserves an empty pile: the last one is kept for cards that will go up soon."""
    empty = 0
    for pile in range(MAX_PILES):
        empty += observation[pile * NUM_RANKS] == EMPTY
    card = observation[WASTE_SLOT]
    return bool(empty > 1 or RANK[card] - observation[FOUNDATION_SLOT + SUIT[card]] < SOON)


RULES: dict[str, Callable[[Any, Any], int]] = {
    "foundation-only": foundation_only,
    "greedy": greedy,
    "tidy": tidy,
    "thrifty": over_observations(thrifty_move),
    "swift": over_observations(swift_move),
}
