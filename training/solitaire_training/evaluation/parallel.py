"""Plays chunks of deals: quick agents in threads, slow ones in processes.

Quick agents spend their time in compiled kernels and matrix products, which let go of Python's lock, and would be done
by the time a process has started; slow ones may hold the lock, and are worth the start.
"""

import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_training.evaluation.agent_specs import Contestant, make_agent
from solitaire_training.evaluation.play import play
from solitaire_training.evaluation.pool import in_processes, in_threads, use_one_torch_thread
from solitaire_training.evaluation.store import Arena, Task

Outcome = tuple[Task, NDArray[np.void], float]
"""The task, its outcomes, and the seconds they took."""


def play_tasks(tasks: Sequence[Task], jobs: int) -> Iterator[Outcome]:
    """Plays chunks of deals; yields each when it is done, in any order.

    Args:
        tasks: The chunks. What comes out does not depend on their order, nor on the number of jobs.
        jobs: Threads or processes.
    """
    yield from in_threads(play_task, [task for task in tasks if task.contestant.quick], jobs)
    yield from in_processes(play_task, [task for task in tasks if not task.contestant.quick], jobs)


def play_task(task: Task) -> Outcome:
    """Plays one chunk of deals, with random numbers of its own."""
    arena = task.arena
    agent = _agent(arena, task.contestant, threading.get_ident())
    seed = int(np.random.SeedSequence((task.seed, task.number)).generate_state(1)[0])
    played = play(agent, arena.game, arena.options, task.deals, seed=seed)
    return task, played.outcomes, played.seconds


@lru_cache(maxsize=32)
def _agent(arena: Arena, contestant: Contestant, thread: int) -> Agent:
    """Builds an agent, one for each thread."""
    agent = make_agent(contestant, arena.game, arena.options)
    use_one_torch_thread()  # a core for each job, a thread for each core
    return agent
