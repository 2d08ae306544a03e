"""How well agents play, pinned deal by deal."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_envs.game import Game, Options
from solitaire_evaluation.play import play


def played_as(agent: Agent, game: Game, options: Options, deals: Sequence[int] | NDArray[np.uint64]) -> str:
    """Plays deals; returns how many are won, the points and moves in all, and a hash of the outcome of each deal.

    The same agent on the same deals has the same text on every machine. So the smallest change shows, and the text says
    whether it is for the better. A change that is meant is pinned anew.
    """
    outcomes: Any = play(agent, game, options, deals).outcomes
    each = outcomes[["won", "score", "moves"]].tolist()
    won, points, moves = (int(outcomes[name].sum()) for name in ("won", "score", "moves"))
    return f"{won} won, {points} points, {moves} moves, {hashlib.sha256(repr(each).encode()).hexdigest()[:8]}"
