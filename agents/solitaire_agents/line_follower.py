"""What follows a line of play: an agent that plans several moves at once, and then plays them one by one."""

from abc import abstractmethod
from collections.abc import Hashable, Iterator

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations


class LineFollower(Agent):
    """Plans a line of play, and follows it as long as the positions are those of the line.

    A line is kept as a mapping: what each of its positions looks like -> the action there.
    """

    def __init__(self) -> None:
        self._plan: dict[Hashable, int] = {}

    def seed(self, seed: int) -> None:
        """Forgets the lines of games under way."""
        self._plan.clear()

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns an action for each row.

        Raises:
            ValueError: The observations do not show what the agent has to see.
        """
        rows = zip(observations, action_masks, strict=True)
        return np.array([self._choose(row.tolist(), mask) for row, mask in rows], dtype=np.int64)

    def _choose(self, row: list[int], mask: NDArray[np.bool_]) -> int:
        key = self._key(row)
        if key not in self._plan:
            self._plan.update(self._best_line(row))
        # Without a line there is nothing left to gain, and any move will do.
        return self._plan.pop(key, int(np.flatnonzero(mask)[0]))

    @abstractmethod
    def _key(self, row: list[int]) -> Hashable:
        """Returns what a position looks like."""

    @abstractmethod
    def _best_line(self, row: list[int]) -> Iterator[tuple[Hashable, int]]:
        """Yields the positions of a best line, as their keys, each with its action."""
