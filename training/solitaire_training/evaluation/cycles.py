"""Ends games that repeat themselves."""

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.engine import Engine

STRIDE = 16
"""Moves between two comparisons."""


class CycleDetector:
    """Ends games that have returned to an earlier position, with the outcome that they would have at the move limit.

    The agent must be memoryless: it always picks the same move in the same state. Such a game repeats its cycle, and
    only its number of moves changes until the limit ends it. In one pass of La tour infernale most lost games end like
    this, after 1,000 moves.

    Every `STRIDE` moves each position is compared with two earlier ones: the position `STRIDE` moves ago, which finds
    short cycles, and a position saved after 16, 32, 64, ... moves, which finds all others (Brent's algorithm).

    Args:
        engine: The games, from their first position on. ``options.max_moves`` must be set if a game can repeat itself.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._steps, self._next_save = 0, STRIDE
        self._previous = self._saved = self._positions()

    def end_cycles(self, playing: NDArray[np.int64]) -> None:
        """Ends those of the games under way that repeat themselves. Has to be called after every step.

        Args:
            playing: Indices of the games under way, int64 [n].
        """
        self._steps += 1
        if self._steps % STRIDE or not len(playing):
            return
        now = self._positions()
        repeats = [(now[playing] == before[playing]).all(axis=1) for before in (self._previous, self._saved)]
        for index in playing[repeats[0] | repeats[1]]:
            self._end(int(index))
        self._previous = now
        if self._steps == self._next_save:
            self._saved, self._next_save = now, 2 * self._next_save

    def _positions(self) -> NDArray[np.uint8]:
        """Returns the state of each game without its number of moves, as bytes, [B, bytes]."""
        states = self._engine.states
        positions: NDArray[np.uint8] = states.view(np.uint8).reshape(len(states), -1).copy()
        start = states.dtype.fields["moves"][1]
        positions[:, start : start + states.dtype["moves"].itemsize] = 0
        return positions

    def _end(self, index: int) -> None:
        state = self._engine.states[index]
        state.moves, state.ended = self._engine.options.max_moves, True
        for name, value in self._engine.outcome(index).items():
            self._engine.buffers.outcomes[name][index] = value
