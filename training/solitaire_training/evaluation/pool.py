"""Work shared among threads or processes: results come as they are completed, in any order."""

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from typing import TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def in_threads(function: Callable[[Piece], Result], pieces: Sequence[Piece], jobs: int) -> Iterator[Result]:
    """Applies a function to each piece of work in threads; one job needs none.

    Args:
        function: Should spend its time in compiled code, which releases Python's lock.
        pieces: The pieces of work.
        jobs: Number of threads.

    Yields:
        The results, as they are completed. An error cancels all pieces that have not begun.
    """
    if jobs == 1:
        yield from map(function, pieces)
    elif pieces:
        yield from _completed(ThreadPoolExecutor(jobs), function, pieces)


def in_processes(function: Callable[[Piece], Result], pieces: Sequence[Piece], jobs: int) -> Iterator[Result]:
    """Applies a function to each piece of work in new processes; one job needs none.

    Args:
        function: Pickled with each piece; a function of a module, or a method of an object that can be pickled.
        pieces: The pieces of work.
        jobs: Number of processes at most.

    Yields:
        The results, as they are completed. An error, Ctrl-C included, cancels all pieces that have not begun.
    """
    if jobs == 1:
        yield from map(function, pieces)
    elif pieces:
        # Unlike a multiprocessing pool, this one raises an error when a process is killed, say for want of memory.
        spawn = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(min(jobs, len(pieces)), spawn, initializer=_ignore_interrupts)
        yield from _completed(pool, function, pieces)


def _completed(pool: Executor, function: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
    try:
        for future in as_completed([pool.submit(function, piece) for piece in pieces]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends the pool


def use_one_torch_thread() -> None:
    """Lets PyTorch compute in one thread, if it is loaded: more collapse on a busy machine."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
