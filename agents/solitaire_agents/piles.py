"""Piles as observations show them: one slot for each card, and empty slots behind the last card.

A stock or waste lies with its top in the first slot, a pile of the tableau with its top in the last slot that is used.
"""

from typing import Any, Final

from solitaire_envs.jit import kernel

_EMPTY: Final = 0
HIGHEST_PASS: Final = 10_000
"""The pass that an observation shows stops counting here."""


@kernel
def first_empty(board: Any, start: int, size: int) -> int:
    """Returns the first empty slot of a pile, or the one behind the pile if it is full."""
    slot = start
    while slot < start + size and board[slot] != _EMPTY:
        slot += 1
    return slot


@kernel
def count_cards(board: Any, start: int, size: int) -> int:
    """Returns the number of cards of a pile."""
    return int(first_empty(board, start, size) - start)


@kernel
def take_last(board: Any, start: int, size: int) -> int:
    """Takes the card in the last slot that is used; returns it. The pile must not be empty."""
    last = first_empty(board, start, size) - 1
    card = board[last]
    board[last] = _EMPTY
    return int(card)


@kernel
def take_first(board: Any, start: int, size: int) -> int:
    """Takes the card in the first slot and moves the others up; returns it. The pile must not be empty."""
    card = board[start]
    slot = start
    while slot < start + size - 1 and board[slot] != _EMPTY:
        board[slot] = board[slot + 1]
        slot += 1
    board[slot] = _EMPTY
    return int(card)


@kernel
def turn_over(board: Any, source: int, target: int, size: int, cards: int) -> None:
    """Turns cards over from the top of a stock or waste, one by one, on to the other.

    Args:
        board: An observation, int [O]; changed.
        source: First slot of the pile that they come from.
        target: First slot of the pile that they go to.
        size: Slots of each.
        cards: How many, at most all.
    """
    left = count_cards(board, source, size) - cards
    for slot in range(first_empty(board, target, size) - 1, target - 1, -1):
        board[slot + cards] = board[slot]
    for card in range(cards):
        board[target + card] = board[source + cards - 1 - card]
    for slot in range(source, source + left):
        board[slot] = board[slot + cards]
    for slot in range(source + left, source + left + cards):
        board[slot] = _EMPTY


@kernel
def redeal(board: Any, stock: int, waste: int, size: int, pass_slot: int, redeals_slot: int) -> None:
    """Makes the waste the stock, which is empty, and counts the pass.

    Args:
        board: An observation, int [O]; changed.
        stock: First slot of the stock.
        waste: First slot of the waste.
        size: Slots of each.
        pass_slot: Slot of the number of the pass.
        redeals_slot: Slot of the redeals that are left, not above 0 if they have no limit.
    """
    turn_over(board, waste, stock, size, count_cards(board, waste, size))
    board[pass_slot] = min(board[pass_slot] + 1, HIGHEST_PASS)
    if board[redeals_slot] > 0:
        board[redeals_slot] -= 1
