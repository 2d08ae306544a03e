"""The Numba decorators that every kernel of the project uses.

A function that other kernels call is a `kernel`, or an `allocating_kernel` if it makes arrays. A function that Python
calls is an `entry_point`. Only entry points are cached on disk: their machine code includes that of the kernels that
they call.
"""

import hashlib
import os
import pickle
import warnings
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from threading import get_ident
from typing import Any, TypeVar

import numba
import numpy as np
from numba import config, njit
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])
NOWHERE = (
    "expected a writable folder for compiled code, got none: every start compiles anew, which takes up to a minute. "
    "The environment variable NUMBA_CACHE_DIR names another folder"
)


def kernel(function: F) -> F:
    """Compiles a function that other kernels call. It must not raise, nor make arrays.

    It may call itself, with the same types only, but no kernel that calls it in turn.

    Without new arrays Numba need not count references, which took half of a step's time.
    """
    return _for_kernels(_compile(function))


def allocating_kernel(function: F) -> F:
    """Compiles a kernel that makes arrays for its own use. It counts references, so use it for few functions.

    It must not return an array: other kernels would never free it.
    """
    return _for_kernels(_compile(function, allocates=True))


def entry_point(owner: str) -> Callable[[F], F]:
    """Compiles a kernel that Python calls, and caches the machine code on disk for the next process.

    Args:
        owner: Distinguishes copies of one function that are built for different games.
    """

    def compile_and_cache(function: F) -> F:
        compiled: Any = _compile(function)
        if not config.DISABLE_JIT:
            try:
                compiled._cache = _KernelCache(function, f"{owner} {_source_hash(function)}")
            except RuntimeError:
                warnings.warn(NOWHERE, RuntimeWarning, stacklevel=1)  # always from this line, so Python shows it once
        entry: F = compiled
        return entry

    return compile_and_cache


def _compile(function: F, *, allocates: bool = False) -> F:
    # Nothing takes a kernel as a C function; leaving that wrapper out saves one twentieth of compiling.
    options = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True, "_nrt": allocates}
    compiled: F = njit(pipeline_class=_EntryPointCompiler, **options)(function)
    return compiled


def _for_kernels(compiled: F) -> F:
    """Leaves out what only Python needs: a wrapper, and machine code of its own: two fifths of compiling."""
    if not config.DISABLE_JIT:
        compiled.__class__ = _Kernel
        compiled.targetoptions["no_cpython_wrapper"] = True  # type: ignore[attr-defined]
        compiled._compiler.pipeline_class = _KernelCompiler  # type: ignore[attr-defined]
    return compiled


class _Kernel(CPUDispatcher):  # type: ignore[misc]  # Numba is untyped
    """A kernel that kernels call. Called by Python, as tests do, it is compiled once more, as an entry point is."""

    @cached_property
    def _for_python(self) -> Any:
        options = {**self.targetoptions, "no_cpython_wrapper": False}
        return CPUDispatcher(self.py_func, targetoptions=options, pipeline_class=_EntryPointCompiler)

    def __call__(self, *arguments: Any) -> Any:
        """Calls the kernel."""
        return self._for_python(*arguments)


class _EntryPointCompiler(Compiler):  # type: ignore[misc]
    """Compiles an entry point together with the kernels that it takes in."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Returns the machine code, in which every kernel has the environment that `print` reads."""
        compiled = super().compile_extra(func)
        _check_that_it_is_whole(compiled.library)
        for environment in compiled._find_referenced_environments():
            compiled.codegen.set_env(environment.env_name, environment)
        return compiled


class _KernelCompiler(Compiler):  # type: ignore[misc]
    """Compiles a kernel into a library that other libraries take in."""

    def define_pipelines(self) -> Any:
        """Returns Numba's passes, which use the library that they find."""
        self.state.library = _KernelLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()


class _KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel. It is optimised, and becomes machine code, within the entry points that call it only."""

    @property
    def codegen(self) -> "_KernelLibrary":
        """Itself, as Numba asks it only to set the kernel's environment."""
        return self

    def set_env(self, env_name: str, env: Any) -> None:
        """Does nothing: the entry points that take the kernel in do it."""

    def get_pointer_to_function(self, name: str) -> int:
        """Returns the null pointer."""
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        _check_that_it_is_whole(self)
        self._finalized = True


def _check_that_it_is_whole(library: JITCodeLibrary) -> None:
    """Refuses code that calls a function by its address in this process.

    Loaded from disk by the next process, it would crash (https://github.com/numba/numba/issues/6061).
    """
    if any(each.name.startswith(RuntimeLinker.PREFIX) for each in library._final_module.global_variables):
        raise TypeError(
            "expected no functions that call one another, and none that calls itself with other types; "
            f"got {library.name}"
        )


def as_records(array: NDArray[np.void]) -> NDArray[np.void]:
    """Returns a structured array in the form that kernels take.

    Compiled kernels take a plain structured array, ten times faster than a recarray. With ``NUMBA_DISABLE_JIT=1``
    kernels are plain Python, and only a recarray has its fields as attributes.
    """
    return array.view(np.recarray) if config.DISABLE_JIT else array


class _KernelCache(FunctionCache):  # type: ignore[misc]  # Numba is untyped
    """A disk cache that notices edits in every source file of the compiled code.

    Numba's own cache watches only the function's file: after an edit in a game it would load the engine that was
    compiled with the game as it was. It also never finds a closure over other kernels again. Numba chooses the
    directory: beside the source, or the user's cache directory where the source is read-only.
    """

    def __init__(self, function: Callable[..., Any], stamp: str) -> None:
        super().__init__(function)
        self._stamp = stamp
        self._cache_file = _FilePerKey(Path(self._cache_path) / self._impl.filename_base)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return sig, codegen.magic_tuple(), self._stamp, numba.__version__


_CHECKSUM_SIZE = 32


class _FilePerKey:
    """Machine code on disk, a file for each key. It begins with a SHA-256, so a damaged file is compiled anew.

    There is no index, so processes that compile at the same time cannot mix up their files.
    """

    def __init__(self, base: Path) -> None:
        self._base = base

    def _path(self, key: tuple[Any, ...]) -> Path:
        return self._base.with_name(f"{self._base.name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:24]}.nbc")

    def load(self, key: tuple[Any, ...]) -> Any:
        """Returns what was saved under a key; None if nothing was saved or the file is damaged."""
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        checksum, data = content[:_CHECKSUM_SIZE], content[_CHECKSUM_SIZE:]
        return pickle.loads(data) if hashlib.sha256(data).digest() == checksum else None

    def save(self, key: tuple[Any, ...], data: Any) -> None:
        """Saves under a key; saves nothing if the disk is full."""
        partial = self._path(key).with_suffix(f".{os.getpid()}.{get_ident()}")
        try:
            content = dumps(data)
            partial.write_bytes(hashlib.sha256(content).digest() + content)
            partial.replace(self._path(key))
        except OSError:
            partial.unlink(missing_ok=True)


def _source_hash(function: Callable[..., Any]) -> str:
    """Hashes everything that the machine code of a function depends on.

    These are the sources of this package, of the function's package, and of the packages of all kernels that it
    closes over, at any depth; the names of these kernels, as a file may hold several; and the numbers and arrays that
    they close over.
    """
    files, parts, found = {Path(__file__)}, list[bytes](), [function]
    for each in found:  # it grows
        files.add(Path(each.__code__.co_filename))
        parts.append(f"{each.__module__}.{each.__qualname__}".encode())
        for captured in (cell.cell_contents for cell in each.__closure__ or ()):
            if not hasattr(captured, "py_func"):
                parts.append(dumps(captured))
            elif captured.py_func not in found:
                found.append(captured.py_func)
    return "".join(sorted({_hash_package(file) for file in files})) + hashlib.sha256(b" ".join(parts)).hexdigest()


@cache
def _hash_package(file: Path) -> str:
    """Hashes all sources of the package that a file belongs to; a file outside any package is hashed alone."""
    root = file.parent
    while (root.parent / "__init__.py").exists():
        root = root.parent
    paths = sorted(root.rglob("*.py")) if (root / "__init__.py").exists() else [file]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
