"""Plays the chunks of a submission again, and asks its agent what it would do if other cards were hidden."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_envs.checks import short
from solitaire_envs.engine import Engine
from solitaire_evaluation.agent_specs import make_agent
from solitaire_evaluation.chunks import Chunk
from solitaire_evaluation.play import step_through
from solitaire_evaluation.pool import use_one_torch_thread


class Replay(NamedTuple):
    """A chunk to play again."""

    chunk: Chunk
    draw: int
    """A random number that nobody can know in advance. It chooses where cards are shuffled, and how."""


class _Twins(NamedTuple):
    """Games that look like others up to a move, but whose cards that are hidden there lie in another order."""

    move: int
    decks: NDArray[np.uint8]
    """[n, 52]"""


def play_again(piece: Replay) -> tuple[Chunk, NDArray[np.void]]:
    """Plays a chunk again, and then once more up to a random move, with the cards that are hidden there shuffled.

    Returns:
        The chunk and its outcomes.

    Raises:
        ValueError: The agent chooses otherwise where only hidden cards differ.
    """
    chunk, random = piece.chunk, np.random.default_rng(piece.draw)
    agent, engine = _new_agent(chunk), _new_engine(chunk)
    engine.deal_numbers(chunk.deals)
    choices, twins, hiding, found = list[NDArray[np.int64]](), None, list(range(engine.num_envs)), 0
    for _, chosen in step_through(agent, engine):
        hiding = [game for game in hiding if len(_hidden(engine, game)) > 1]
        found += len(hiding)
        if random.integers(max(1, found)) < len(hiding):  # so each position that hides cards is equally likely to stay
            twins = _Twins(len(choices), _shuffled(engine, hiding, random))
        choices.append(chosen)
    if twins is not None:
        _ask_again(chunk, twins, choices)
    return chunk, np.array(engine.buffers.outcomes)


def _hidden(engine: Engine, game: int) -> NDArray[np.int64]:
    state = engine.states[game]
    return np.zeros(0, np.int64) if state.ended else engine.game.hidden(state)


def _shuffled(engine: Engine, games: Sequence[int], random: np.random.Generator) -> NDArray[np.uint8]:
    """Returns the decks of all games, [n, 52], in some of them with the hidden cards in another order."""
    decks = np.array(engine.states.deck)
    for game in games:
        places = _hidden(engine, game)
        decks[game, places] = random.permutation(decks[game, places])
    return decks


def _ask_again(chunk: Chunk, twins: _Twins, choices: Sequence[NDArray[np.int64]]) -> None:
    """Checks that an agent of its own makes the same choices in twins, up to the move where they differ at last."""
    engine = _new_engine(chunk)
    engine.deal_decks(twins.decks)
    engine.states.deal[:], engine.states.dealt_by_number[:] = chunk.deals, True  # nothing else tells them apart
    for move, (playing, chosen) in enumerate(step_through(_new_agent(chunk), engine)):
        different = playing[chosen != choices[move]]
        if len(different):
            raise ValueError(
                f"expected {short(chunk.agent.name)} to choose by what a player can know, got another move {move + 1} "
                f"on deal {chunk.deals[different[0]]} with other hidden cards"
            )
        if move == twins.move:
            return


def _new_agent(chunk: Chunk) -> Agent:
    """Returns an agent that has played nothing yet."""
    agent = make_agent(chunk.agent, chunk.env_spec.game, chunk.env_spec.options)
    use_one_torch_thread()
    agent.seed(chunk.agent_seed)
    return agent


def _new_engine(chunk: Chunk) -> Engine:
    return Engine(chunk.env_spec.game, chunk.env_spec.options, len(chunk.deals))
