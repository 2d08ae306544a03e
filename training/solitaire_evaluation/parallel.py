"""Plays chunks of deals. On this machine, quick agents play in threads, and slow ones in processes.

Quick agents spend their time in compiled kernels and matrix products, which release the GIL, and they take less time
than the start of a process. Slow agents may hold the GIL, and their games take much longer than that start.
"""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from solitaire_agents.base import Agent
from solitaire_evaluation.agent_specs import AgentSpec, make_agent, modes_of, trained_folder
from solitaire_evaluation.chunks import Chunk, PlayedChunk
from solitaire_evaluation.deals import TEST_DEALS
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_evaluation.folders import read_folder, unpack
from solitaire_evaluation.play import play
from solitaire_evaluation.pool import use_one_torch_thread
from solitaire_evaluation.workers import Workers


def play_chunks(chunks: Sequence[Chunk], workers: Workers) -> Iterator[PlayedChunk]:
    """Plays chunks of deals; yields each as soon as it is played, in any order.

    Args:
        chunks: The chunks. The outcomes depend neither on their order nor on the workers.
        workers: The workers that play them.
    """
    player = _Elsewhere(chunks) if workers.elsewhere else play_chunk
    yield from workers.share_quick(player, [chunk for chunk in chunks if chunk.agent.quick])
    yield from workers.share(player, [chunk for chunk in chunks if not chunk.agent.quick])


def play_chunk(chunk: Chunk) -> PlayedChunk:
    """Plays one chunk of deals."""
    env_spec = chunk.env_spec
    agent = _agent(env_spec, chunk.agent, threading.get_ident())
    played = play(agent, env_spec.game, env_spec.options, chunk.deals, seed=chunk.agent_seed)
    return PlayedChunk(chunk, played.outcomes, played.seconds)


class _Elsewhere:
    """Plays chunks on machines without the folders of trained agents: it carries their files."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        found = {chunk.agent.source: trained_folder(chunk.agent, chunk.env_spec.game) for chunk in chunks}
        self._trained = {source: read_folder(folder) for source, folder in found.items() if folder}

    def __call__(self, chunk: Chunk) -> PlayedChunk:
        """Plays one chunk of deals."""
        source = chunk.agent.source
        if source not in self._trained:
            return play_chunk(chunk)
        here = f"{unpack(self._trained[source])}{modes_of(source)}"
        played = play_chunk(replace(chunk, agent=replace(chunk.agent, source=here)))
        return replace(played, chunk=chunk)


@lru_cache(maxsize=32)
def _agent(env_spec: EnvSpec, spec: AgentSpec, thread: int) -> Agent:
    """Returns a thread's own agent."""
    agent = make_agent(spec, env_spec.game, env_spec.options)
    use_one_torch_thread()  # there is one job per core
    play(agent, env_spec.game, env_spec.options, [TEST_DEALS])  # the first game compiles, which must not be timed
    return agent
