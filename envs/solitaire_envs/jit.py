"""The two Numba decorators that every kernel of the package uses."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numba import config, njit
from numba.core.caching import FunctionCache
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compiles a function that other kernels call. It must not raise."""
    compiled: F = njit(error_model="numpy", nogil=True)(function)
    return compiled


def entry_point(owner: str) -> Callable[[F], F]:
    """Compiles a kernel that Python calls, and caches the machine code on disk for the next process.

    Args:
        owner: Tells apart the copies of one function that are built over different games.
    """

    def compile_and_cache(function: F) -> F:
        compiled: Any = kernel(function)
        if not config.DISABLE_JIT:
            compiled._cache = _KernelCache(function, f"{owner} {_source_hash(function)}")
        entry: F = compiled
        return entry

    return compile_and_cache


def as_records(array: NDArray[np.void]) -> NDArray[np.void]:
    """Returns a structured array in the form in which kernels take it.

    Compiled, they read fields as attributes of a plain structured array, which also reaches them ten times faster;
    with ``NUMBA_DISABLE_JIT=1`` only a recarray has attributes.
    """
    return array.view(np.recarray) if config.DISABLE_JIT else array


class _KernelCache(FunctionCache):  # type: ignore[misc]  # Numba is untyped
    """A disk cache that sees an edit in any file that the machine code may come from.

    Numba's own watches only the file of the function itself, so an edit in a game would leave the engine that was
    compiled over it in place; and it never finds a closure over other kernels again. The directory is Numba's
    choice: beside the source, or the user's cache directory where that is read-only.
    """

    def __init__(self, function: Callable[..., Any], stamp: str) -> None:
        super().__init__(function)
        self._stamp = stamp

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return sig, codegen.magic_tuple(), self._stamp


def _source_hash(function: Callable[..., Any]) -> str:
    """Hashes the package's sources, and those beside the function where that stands in another package."""
    return _hash_folder(Path(__file__).parent) + _hash_folder(Path(function.__code__.co_filename).parent)


@cache
def _hash_folder(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
