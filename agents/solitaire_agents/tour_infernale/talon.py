"""The order of the *talon*, that is stock and waste, for searches and rollouts.

The order is an array of bits, int64 [n], in the order of drawing. It may still hold cards that have left the talon, so
kernels also take the set of cards that count.
"""

from typing import Any, NamedTuple

from solitaire_envs.jit import kernel


class Talon(NamedTuple):
    """The order of drawing, and the number of cards drawn."""

    order: Any  # int64 [n]: bits; unseen cards in any order
    drawn: int  # number of cards drawn in this pass


@kernel
def drawn_cards(talon: Talon) -> int:
    """Returns the cards that have been drawn in this pass."""
    cards = 0
    for index in range(talon.drawn):
        cards |= 1 << talon.order[index]
    return cards


@kernel
def last_of(order: Any, end: int, cards: int) -> int:
    """Returns the index of the last card before `end` that is in a set; -1 if there is none."""
    index = end - 1
    while index >= 0 and cards >> order[index] & 1 == 0:
        index -= 1
    return index


@kernel
def next_of(order: Any, start: int, cards: int) -> int:
    """Returns the index of the first card from `start` on that is in a set; the length if there is none."""
    index = start
    while index < len(order) and cards >> order[index] & 1 == 0:
        index += 1
    return index


@kernel
def waste_top(talon: Talon, waste: int) -> int:
    """Returns the waste's top as a set of one card, 0 if the waste is empty; waste: its cards."""
    return 1 << talon.order[last_of(talon.order, talon.drawn, waste)] if waste else 0
