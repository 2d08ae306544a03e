"""Plays agents on lists of deals; every agent gets the very same ones."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options

TEST_DEALS = 0
"""First of the deal numbers that ``compare`` plays; see seeds/README.md."""
VALIDATION_DEALS = 1_000_000
"""First of the deal numbers that training is watched on."""
NUM_VALIDATION_DEALS = 10_000
BATCH = 4_096


@dataclass(frozen=True)
class Played:
    """The outcomes of one agent on a list of deals."""

    agent: str
    outcomes: Any
    """[n] records of the game's outcome with ``moves``, one a deal, in the list's order."""
    seconds: float
    """Wall time of the playing."""

    def column(self, name: str) -> NDArray[np.float64]:
        """Returns one field of the outcomes as floats, [n]."""
        return np.asarray(self.outcomes[name], dtype=np.float64)


def play(
    agent: Agent,
    game: Game,
    options: Options,
    deals: Sequence[int] | NDArray[np.uint64],
    *,
    seed: int = 0,
    progress: Callable[[int], None] = lambda count: None,
) -> Played:
    """Plays a list of deals to their ends.

    Args:
        agent: Who plays. Its random numbers are restarted, so the same call gives the same outcomes.
        game: The game.
        options: Its options; an agent that is not fair is shown more than they say.
        deals: Deal numbers.
        seed: Seed of the agent's random numbers.
        progress: Called with the number of deals finished since the last call.

    Raises:
        ValueError: The agent chose a move that is not legal, or nothing would end a game that goes round in circles.
    """
    if options.max_moves is None and game.options().max_moves is not None:  # a game that may not end has a limit
        raise ValueError(f"expected max_moves, for games of {game.name} need not end without; got None")
    numbers = np.asarray(deals, dtype=np.uint64)
    agent.seed(seed)
    started = time.perf_counter()
    parts = []
    for start in range(0, len(numbers), BATCH):
        chunk = numbers[start : start + BATCH]
        parts.append(_play_batch(agent, game, options, chunk))
        progress(len(chunk))
    return Played(agent.name, np.concatenate(parts), time.perf_counter() - started)


def _play_batch(agent: Agent, game: Game, options: Options, deals: NDArray[np.uint64]) -> Any:
    engine = Engine(game, agent.shown(options), len(deals))
    engine.deal_numbers(deals)
    buffers = engine.buffers
    actions = np.zeros(len(deals), dtype=np.int64)
    playing = np.arange(len(deals))
    circles = _Circles(engine) if agent.memoryless and "series" not in (game.state.names or ()) else None
    while len(playing):
        actions[playing] = agent.act(buffers.observations[playing], buffers.action_masks[playing])
        engine.step(actions)
        if buffers.illegal.any():
            wrong = int(np.flatnonzero(buffers.illegal)[0])
            raise ValueError(f"expected a legal action from {agent.name}, got {actions[wrong]} in deal {deals[wrong]}")
        playing = np.flatnonzero(~engine.states.ended)
        if circles:
            circles.end_them(playing)
            playing = playing[~engine.states.ended[playing]]
    return np.array(buffers.outcomes)


class _Circles:
    """Ends games that have come round to a position they were in before, as they would end after many more moves.

    The agent must be memoryless. Then such a game goes round for ever: nothing of its outcome changes any more but the
    number of moves, until it is cut off. In one pass of La tour infernale most lost games end so, after 1,000 moves.
    Every 16 moves a position is compared with that of 16 moves ago, for short circles, and with that after 16, 32,
    64, ... moves, for all the others (Brent's way).
    """

    STRIDE = 16

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._steps, self._next = 0, self.STRIDE
        self._lately = self._long_ago = self._positions()

    def end_them(self, playing: NDArray[np.int64]) -> None:
        """Ends those of the games under way that go round in circles; to be called after every step."""
        self._steps += 1
        if self._steps % self.STRIDE or not len(playing):
            return
        now = self._positions()
        again = [(now[playing] == before[playing]).all(axis=1) for before in (self._lately, self._long_ago)]
        for index in playing[again[0] | again[1]]:
            self._cut_off(int(index))
        self._lately = now
        if self._steps == self._next:
            self._long_ago, self._next = now, 2 * self._next

    def _positions(self) -> NDArray[np.uint8]:
        """Returns all that is known of each game but the number of its moves, as bytes."""
        states = self._engine.states
        positions: NDArray[np.uint8] = states.view(np.uint8).reshape(len(states), -1).copy()
        start = states.dtype.fields["moves"][1]
        positions[:, start : start + states.dtype["moves"].itemsize] = 0
        return positions

    def _cut_off(self, index: int) -> None:
        state = self._engine.states[index]
        state.moves, state.ended = self._engine.options.max_moves, True
        outcome = self._engine.outcome(index)
        for name, value in outcome.items():
            self._engine.buffers.outcomes[name][index] = value
