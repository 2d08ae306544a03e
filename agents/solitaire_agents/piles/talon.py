"""Stock and waste of a declared game once all their cards have been seen: a set of cards within reach.

Draws and redeals through known cards are no progress. They belong to the play of the card that they bring up.
"""

from functools import cache
from typing import Any, Final, NamedTuple

from solitaire_agents.choices import comes_up
from solitaire_envs.game import NO_LIMIT
from solitaire_envs.jit import kernel
from solitaire_envs.piles.shape import PileShape

BY_DRAWS, WAYS = 1, 5
"""Ways in which a card comes up. In this pass: 0 not at all, as it lies in the waste; 1 by draws; 2 to 4 by draws, once
one to three cards before it are gone. In the next pass the same ways are one lower, and 4 says that there is none."""
NO_PASS: Final = WAYS - 1
TALON_CODES: Final = 1 + WAYS * WAYS


class Talon(NamedTuple):
    """Kernels over the state. A place is that of a card in waste and stock, from 1, the waste's bottom."""

    known: Any
    """(state) -> the number of places whose cards have been seen, from the first."""
    is_within_reach: Any
    """(rules, state, place) -> whether draws and a redeal through known cards bring up a card that has been seen."""
    code: Any
    """(rules, state, place) -> 0 for the waste's top; else 1 + `WAYS` * the way in this pass + that in the next."""
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
    def can_redeal(rules: Any, state: Any) -> bool:
        return bool(rules.passes == NO_LIMIT or state.current_pass < rules.passes)

    @kernel
    def is_within_reach(rules: Any, state: Any, place: int) -> bool:
        drawn, cards = state.waste_size, state.waste_size + state.stock_size
        if card_at(state, place) == UNSEEN:
            return False
        if place >= drawn and comes_up(place, drawn, rules.draw, cards):
            return True
        all_seen = state.current_pass > 1 or state.stock_size == 0
        return bool(can_redeal(rules, state) and all_seen and comes_up(place, 0, rules.draw, cards))

    @kernel
    def code(rules: Any, state: Any, place: int) -> int:
        drawn, cards, draw = state.waste_size, state.waste_size + state.stock_size, rules.draw
        if place == drawn:
            return 0
        this, later = 0, NO_PASS
        if place > drawn:
            this = BY_DRAWS + (0 if comes_up(place, drawn, draw, cards) else (place - drawn) % draw)
        if can_redeal(rules, state):
            later = 0 if comes_up(place, 0, draw, cards) else place % draw
        return int(1 + WAYS * this + later)

    return Talon(known, is_within_reach, code, card_at)
