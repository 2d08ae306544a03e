"""Shortens games that repeat themselves."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.engine import Engine

STRIDE = 16
"""Moves between two comparisons."""


class CycleDetector:
    """Finds games that have returned to an earlier position, and skips all whole laps up to the limit of moves.

    The agent must be memoryless: it always picks the same move in the same state. Such a game goes round its cycle
    until the limit ends it; in one pass of La tour infernale most lost games do. The outcome is that of a game played
    in full, since the rest of the last lap is played.

    Every `STRIDE` moves, or every move where counters are left out, each position is compared with two earlier ones:
    the position of the last comparison, which finds short cycles, and a position saved after 1, 2, 4, ... comparisons,
    which finds all others (Brent's algorithm).

    Args:
        engine: The games, from their first position on.
        max_moves: Their limit of moves.
        saturates: The agent's `Agent.saturates`. Counters of the game (`Game.counters`) are compared only as far as
            they make a difference to the agent.
    """

    def __init__(self, engine: Engine, max_moves: int, saturates: Mapping[str, int]) -> None:
        self._engine, self._max_moves = engine, max_moves
        shown_in = engine.game.counters(engine.options)
        self._counters = {name: saturates[slots] for name, slots in shown_in.items() if slots in saturates}
        self._stride = 1 if self._counters else STRIDE  # a lap over the whole stock may have any length
        self._steps, self._next_save = 0, self._stride
        self._previous = self._saved = _copy(engine.states)

    def skip_cycles(self, playing: NDArray[np.int64]) -> None:
        """Skips the laps of those games under way that repeat themselves. Has to be called after every step.

        Args:
            playing: Indices of the games under way, int64 [n].
        """
        self._steps += 1
        if self._steps % self._stride or not len(playing):
            return
        now = self._positions(self._engine.states)
        for before in (self._previous, self._saved):
            repeats = (now[playing] == self._positions(before)[playing]).all(axis=1)
            for index in playing[repeats]:
                self._skip(int(index), before[index])
        self._previous = _copy(self._engine.states)
        if self._steps == self._next_save:
            self._saved, self._next_save = self._previous, 2 * self._next_save

    def _positions(self, states: NDArray[np.void]) -> NDArray[np.uint8]:
        """Returns what makes a difference to the rest of each game, as bytes, [B, bytes]."""
        positions = _copy(states)
        positions["moves"] = 0
        for name, most in self._counters.items():
            positions[name] = np.minimum(positions[name], most)
        return positions.view(np.uint8).reshape(len(states), -1)

    def _skip(self, index: int, before: np.void) -> None:
        state = self._engine.states[index]
        lap = int(state.moves - before["moves"])
        laps = (self._max_moves - int(state.moves)) // lap if lap else 0
        for name in ("moves", *self._counters):
            state[name] += laps * (state[name] - before[name])


def _copy(states: NDArray[np.void]) -> NDArray[np.void]:
    """Returns a copy of games byte by byte; NumPy's own leaves what is between the fields to chance."""
    return np.frombuffer(bytearray(states.tobytes()), states.dtype)
