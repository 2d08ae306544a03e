"""Shares work on a cluster of machines, by Ray's core. Only `--cluster` imports this module.

The machines of the cluster need Python and the libraries. This project's packages are sent with the work, including
their compiled kernels. A machine with another processor compiles the kernels anew.
"""

import importlib.util
import os
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import NodeDiedError, ObjectLostError, OutOfMemoryError, WorkerCrashedError

from solitaire_evaluation.pool import work
from solitaire_evaluation.workers import Piece, Result, Workers

SENT_PACKAGES = ("solitaire_agents", "solitaire_envs", "solitaire_evaluation", "solitaire_seeds", "solitaire_training")
_LOST = (NodeDiedError, ObjectLostError, OutOfMemoryError, WorkerCrashedError)
"""Errors by which Ray reports that a process or a machine was lost."""
TRIES_ON_A_CLUSTER = 10
"""Attempts at a piece of work, at most: machines may be taken away at any time."""
PIECES_AHEAD = 2
"""Pieces sent out for each core, so that no core waits for this process."""
SECONDS = 2.0
"""Seconds between two counts of the cluster's cores."""


class Cluster(Workers):
    """A running Ray cluster.

    Args:
        address: Address of its head, ``host:port``; or ``auto`` for the cluster that this machine is part of.
        jobs: Pieces in work at the same time, at most; None: `PIECES_AHEAD` for each core of the cluster.
        modules: The user's modules that the work needs, besides this project's packages.

    Raises:
        ValueError: There is no such cluster, or no such module.
    """

    elsewhere = True

    def __init__(self, address: str, jobs: int | None = None, modules: Sequence[str] = ()) -> None:
        self._jobs, self._limit, self._looked = jobs, 1, -SECONDS
        os.environ["RAY_OVERRIDE_RUNTIME_ENV_DEFAULT_EXCLUDES"] = ".git"  # else the compiled kernels would stay here
        with tempfile.TemporaryDirectory() as folder:
            for module in (*SENT_PACKAGES, *modules):
                _copy(module, Path(folder))
            carried = {"working_dir": folder, "excludes": ["*.pyc"]}
            try:
                ray.init(address=address, runtime_env=carried, log_to_driver=False, logging_level="warning")
            except (ConnectionError, RuntimeError) as error:
                raise ValueError(f"expected a Ray cluster at {address}, got: {error}") from None
        self._work = ray.remote(max_retries=0)(work)

    def share(self, function: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Applies a function on the cluster.

        Raises:
            ChildProcessError: All `TRIES_ON_A_CLUSTER` attempts at a piece were lost.
        """
        waiting = pieces if isinstance(pieces, deque) else deque(pieces)
        sent, under_way = ray.put(function), dict[Any, tuple[Piece, int]]()
        try:
            while waiting or under_way:
                while waiting and len(under_way) < self._most():
                    piece = waiting.popleft()
                    under_way[self._work.remote(sent, piece)] = piece, 1
                done, _ = ray.wait(list(under_way), timeout=SECONDS)
                for task in done:
                    piece, tries = under_way.pop(task)
                    try:
                        result, error = ray.get(task)
                    except _LOST as lost:
                        self._count(tries, lost)
                        under_way[self._work.remote(sent, piece)] = piece, tries + 1
                        continue
                    if error is not None:
                        raise error
                    yield result
        finally:
            for task in under_way:
                ray.cancel(task, force=True)

    def close(self) -> None:
        """Leaves the cluster."""
        ray.shutdown()

    def _most(self) -> int:
        """Returns how many pieces may be in work; recounts the cores now and then, since machines come and go."""
        if time.monotonic() - self._looked > SECONDS:
            cores = int(ray.cluster_resources().get("CPU", 0))
            self._limit, self._looked = self._jobs or max(1, PIECES_AHEAD * cores), time.monotonic()
        return self._limit

    def _count(self, tries: int, lost: Exception) -> None:
        """Counts a repeated piece; raises `ChildProcessError` after too many attempts."""
        if tries == TRIES_ON_A_CLUSTER:
            raise ChildProcessError(
                f"expected {TRIES_ON_A_CLUSTER} tries to be enough for a piece of work, got it lost each time: {lost}"
            ) from None
        self.repeated += 1


def _copy(module: str, folder: Path) -> None:
    """Copies the package of a module, or its single file, into the folder that workers import from.

    Raises:
        ValueError: There is no such module.
    """
    name = module.partition(".")[0]
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ValueError(f"expected a module with a file, got {name}")
    if spec.submodule_search_locations:
        shutil.copytree(spec.submodule_search_locations[0], folder / name, dirs_exist_ok=True)
    else:
        shutil.copy(spec.origin, folder)
