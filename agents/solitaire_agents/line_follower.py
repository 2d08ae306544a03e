"""The base of agents that plan a line of several moves and then play it move by move."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options, without_series

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

    A subclass plans a line (`_best_line`). The game's own kernels play it along, from a state that shows the
    observation (`Game.imagine`). All lines are kept in one `Plan`. So equal games of a batch follow the same line,
    whichever of them is ahead.

    Args:
        game: The game; not a series.
        options: The options of the games to play, which may be those of a series. They say what the observations show.
        seed: Seed of the random numbers.
    """

    plans = True
    searches = True

    def __init__(self, game: Game, options: Options, seed: int = 0) -> None:
        alone = replace(self.shown(without_series(game, options)), max_moves=None)
        self._imagined, self._blank = Engine(game, alone, 1, privileged=True), np.zeros(1, game.state)
        self._plan = Plan()
        self._latest: dict[tuple[int, bytes], list[tuple[int, int]]] = {}
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
        return np.array([self._choose(row, mask) for row, mask in rows], dtype=np.int64)

    def _choose(self, observation: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
        key = self._key_of(observation)
        if key not in self._plan:
            self._plan.add(self._line(observation))
        return self._plan[key] if key in self._plan else self._without_line(observation, mask)

    def _without_line(self, observation: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
        """Returns an action where no line is found: then there is nothing left to gain, so any move will do."""
        return int(np.flatnonzero(mask)[0])

    def _without_series(self, observation: NDArray[np.int16]) -> NDArray[np.int16]:
        """Returns the part that a position decides. A series shows more after it, such as the moves that are left."""
        return observation[: self._imagined.game.observation_size]

    def _key_of(self, observation: NDArray[np.int16]) -> int:
        return hash(self._without_series(observation).tobytes())

    def _line(self, observation: NDArray[np.int16]) -> list[tuple[int, int]]:
        """Returns the keys of the positions of a best line, each with its action."""
        asked = int(self._seed), observation.tobytes()
        line = self._latest.pop(asked, None)
        if line is None:
            line = list(self._play_along(observation, self._best_line(observation)))
        self._latest[asked] = line
        if len(self._latest) > LATEST:
            del self._latest[next(iter(self._latest))]
        return line

    def _play_along(self, observation: NDArray[np.int16], actions: Iterable[int]) -> Iterator[tuple[int, int]]:
        self._imagine(observation)
        for action in actions:
            yield self._key_of(self._imagined.buffers.observations[0]), action
            self._imagined.step(np.array([action]))

    def _imagine(self, observation: NDArray[np.int16]) -> Any:
        """Returns a state that shows the observation, one record that the next call overwrites.

        Hidden cards stay unseen, unless there is only one: then the player knows it.

        Raises:
            ValueError: No game shows this under the agent's options.
        """
        game, own = self._imagined.game, self._without_series(observation)
        unseen = observation[game.unseen]
        cards = np.array([[unseen.argmax() + 1]]) if unseen.sum() == 1 else np.zeros((1, 0), np.int64)
        self._imagined.states[:] = self._blank
        self._imagined.imagine(own[None], cards)
        if not np.array_equal(self._imagined.buffers.observations[0], own):
            shown = self._imagined.options.information
            raise ValueError(f"expected observations of {game.name} under information={shown!r}, got others")
        return self._imagined.states[0]

    @abstractmethod
    def _best_line(self, observation: NDArray[np.int16]) -> Sequence[int]:
        """Returns the actions of a best line from the position that an observation, int16 [O], shows.

        It is empty if no line is found.

        Raises:
            ValueError: The observation does not show what the agent needs.
        """
