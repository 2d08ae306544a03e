"""Stock and waste of a declared game once all their cards have been seen: a set of cards within reach.

Draws and redeals through known cards are no progress. They belong to the play of the card that they bring up.
"""

from functools import cache
from typing import Any, NamedTuple

from solitaire_agents.choices import comes_up
from solitaire_envs.game import NO_LIMIT
from solitaire_envs.jit import kernel
from solitaire_envs.piles.shape import PileShape

TOP, THIS_PASS, NEXT_PASS, OUT_OF_REACH = range(4)
"""When a card of waste or stock is the waste's top, if nothing else is played: now, by draws, after a redeal."""


class Talon(NamedTuple):
    """Kernels over the state. A place is that of a card in waste and stock, from 1, the waste's bottom."""

    known: Any
    """(state) -> the number of places whose cards have been seen, from the first."""
    when: Any
    """(rules, state, place) -> one of `TOP` to `OUT_OF_REACH`, for a card that has been seen."""
    card_at: Any
    """(state, place) -> the card."""


@cache
def talon_of(shape: PileShape) -> Talon:
    """Makes the kernels of a game with a waste, always the same ones."""
    STOCK, UNSEEN = shape.sizes.stock, shape.pack.unseen

    @kernel
    def known(state: Any) -> int:
        if state.current_pass == 1:
            return int(state.waste_size)
        return int(state.waste_size + state.stock_size)

    @kernel
    def card_at(state: Any, place: int) -> int:
        return int(state.talon[STOCK + place - 1])

    @kernel
    def when(rules: Any, state: Any, place: int) -> int:
        drawn, cards = state.waste_size, state.waste_size + state.stock_size
        if card_at(state, place) == UNSEEN:
            return OUT_OF_REACH
        if place == drawn:
            return TOP
        if place > drawn and comes_up(place, drawn, rules.draw, cards):
            return THIS_PASS
        can_redeal = rules.passes == NO_LIMIT or state.current_pass < rules.passes
        all_seen = state.current_pass > 1 or state.stock_size == 0
        if can_redeal and all_seen and comes_up(place, 0, rules.draw, cards):
            return NEXT_PASS
        return OUT_OF_REACH

    return Talon(known, when, card_at)
