"""Rules for Klondike: a greedy one, and a careful one after the advice of books. Neither brings a card back."""

from collections.abc import Callable
from typing import Any, Final

from solitaire_agents.base import first_legal
from solitaire_agents.klondike.candidates import IS_RED
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.klondike import AT, FIRST_DOWN, FITS, KIND, SOURCE, STOCK_SIZE, TARGET, UNSEEN
from solitaire_envs.klondike_table import EMPTY, FOUNDATION, NUM_ACTIONS, PILES, RANK, REDEAL, SUIT, WASTE

KING: Final = NUM_RANKS


@kernel
def greedy(observation: Any, mask: Any) -> int:
    """Moves to a foundation; else turns up a face-down card; else plays the waste to the tableau; else draws."""
    best, best_rating = first_legal(mask), 0
    for action in range(REDEAL + 1, NUM_ACTIONS):
        if mask[action]:
            source, rating = SOURCE[action], 0
            if TARGET[action] == FOUNDATION:
                rating = 3
            elif source == WASTE:
                rating = 1
            elif source < PILES and _turns_up(observation, source, TARGET[action]):
                rating = 2
            if rating > best_rating:
                best, best_rating = action, rating
    return best


@kernel
def careful(observation: Any, mask: Any) -> int:
    """Turns up cards, of the tallest pile first; empties piles only for kings, holds cards back that may serve."""
    best, best_rating = first_legal(mask), 0
    for action in range(REDEAL + 1, NUM_ACTIONS):
        if mask[action]:
            rating = _rating(observation, SOURCE[action], TARGET[action])
            if rating > best_rating:
                best, best_rating = action, rating
    if best_rating <= _WAIT and _more_will_come(observation):
        return first_legal(mask)  # draw, or redeal
    return best


_WAIT: Final = 10
"""Moves rated no higher than this are made only if no playable or unseen card is left in stock and waste."""


@kernel
def _rating(observation: Any, source: int, target: int) -> int:
    """Rates a move; 0: it may lead in circles."""
    if source >= FOUNDATION:
        return 0
    top = _top(observation, source)
    if target == FOUNDATION:
        turned = _downs(observation, source) if source < PILES and _height(observation, source) == 1 else 0
        return int(900 * _may_go_up(observation, top) + (400 + turned if turned else 5))
    if source == WASTE:
        return 200
    if _turns_up(observation, source, target):
        return 500 + 10 * _downs(observation, source)
    return 0 if _height(observation, target) == 0 else int(_worth_on_card(observation, source, target))


@kernel
def _worth_on_card(observation: Any, source: int, target: int) -> int:
    """Rates a move to a card that turns nothing up. It may free a card that goes up next, or a pile for a king."""
    height = _height(observation, source)
    moved = RANK[_top(observation, target)] - RANK[_top(observation, source)]
    if moved == height:
        return 350 * _king_waits(observation)
    beneath = _face_up(observation, source, height - moved - 1)
    is_next = observation[AT.foundations + SUIT[beneath]] == RANK[beneath] - 1
    return 300 * (is_next and _may_go_up(observation, beneath))


@kernel
def _may_go_up(observation: Any, card: int) -> bool:
    """Returns whether the cards that could lie on a card are on foundations, or can go there once they turn up."""
    lowest = KING
    for suit in range(4):
        if IS_RED[suit] != IS_RED[SUIT[card]]:
            lowest = min(lowest, observation[AT.foundations + suit])
    return bool(RANK[card] <= lowest + 2)


@kernel
def _king_waits(observation: Any) -> bool:
    """Returns whether there is no empty pile, and a king that could go to one."""
    waits = RANK[observation[AT.waste]] == KING
    for pile in range(PILES):
        height = _height(observation, pile)
        if height == 0:
            return False
        waits |= RANK[_face_up(observation, pile, 0)] == KING and _downs(observation, pile) > 0
    return bool(waits)


@kernel
def _more_will_come(observation: Any) -> bool:
    """Returns whether a card of the talon that will come up can be played, or has not been seen yet."""
    draw = observation[AT.draw]
    stock = _count_cards(observation, AT.stock, STOCK_SIZE)
    waste = _count_cards(observation, AT.waste, STOCK_SIZE)
    if stock > 0 and observation[AT.pass_] == 1:
        return True
    cards = waste + stock
    for place in range(waste, cards):
        comes_up = (place + 1 - waste) % draw == 0 or place + 1 == cards
        if comes_up and _has_place(observation, observation[AT.stock + place - waste]):
            return True
    for place in range(cards if observation[AT.redeals] != 0 else 0):
        slot = AT.waste + waste - 1 - place if place < waste else AT.stock + place - waste
        comes_up = (place + 1) % draw == 0 or place + 1 == cards
        if comes_up and _has_place(observation, observation[slot]):
            return True
    return False


@kernel
def _has_place(observation: Any, card: int) -> bool:
    """Returns whether a card can be played once it comes up; False for an unknown card."""
    if card == UNSEEN:
        return False
    if observation[AT.foundations + SUIT[card]] == RANK[card] - 1 and _may_go_up(observation, card):
        return True
    for pile in range(PILES):
        top = _top(observation, pile)
        if FITS[top] == KIND[card] if top != EMPTY else RANK[card] == KING:
            return True
    return False


@kernel
def _turns_up(observation: Any, source: int, target: int) -> bool:
    """Returns whether a move turns up a card: all face-up cards of a pile move, and a face-down one lies beneath."""
    if _downs(observation, source) == 0:
        return False
    top = _top(observation, target)
    return bool(top == EMPTY or RANK[top] - RANK[_top(observation, source)] == _height(observation, source))


@kernel
def _downs(observation: Any, pile: int) -> int:
    """Counts the face-down cards of a pile."""
    return int(_count_cards(observation, AT.face_down + FIRST_DOWN[pile], pile))


@kernel
def _height(observation: Any, pile: int) -> int:
    """Counts the face-up cards of a pile."""
    return int(_count_cards(observation, NUM_RANKS * pile, NUM_RANKS))


@kernel
def _face_up(observation: Any, pile: int, depth: int) -> int:
    """Returns a face-up card of a pile, counted from the undermost."""
    return int(observation[NUM_RANKS * pile + depth])


@kernel
def _top(observation: Any, place: int) -> int:
    """Returns the top card of a pile or of the waste, EMPTY if there is none."""
    if place == WASTE:
        return int(observation[AT.waste])
    height = _height(observation, place)
    return _face_up(observation, place, height - 1) if height > 0 else EMPTY


RULES: dict[str, Callable[[Any, Any], int]] = {"greedy": greedy, "careful": careful}


@kernel
def _count_cards(observation: Any, start: int, size: int) -> int:
    """Returns the number of cards of a pile, whose empty slots lie behind them."""
    slot = start
    while slot < start + size and observation[slot] != EMPTY:
        slot += 1
    return int(slot - start)
