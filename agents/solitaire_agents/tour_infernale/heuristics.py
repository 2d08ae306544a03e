"""Plain rules for La tour infernale: foundations only, greedy, and tidy; `thrifty` and `swift` stand apart."""

from collections.abc import Callable
from typing import Any

from solitaire_agents.base import first_legal
from solitaire_agents.tour_infernale.bitboard_rules import over_observations
from solitaire_agents.tour_infernale.swift import swift_move
from solitaire_agents.tour_infernale.thrifty import thrifty_move
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import (
    EMPTY,
    FOUNDATION,
    GAME,
    MAX_PILES,
    RANK,
    REDEAL,
    SOURCE,
    SUIT,
    TARGET,
    WASTE,
)

_START = {slots.name: GAME.slots(slots.name).start for slots in GAME.observation}
FOUNDATION_SLOT, WASTE_SLOT = (_START[name] for name in ("foundations", "waste"))
FIRST_MOVE = REDEAL + 1
SOON = 7  # ranks up to a card's turn on its foundation; of 4..9, the best on 8,000 random deals


@kernel
def foundation_only(observation: Any, mask: Any) -> int:
    """To a foundation if possible, else draw, else redeal; nothing is ever put on the tableau."""
    for action in range(FIRST_MOVE, len(mask)):
        if mask[action] and TARGET[action] == FOUNDATION:
            return action
    return first_legal(mask)


@kernel
def greedy(observation: Any, mask: Any) -> int:
    """To a foundation; else from the waste to the tableau, on a card rather than on nothing; else draw or redeal."""
    return _best(observation, mask, False)


@kernel
def tidy(observation: Any, mask: Any) -> int:
    """Greedy, with piles put together where that frees one, and empty piles kept for cards that last."""
    return _best(observation, mask, True)


@kernel
def _best(observation: Any, mask: Any, tidily: bool) -> int:
    best, best_worth = first_legal(mask), 0
    for action in range(FIRST_MOVE, len(mask)):
        if mask[action]:
            worth = _worth(observation, SOURCE[action], TARGET[action], tidily)
            if worth > best_worth:
                best, best_worth = action, worth
    return best


@kernel
def _worth(observation: Any, source: int, target: int, tidily: bool) -> int:
    """Rates a move that is not a draw; 0 or less: rather draw. No rating lets two moves undo one another for ever."""
    if target == FOUNDATION:
        return 1_000
    on_nothing = _card(observation, target, 0) == EMPTY
    if source == WASTE:
        deserved = not tidily or not on_nothing or _may_start_pile(observation)
        return (100 if on_nothing else 500) * deserved
    if not tidily or on_nothing:
        return 0
    beneath = _card(observation, source, 1)
    if beneath == EMPTY:
        return 400  # frees a pile
    if observation[FOUNDATION_SLOT + SUIT[beneath]] == RANK[beneath] - 1:
        return 600  # frees a card that goes up at once
    return 0


@kernel
def _card(observation: Any, place: int, depth: int) -> int:
    """Returns the card so many below the top of a pile or of the waste, EMPTY if there is none."""
    if place == WASTE:
        return int(observation[WASTE_SLOT + depth])
    for index in range(NUM_RANKS - 1, -1, -1):
        if observation[place * NUM_RANKS + index] != EMPTY:
            return int(observation[place * NUM_RANKS + index - depth]) if index >= depth else EMPTY
    return EMPTY


@kernel
def _may_start_pile(observation: Any) -> bool:
    """Whether the waste's top deserves an empty pile: the last one is kept for cards that will soon go up again."""
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
