"""Plays one agent on a list of deals."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options

GAMES_AT_ONCE = 4_096
"""Games played side by side, at most."""


@dataclass(frozen=True)
class Played:
    """The outcomes of one agent on a list of deals."""

    outcomes: Any
    """[n] records of the game's outcome, with ``moves``, in the order of the deals."""
    seconds: float
    """Wall time of play."""

    def column(self, name: str) -> NDArray[np.float64]:
        """Returns one field of the outcomes, float64 [n]."""
        return np.asarray(self.outcomes[name], dtype=np.float64)


def play(
    agent: Agent,
    game: Game,
    options: Options,
    deals: Sequence[int] | NDArray[np.uint64],
    *,
    seed: int = 0,
) -> Played:
    """Plays each game of a list of deals to its end.

    Args:
        agent: The agent. Its random numbers are restarted, so the same call gives the same outcomes.
        game: The game.
        options: Its options. An agent that is not fair sees more than they allow.
        deals: Deal numbers.
        seed: Seed of the agent's random numbers.

    Raises:
        ValueError: The agent chose an illegal action, or the game may go on for ever and has no limit of moves.
    """
    if options.max_moves is None and game.options().max_moves is not None:  # no other game has a limit by default
        raise ValueError(f"expected max_moves, since games of {game.name} may go on for ever; got None")
    numbers = np.asarray(deals, dtype=np.uint64)
    agent.seed(seed)
    started = time.perf_counter()
    outcomes = []
    for start in range(0, len(numbers), GAMES_AT_ONCE):
        batch = numbers[start : start + GAMES_AT_ONCE]
        engine = Engine(game, agent.shown(options), len(batch))
        engine.deal_numbers(batch)
        for _ in step_through(agent, engine):
            pass
        outcomes.append(np.array(engine.buffers.outcomes))
    return Played(np.concatenate(outcomes), time.perf_counter() - started)


def step_through(agent: Agent, engine: Engine) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Plays the games of an engine side by side to their ends.

    Yields:
        The indices of the games under way, [n], and the agent's choices in them, [n], before these are played.
    """
    actions, playing = np.zeros(engine.num_envs, np.int64), np.flatnonzero(~engine.states.ended)
    while len(playing):
        chosen = agent.choose(engine, playing)
        yield playing, chosen
        actions[playing] = chosen
        engine.step(actions)
        playing = np.flatnonzero(~engine.states.ended)
