"""The moves of Klondike's reference as actions of the environment, and in its words; stock and waste of a state."""

from typing import Any

from solitaire_envs import klondike_table
from tests.reference.klondike import SUITS, Game, Move


def move_of(action: int) -> Move:
    """Returns an action as the reference names it."""
    if action in (klondike_table.DRAW, klondike_table.REDEAL):
        return (("draw",), ("redeal",))[action]
    source, target = klondike_table.ACTIONS[action]
    onto = "foundation" if target == klondike_table.FOUNDATION else target
    if source >= klondike_table.FOUNDATION:
        return "foundation", SUITS[source - klondike_table.FOUNDATION], onto
    return "waste" if source == klondike_table.WASTE else source, onto


def in_words(game: Game, move: Any) -> str:
    """Returns a legal move of the reference as the environment's text."""
    if len(move) == 1:
        return str(move[0])
    source, target = move[0], move[-1]
    if source == "foundation":
        card = game.foundations[move[1]][-1]
    elif source == "waste":
        card = game.waste[-1]
    elif target == "foundation":
        card = game.face_up[source][-1]
    else:
        card = next(card for card in game.face_up[source] if game.on_pile(card, target))
    if target == "foundation":
        return f"{card}>F"
    return f"{card}>{game.face_up[target][-1] if game.face_up[target] else 'empty'}"


def stock_cards(state: Any) -> list[int]:
    """Returns the stock's cards, top first."""
    first = klondike_table.LEAD + int(state.waste_size)
    return [int(card) - 1 for card in state.talon[first : first + int(state.stock_size)]]


def waste_cards(state: Any) -> list[int]:
    """Returns the waste's cards, top first."""
    end = klondike_table.LEAD + int(state.waste_size)
    return [int(card) - 1 for card in state.talon[klondike_table.LEAD : end]][::-1]
