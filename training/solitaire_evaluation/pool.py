"""The workers of this machine: processes, and threads for quick pieces."""

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any

from solitaire_evaluation.workers import Piece, Result, Workers

TRIES = 3
"""Attempts at a piece of work, at most, if its process is killed each time."""
SECONDS_TO_END = 10
"""Seconds that a process may take to end after it has closed its connection."""


class ThisMachine(Workers):
    """Processes that start when there is work, and are reused; threads for quick pieces.

    If a process is killed, for example for lack of memory, it is replaced, and its piece is begun again. The processes
    end with this one, however this one ends.

    Args:
        jobs: Number of processes or threads, at most; 1: this process does all the work itself.
    """

    def __init__(self, jobs: int = 1) -> None:
        self._jobs, self._idle = jobs, list[_Worker]()

    def close(self) -> None:
        """Ends the processes."""
        for worker in self._idle:
            worker.end()
        self._idle = []

    def share(self, function: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Applies a function in processes. An error, Ctrl-C included, ends the busy processes.

        Raises:
            ChildProcessError: A process ended by itself, or was killed in all `TRIES` attempts at one piece.
        """
        waiting = pieces if isinstance(pieces, deque) else deque(pieces)
        if self._jobs == 1:
            while waiting:
                yield function(waiting.popleft())
            return
        busy: list[_Worker] = []
        try:
            yield from self._share(function, waiting, busy)
        finally:
            for worker in busy:
                worker.end()

    def share_quick(self, function: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
        """Applies a function in threads. An error cancels all pieces that have not begun."""
        if self._jobs == 1:
            yield from map(function, pieces)
        elif pieces:
            pool, interrupted = ThreadPoolExecutor(self._jobs), False
            try:
                for future in as_completed([pool.submit(function, piece) for piece in pieces]):
                    yield future.result()
            except KeyboardInterrupt:  # a piece may take long, as the first one does, which compiles
                interrupted = True
                raise
            finally:
                pool.shutdown(not interrupted, cancel_futures=True)

    def _share(
        self, function: Callable[[Piece], Result], waiting: deque[Piece], busy: "list[_Worker]"
    ) -> Iterator[Result]:
        while waiting or busy:
            while waiting and len(busy) < self._jobs:
                busy.append(self._idle.pop() if self._idle else _Worker())
                busy[-1].begin(function, waiting.popleft())
            ready = wait([worker.connection for worker in busy])  # these have finished or been killed
            for worker in [worker for worker in busy if worker.connection in ready]:
                try:
                    result, error = worker.connection.recv()
                except (EOFError, OSError):
                    worker.begin_again()
                    self.repeated += 1
                    continue
                busy.remove(worker)
                self._idle.append(worker)
                if error is not None:
                    raise error
                if waiting:
                    busy.append(self._idle.pop())
                    busy[-1].begin(function, waiting.popleft())
                yield result


class _Worker:
    """A process that works on one piece at a time."""

    def __init__(self) -> None:
        self._work: Any = None
        self._tries = 0
        self._start()

    def _start(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.connection, its_end = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(its_end,), daemon=True)
        self._process.start()
        its_end.close()  # so that the connection breaks when the process ends

    def begin(self, function: Callable[[Any], Any], piece: Any) -> None:
        """Sends a piece of work."""
        self._work, self._tries = (function, piece), 1
        self._send()

    def begin_again(self) -> None:
        """Replaces the process, which was killed, and sends the piece again.

        Raises:
            ChildProcessError: It was not killed but ended by itself, or the piece has been sent `TRIES` times.
        """
        self._process.join(SECONDS_TO_END)
        if (self._process.exitcode or 0) > 0:
            raise ChildProcessError(
                f"expected worker processes to go on, got one that ended with exit code {self._process.exitcode}; "
                "the reason is printed above. Workers import the script that starts them, so it needs "
                '`if __name__ == "__main__":`'
            )
        if self._tries == TRIES:
            raise ChildProcessError(
                f"expected {TRIES} tries to be enough for a piece of work, got its process killed each time: "
                "is there too little memory? Fewer --jobs need less"
            )
        self.end()
        self._start()
        self._tries += 1
        self._send()

    def _send(self) -> None:
        with suppress(OSError):  # it was killed: receiving will tell
            self.connection.send(self._work)

    def end(self) -> None:
        """Kills the process."""
        self._process.kill()
        self._process.join()
        self.connection.close()


ALONE = ThisMachine()
"""This process alone."""


# --- In the processes -------------------------------------------------------------------------------------------------


def _serve(connection: Connection) -> None:
    for ending in (signal.SIGINT, signal.SIGTERM):  # a terminal and a scheduler send them to all; the parent decides
        signal.signal(ending, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            connection.send(work(_unpack_and_work, connection.recv_bytes()))


def _unpack_and_work(content: bytes) -> Any:
    function, piece = ForkingPickler.loads(content)  # errors here count as the work's, such as a missing module
    return function(piece)


def work(function: Callable[[Any], Any], piece: Any) -> tuple[Any, Exception | None]:
    """Applies a function to a piece of work; returns its result, or else its error in a form that can be pickled."""
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
    """Limits PyTorch, if it is loaded, to one thread: on a busy machine more threads are far slower."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
