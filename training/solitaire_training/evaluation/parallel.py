"""Plays chunks of deals: quick agents in threads, slow agents in processes.

Quick agents spend their time in compiled kernels and matrix products, which release Python's lock, and they would be
done before a process has started. Slow agents may hold the lock, and their games are worth the start of a process.
"""

import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from solitaire_agents.base import Agent
from solitaire_training.evaluation.agent_specs import AgentSpec, make_agent
from solitaire_training.evaluation.chunks import Chunk, PlayedChunk
from solitaire_training.evaluation.deals import TEST_DEALS
from solitaire_training.evaluation.env_spec import EnvSpec
from solitaire_training.evaluation.play import play
from solitaire_training.evaluation.pool import in_processes, in_threads, use_one_torch_thread


def play_chunks(chunks: Sequence[Chunk], jobs: int) -> Iterator[PlayedChunk]:
    """Plays chunks of deals; yields each when it is done, in any order.

    Args:
        chunks: The chunks. The outcomes depend neither on their order nor on the number of jobs.
        jobs: Threads or processes.
    """
    yield from in_threads(play_chunk, [chunk for chunk in chunks if chunk.agent.quick], jobs)
    yield from in_processes(play_chunk, [chunk for chunk in chunks if not chunk.agent.quick], jobs)


def play_chunk(chunk: Chunk) -> PlayedChunk:
    """Plays one chunk of deals, with random numbers of its own."""
    env_spec = chunk.env_spec
    agent = _agent(env_spec, chunk.agent, threading.get_ident())
    seed = int(np.random.SeedSequence((chunk.seed, chunk.number)).generate_state(1)[0])
    played = play(agent, env_spec.game, env_spec.options, chunk.deals, seed=seed)
    return PlayedChunk(chunk, played.outcomes, played.seconds)


@lru_cache(maxsize=32)
def _agent(env_spec: EnvSpec, spec: AgentSpec, thread: int) -> Agent:
    """Builds an agent, one for each thread."""
    agent = make_agent(spec, env_spec.game, env_spec.options)
    use_one_torch_thread()  # one core per job, one thread per core
    play(agent, env_spec.game, env_spec.options, [TEST_DEALS])  # so that its speed is not that of a first game
    return agent
