"""The solver of the package `pyksolve`, Klondike-Solver by ShootMe, as a second opinion on whole deals of Klondike.

It plays with returns and no limit of passes. Its lines say which stricter rules they would have been legal under.
"""

import re
from typing import Any, NamedTuple

from pyksolve.solver import Solitaire, SolveResult

from solitaire_envs.klondike_table import ACTIONS, DRAW, FOUNDATION, PILES, REDEAL, WASTE

_ACTION = {places: action for action, places in enumerate(ACTIONS)}
_SOURCES = {**{str(pile + 1): pile for pile in range(PILES)}, "W": WASTE}
_SUITS = "CDHS"


class Opinion(NamedTuple):
    """What it found."""

    winnable: bool | None
    """None: it came to its limit."""
    actions: tuple[int, ...] = ()
    """The line, as actions of the environment."""
    passes: int = 0
    """Passes that the line takes."""
    returns: bool = False
    """Whether a card comes back from a foundation in it."""


def opinion(deck: Any, draw: int, max_states: int) -> Opinion:
    """Solves a deal, 52 cards in dealing order."""
    solver = Solitaire()
    solver.load_solitaire("".join(f"{card % 13 + 1:02d}{card // 13 + 1}" for card in map(int, deck)))
    solver.reset_game(draw)
    result = solver.solve_fast(max_closed_count=max_states)
    if result == SolveResult.CouldNotComplete:
        return Opinion(None)
    if result == SolveResult.Impossible:
        return Opinion(False)
    actions = [action for move in solver.moves_made().split() for action in _actions(move)]
    returns = any(ACTIONS[action][0] >= FOUNDATION for action in actions)
    return Opinion(True, tuple(actions), 1 + actions.count(REDEAL), returns)


def _actions(move: str) -> list[int]:
    if move == "NEW":
        return [REDEAL]
    if draws := re.fullmatch(r"DR(\d+)", move):
        return [DRAW] * int(draws[1])
    if re.fullmatch(r"F[1-7]", move):  # a card is turned up, which here is part of the move before
        return []
    source, target = move[0], move[1]  # "-3" behind them: the number of cards, which the target implies
    start = _SOURCES[source] if source in _SOURCES else FOUNDATION + _SUITS.index(source)
    return [_ACTION[start, int(target) - 1 if target.isdigit() else FOUNDATION]]
