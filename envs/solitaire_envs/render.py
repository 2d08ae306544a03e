"""Draws games as text: the table, the status of the episode, the legal moves.

A drawing shows what a person at the table sees: never the order of an undrawn stock.
"""

import re
from collections.abc import Iterable
from dataclasses import fields
from itertools import groupby

from solitaire_envs.cards import NUM_RANKS, RANKS, SUITS
from solitaire_envs.engine import Engine
from solitaire_envs.layout import BACK, PIPS, Layout, Spot

# --- What text and picture both show ----------------------------------------------------------------------------------


def layout_of(engine: Engine, index: int) -> Layout:
    """Returns where the cards of one environment lie."""
    return engine.game.layout(engine.states[index], engine.options, legal_actions(engine, index))


def legal_actions(engine: Engine, index: int) -> list[int]:
    """Returns the legal actions of one environment; none when its episode was cut off."""
    return [] if engine.states[index].ended else engine.legal_actions(index)


def status_text(engine: Engine, index: int) -> str:
    """Returns the status of an episode, such as ``pass 1 of 3   move 12   score -40``."""
    outcome, limits = engine.outcome(index), _limits(engine)
    parts = [
        f"{one.status} {outcome[one.name]}{limits.get(one.name, '')}"
        for one in engine.game.outcome_fields
        if one.status
    ]
    parts.append(f"score {outcome['score']}")
    parts += ["won" if outcome["won"] else "over"] if engine.states[index].ended else []
    return "   ".join(parts)


def _limits(engine: Engine) -> dict[str, str]:
    """Returns the limits that the options set to fields of the outcome."""
    limits = {spec.metadata["limits"]: getattr(engine.options, spec.name) for spec in fields(engine.options)}
    return {name: f" of {limit}" for name, limit in limits.items() if name and limit is not None}


# --- Text -------------------------------------------------------------------------------------------------------------

_MARGIN, _WIDEST, _PITCH, CELL = 2, 80, 8, 4
"""In characters: the margin left and right of the table, the widest table, the distance between columns unless there
are many, the width of a card."""
_RED, BOLD, DIM, PLAIN = "\033[91m", "\033[1m", "\033[2m", "\033[0m"
STYLES = {**dict.fromkeys("♦♥", _RED), **dict.fromkeys("[]", BOLD), **dict.fromkeys("·○░", DIM)}
_FACE_DOWN = "░░"


def render_ansi(
    engine: Engine, index: int, *, color: bool = False, tell_moves: bool = True, dense: bool = False
) -> str:
    """Returns the table of one environment as text; cards that are available stand in brackets.

    Args:
        engine: The games.
        index: Which of them.
        color: Whether to colour it with ANSI codes.
        tell_moves: Whether to list the legal moves.
        dense: Whether to leave out empty lines, and to draw the face-down cards of a pile as one, with their number.

    Returns:
        Lines of at most 80 characters, of 60 for seven columns. Only the last line, the legal moves, may be longer.
    """
    table = "\n".join(_lines(layout_of(engine, index), dense))
    below = [status_text(engine, index)]
    if tell_moves:
        moves = dict.fromkeys(engine.move_text(index, action) for action in legal_actions(engine, index))
        below.append("moves: " + (", ".join(moves) or "none, the game is over"))
    table = _in_colour(table) if color else table
    return "\n".join([table, *([] if dense else [""]), *(" " * _MARGIN + line for line in below)])


def _lines(layout: Layout, dense: bool) -> list[str]:
    texts = [(spot.line, spot.x, _cell(spot)) for spot in layout.spots]
    for spot in layout.spots:
        texts += [(line, spot.x, word) for line, word in enumerate(spot.caption.split(), start=spot.line + 1)]
    if dense:
        texts = _without_backs(texts)
    height = 1 + max(line for line, _, _ in texts)
    pitch = min(_PITCH, (_WIDEST - 2 * _MARGIN) // layout.columns)
    canvas = [[" "] * (2 * _MARGIN + layout.columns * pitch) for _ in range(height)]
    for line, x, text in texts:
        start = _MARGIN + round(x * pitch) + (CELL - len(text)) // 2
        canvas[line][start : start + len(text)] = text
    lines = ["".join(line).rstrip() for line in canvas]
    return [line for line in lines if line] if dense else lines


def _without_backs(texts: Iterable[tuple[int, float, str]]) -> list[tuple[int, float, str]]:
    """Returns (line, x, text) with face-down cards that lie on each other as one; the cards on them move up."""
    kept: list[tuple[int, float, str]] = []
    for x, column in groupby(sorted(texts, key=lambda text: (text[1], text[0])), lambda text: text[1]):
        before, backs, up = (-1, ""), 0, 0
        for line, _, text in column:
            if text == _FACE_DOWN and before == (line - 1, text):
                backs, up = backs + 1, up + 1
                kept[-1] = (line - up, x, f"{backs}{text}")
            else:
                backs = 1
                kept.append((line - up, x, text))
            before = (line, text)
    return kept


def _cell(spot: Spot) -> str:
    if spot.card is None:
        return spot.sign
    if spot.card == BACK:
        return _FACE_DOWN
    rank, suit = RANKS[spot.card % NUM_RANKS], PIPS[SUITS[spot.card // NUM_RANKS]]
    return f"[{rank}{suit}]" if spot.available else f" {rank}{suit} "


def _in_colour(table: str) -> str:
    return re.sub(r"[·○░]+|[^\s\[]?[♦♥]|[\[\]]", lambda found: STYLES[found[0][-1]] + found[0] + PLAIN, table)
