"""The base of agents that plan a line of several moves and then play it move by move."""

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations

CAPACITY: Final = 1 << 20
"""Most planned positions that an agent remembers: enough for the lines of 8,000 games. They take 100 megabytes."""
LATEST: Final = 64
"""Number of lines that are kept after `seed`, since a page asks again and again about the game that it shows."""


class Plan(dict[int, int]):
    """Hash of a position -> the action planned there; hashes (64 bits) stand for positions, which are large.

    The newest line through a position counts. An older one could lead a game that comes back to the position in
    circles. The oldest entries are forgotten when the plan is full.
    """

    def add(self, line: Iterable[tuple[int, int]]) -> None:
        """Plans the actions of a line."""
        if len(self) > CAPACITY:
            for old in list(islice(self, CAPACITY // 2)):
                del self[old]
        self.update(line)


class LineFollower(Agent):
    """Plans a line of play, and follows it while the game is in one of the line's positions.

    All lines are kept in one `Plan`. So equal games of a batch follow the same line, whichever of them is ahead.

    A subclass says what a position is (`_key`) and plans a line (`_best_line`). The base knows nothing of the game.
    """

    plans = True
    searches = True

    def __init__(self, seed: int = 0) -> None:
        self._plan = Plan()
        self._latest: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restarts the agent's random numbers, and stops following all lines."""
        self._plan.clear()
        self._seed = np.uint64(seed)

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns the next action of a line for each row; the first legal action where no line is found.

        Raises:
            ValueError: The observations do not show what the agent needs.
        """
        rows = zip(observations, action_masks, strict=True)
        return np.array([self._choose(row.tolist(), mask) for row, mask in rows], dtype=np.int64)

    def _choose(self, row: list[int], mask: NDArray[np.bool_]) -> int:
        key = hash(self._key(row))
        if key not in self._plan:
            self._plan.add(self._line(row))
        # Without a line there is nothing left to gain, so any move will do.
        return self._plan.get(key, int(np.flatnonzero(mask)[0]))

    def _line(self, row: list[int]) -> list[tuple[int, int]]:
        """Returns the hashes of the positions of a best line, each with its action."""
        asked = (int(self._seed), *row)
        line = self._latest.pop(asked, None)
        if line is None:
            line = [(hash(position), action) for position, action in self._best_line(row)]
        self._latest[asked] = line
        if len(self._latest) > LATEST:
            del self._latest[next(iter(self._latest))]
        return line

    @abstractmethod
    def _key(self, row: list[int]) -> Hashable:
        """Returns the position that an observation shows: equal for equal positions."""

    @abstractmethod
    def _best_line(self, row: list[int]) -> Iterator[tuple[Hashable, int]]:
        """Yields the positions of a best line, as `_key` returns them, each with its action.

        It yields nothing if no line is found.

        Raises:
            ValueError: The observation does not show what the agent needs.
        """
