"""Draws tables as text: only what a person at the table would see, so never the order of an undrawn stock."""

from collections.abc import Callable
from typing import Any

from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.cards import card_text
from solitaire_envs.engine import Engine

PIPS = dict(zip("CDHS", "♣♦♥♠", strict=True))
RED, DIM, PLAIN = "\033[91m", "\033[2m", "\033[0m"
WIDTH = 60


def render_ansi(engine: Engine, index: int, *, color: bool = False) -> str:
    """Returns the table of one environment as text.

    Args:
        engine: The games.
        index: Which of them.
        color: Whether to colour the suits with ANSI codes.

    Returns:
        Lines of at most `WIDTH` characters, but for the last: the legal moves.
    """
    draw = next(draw for name, draw in TABLES.items() if engine.game.name.startswith(name))
    outcome = engine.outcome(index)
    lines = [*draw(engine.states[index]), "", _status(engine, index, outcome)]
    moves = dict.fromkeys(engine.move_text(index, action) for action in engine.legal_actions(index))
    lines.append("moves: " + (", ".join(moves) or "none, the game is over"))
    text = "\n".join(line.rstrip() for line in lines)
    return _in_colour(text) if color else text


def _status(engine: Engine, index: int, outcome: dict[str, Any]) -> str:
    passes = getattr(engine.options, "passes", None)
    of_passes = "" if passes is None else f" of {passes}"
    return f"pass {outcome['passes']}{of_passes}   move {outcome['moves']}   score {outcome['score']}"


def _in_colour(text: str) -> str:
    for pip in "♦♥":
        text = text.replace(pip, f"{RED}{pip}{PLAIN}")
    return text.replace("░", f"{DIM}░{PLAIN}")


def _face(card: int) -> str:
    """Returns a card in three characters, such as `` Q♥`` or ``10♠``."""
    text = card_text(card)
    return ("10" if text[0] == "T" else " " + text[0]) + PIPS[text[1]]


def _pyramid(state: Any) -> list[str]:
    """Cards that may be played stand in brackets; what is covered stands bare; what is gone leaves a dot."""
    lines = []
    for row in range(pyramid.ROWS):
        cells = []
        for position in range(row * (row + 1) // 2, (row + 1) * (row + 2) // 2):
            there, available = state.pyramid >> position & 1, state.available >> position & 1
            face = _face(int(state.deck[position]))
            cells.append(f"[{face}]" if available else f" {face} " if there else "  ·  ")
        lines.append("   ".join(cells).center(WIDTH))
    return [*lines, "", *_piles(pyramid.stock_cards(state), pyramid.waste_cards(state), stock_up=True)]


def _tour_infernale(state: Any) -> list[str]:
    foundations = [
        _face(13 * suit + int(count) - 1) if count else " ·" + PIPS["CDHS"[suit]]
        for suit, count in enumerate(state.foundations)
    ]
    piles = [[int(card) - 1 for card in pile if card] for pile in state.tableau]
    lines = ["foundations  " + "  ".join(foundations), ""]
    for depth in range(max(1, *map(len, piles))):
        cells = []
        for pile in piles:
            if depth < len(pile):
                cells.append(f"[{_face(pile[depth])}]" if depth == len(pile) - 1 else f" {_face(pile[depth])} ")
            else:
                cells.append("  ·  " if depth == 0 else "     ")
        lines.append("   ".join(cells))
    stock, waste = tour_infernale.stock_cards(state), tour_infernale.waste_cards(state)
    return [*lines, "", *_piles(stock, waste, stock_up=False)]


def _piles(stock: list[int], waste: list[int], *, stock_up: bool) -> list[str]:
    """Shows the stock's size, its top if that lies face up, and the topmost cards of the waste."""
    top = f"[{_face(stock[0])}]" if stock and stock_up else " ░░░ " if stock else "  ·  "
    fan = " ".join(_face(card) for card in waste[1:6])
    shown = f"[{_face(waste[0])}] {fan}" if waste else "  ·  "
    return [f"stock {top} {len(stock):2} cards     waste {shown}{' …' if len(waste) > 6 else ''} ({len(waste)} cards)"]


TABLES: dict[str, Callable[[Any], list[str]]] = {"pyramid": _pyramid, "tour_infernale": _tour_infernale}
"""Game -> how its table is drawn; a series is drawn as its game."""
