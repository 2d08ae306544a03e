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
        options: Its options.
        deals: Deal numbers.
        seed: Seed of the agent's random numbers.
        progress: Called with the number of deals finished since the last call.
    """
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
    engine = Engine(game, options, len(deals))
    engine.deal_numbers(deals)
    buffers = engine.buffers
    actions = np.zeros(len(deals), dtype=np.int64)
    playing = np.arange(len(deals))
    while len(playing):
        actions[playing] = agent.act(buffers.observations[playing], buffers.action_masks[playing])
        engine.step(actions)
        if buffers.illegal.any():
            wrong = int(np.flatnonzero(buffers.illegal)[0])
            raise ValueError(f"expected a legal action from {agent.name}, got {actions[wrong]} in deal {deals[wrong]}")
        playing = np.flatnonzero(~engine.states.ended)
    return np.array(buffers.outcomes)
