"""Work shared among threads or processes: results come as they are completed, in any order."""

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")
TRIES = 3
"""Times that a piece of work is begun, if the process that works on it is killed each time."""


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
        pool = ThreadPoolExecutor(jobs)
        try:
            for future in as_completed([pool.submit(function, piece) for piece in pieces]):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def in_processes(function: Callable[[Piece], Result], pieces: Sequence[Piece], jobs: int) -> Iterator[Result]:
    """Applies a function to each piece of work in new processes; one job needs none.

    A process that is killed, say for want of memory, is replaced, and its piece is begun again. The processes end
    with this one, however this one ends.

    Args:
        function: Pickled; a function of a module, or a method of an object that can be pickled.
        pieces: The pieces of work, which are pickled too.
        jobs: Number of processes at most.

    Yields:
        The results, as they are completed. An error, Ctrl-C included, ends all processes at once.

    Raises:
        ChildProcessError: The processes that worked on one piece were killed, `TRIES` times.
    """
    if jobs == 1:
        yield from map(function, pieces)
        return
    workers = [_Worker[Piece, Result](function) for _ in range(min(jobs, len(pieces)))]
    try:
        yield from _share(workers, deque((piece, 1) for piece in pieces))
    finally:
        for worker in workers:
            worker.end()


class _Worker(Generic[Piece, Result]):
    """A process that works on one piece at a time."""

    piece: tuple[Piece, int] | None = None
    """What it works on, and the how many-th try this is."""

    def __init__(self, function: Callable[[Piece], Result]) -> None:
        self._function = function
        self.start()

    def start(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.connection, its_end = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(self._function, its_end), daemon=True)
        self._process.start()
        its_end.close()  # so that the connection breaks when the process ends

    def begin(self, piece: tuple[Piece, int]) -> None:
        self.piece = piece
        with suppress(OSError):  # it was killed: receiving will tell
            self.connection.send(piece[0])

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.connection.close()


def _share(workers: Sequence[_Worker[Piece, Result]], waiting: deque[tuple[Piece, int]]) -> Iterator[Result]:
    while True:
        for worker in workers:
            if worker.piece is None and waiting:
                worker.begin(waiting.popleft())
        busy = {worker.connection: worker for worker in workers if worker.piece is not None}
        if not busy:
            return
        for connection in wait(list(busy)):
            worker = busy[connection]  # type: ignore[index]  # only connections were waited for
            piece, worker.piece = worker.piece, None
            try:
                result, error = worker.connection.recv()
            except (EOFError, OSError):
                waiting.appendleft(_again(worker, piece))
                continue
            if error is not None:
                raise error
            if waiting:
                worker.begin(waiting.popleft())
            yield result


def _again(worker: _Worker[Piece, Result], piece: tuple[Piece, int] | None) -> tuple[Piece, int]:
    """Replaces a process that was killed; returns its piece for the next try."""
    assert piece is not None
    work, tries = piece
    if tries == TRIES:
        raise ChildProcessError(
            f"expected {TRIES} tries to be enough for a piece of work, got its process killed each time: "
            "is there too little memory? Fewer --jobs need less"
        )
    worker.end()
    worker.start()
    return work, tries + 1


# --- In the processes -------------------------------------------------------------------------------------------------


def _serve(function: Callable[[Any], Any], connection: Connection) -> None:
    for ending in (signal.SIGINT, signal.SIGTERM):  # a terminal and a scheduler send them to all; the parent decides
        signal.signal(ending, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            connection.send(_work(function, connection.recv()))


def _work(function: Callable[[Any], Any], piece: Any) -> tuple[Any, Exception | None]:
    try:
        return function(piece), None
    except Exception as error:
        if type(error).__module__ != "builtins":  # it may be one that cannot be pickled
            error = RuntimeError(f"{type(error).__name__}: {error}")
        error.add_note(traceback.format_exc())
        return None, error


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def use_one_torch_thread() -> None:
    """Lets PyTorch compute in one thread, if it is loaded: more collapse on a busy machine."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
