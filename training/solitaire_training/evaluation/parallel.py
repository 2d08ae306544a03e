"""Plays chunks of deals: quick agents in threads, slow agents in processes.

Quick agents spend their time in compiled kernels and matrix products, which release Python's lock, and they would be
done before a process has started. Slow agents may hold the lock, and their games are worth the start of a process.
"""

import multiprocessing
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from functools import lru_cache

import numpy as np

from solitaire_agents.base import Agent
from solitaire_training.evaluation.agent_specs import AgentSpec, make_agent
from solitaire_training.evaluation.chunks import Chunk, PlayedChunk
from solitaire_training.evaluation.env_spec import EnvSpec
from solitaire_training.evaluation.play import play


def play_chunks(chunks: Sequence[Chunk], jobs: int) -> Iterator[PlayedChunk]:
    """Plays chunks of deals; yields each when it is done, in any order.

    Args:
        chunks: The chunks. The outcomes depend neither on their order nor on the number of jobs.
        jobs: Threads or processes.
    """
    if jobs == 1:
        yield from map(play_chunk, chunks)
        return
    quick, slow = ([chunk for chunk in chunks if chunk.agent.quick is kind] for kind in (True, False))
    if quick:
        yield from _play_in(ThreadPoolExecutor(jobs), quick)
    if slow:
        # Unlike a multiprocessing pool, this one raises an error when a process is killed, say for lack of memory.
        spawn = multiprocessing.get_context("spawn")
        yield from _play_in(ProcessPoolExecutor(min(jobs, len(slow)), spawn, _start_process), slow)


def _play_in(pool: Executor, chunks: Sequence[Chunk]) -> Iterator[PlayedChunk]:
    try:
        for future in as_completed([pool.submit(play_chunk, chunk) for chunk in chunks]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


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
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)  # one core per job, one thread per core
    return agent


def _start_process() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C: it ends the pool
