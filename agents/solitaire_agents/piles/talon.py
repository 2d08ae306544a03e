"""Stock and waste of a declared game once all their cards have been seen: a set of cards within reach.

Draws and redeals through known cards are no progress. They belong to the play of the card that they bring up.
"""

from functools import cache
from typing import Any, NamedTuple

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
    write_draws: Any
    """(rules, state, place, line, length) -> the length of the line, with draws that bring up a card within reach."""


@cache
def talon_of(shape: PileShape) -> Talon:
    """Makes the kernels of a game with a waste, always the same ones."""
    STOCK, DRAW, REDEAL = shape.sizes.stock, shape.actions.draw, shape.actions.redeal
    UNSEEN = shape.pack.unseen

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
        if place > drawn and comes_up(place - drawn, rules.draw, cards - drawn):
            return THIS_PASS
        can_redeal = rules.passes == NO_LIMIT or state.current_pass < rules.passes
        all_seen = state.current_pass > 1 or state.stock_size == 0
        if can_redeal and all_seen and comes_up(place, rules.draw, cards):
            return NEXT_PASS
        return OUT_OF_REACH

    @kernel
    def write_draws(rules: Any, state: Any, place: int, line: Any, length: int) -> int:
        drawn, cards = state.waste_size, state.waste_size + state.stock_size
        if place == drawn:
            return length
        if place < drawn or not comes_up(place - drawn, rules.draw, cards - drawn):
            length = add_draws(line, length, cards - drawn, rules.draw)
            line[length] = REDEAL
            length, drawn = length + 1, 0
        return add_draws(line, length, place - drawn, rules.draw)

    @kernel
    def add_draws(line: Any, length: int, cards: int, draw: int) -> int:
        for _ in range((cards + draw - 1) // draw):
            line[length] = DRAW
            length += 1
        return length

    return Talon(known, when, card_at, write_draws)


@kernel
def comes_up(place: int, draw: int, cards: int) -> bool:
    """Returns whether a card is on top after some draws, by its place among the cards that are not drawn."""
    return bool(place % draw == 0 or place == cards)
