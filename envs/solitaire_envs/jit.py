"""The Numba decorators that every kernel of the project uses.

A function that other kernels call is a `kernel`, or an `allocating_kernel` if it makes arrays. A function that Python
calls is an `entry_point`. What Python calls is cached on disk: the machine code of an entry point includes that of the
kernels that it calls.
"""

import gc
import hashlib
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from threading import get_ident
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np
from numba import config, njit
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps
from numba.core.types import unliteral
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
        owner: What it is a part of, such as ``pyramid solver``, for the line that says what is being compiled.
    """

    def compile_and_cache(function: F) -> F:
        compiled = _compile(function)
        vars(function)["owner"] = owner
        if not config.DISABLE_JIT:
            _cache_on_disk(compiled)
        return compiled

    return compile_and_cache


def _cache_on_disk(compiled: Any) -> None:
    try:
        compiled._cache = _KernelCache(compiled.py_func)
    except RuntimeError:
        warnings.warn(NOWHERE, RuntimeWarning, stacklevel=1)  # always from this line, so Python shows it once


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
    """A kernel that kernels call. Called by Python, it is compiled once more, and cached as an entry point is."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Returns the typing of a call. Numba would compile a kernel anew for each constant that it is called with."""
        plain = {name: unliteral(each) for name, each in kws.items()}
        return super().get_call_template(tuple(map(unliteral, args)), plain)

    @cached_property
    def _for_python(self) -> Any:
        options = {**self.targetoptions, "no_cpython_wrapper": False}
        compiled = CPUDispatcher(self.py_func, targetoptions=options, pipeline_class=_EntryPointCompiler)
        _cache_on_disk(compiled)
        return compiled

    def __call__(self, *arguments: Any) -> Any:
        """Calls the kernel."""
        return self._for_python(*arguments)


class _Compiler(Compiler):  # type: ignore[misc]
    """Compiles a function under a name of its own.

    Numba names machine code by the function's qualified name and by numbers that each process counts anew. So code from
    two processes' caches could bear one name, and the linker would take the first for both: one game would be played by
    the rules of another. Here the name has a hash of the code, of all that it uses, and of the types of its arguments.
    """

    library: type[JITCodeLibrary]

    def define_pipelines(self) -> Any:
        """Returns Numba's passes, which use the name and the library that they find."""
        state = self.state
        plain = state.func_id.func_qualname
        state.library = self.library(state.targetctx.codegen(), plain)
        state.library.enable_object_caching()
        types = hashlib.sha256(repr(state.args).encode()).hexdigest()
        state.func_id.func_qualname = f"{plain}_{_content_of(state.func_id.func).hash[:24]}_{types[:24]}"
        _COMPILED.add(state.func_id.func)
        return super().define_pipelines()


class _EntryLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of an entry point, and of all kernels that it takes in."""

    def finalize(self) -> None:
        """Takes in the kernels, and compiles to machine code."""
        for library in self._linking_libraries:  # it grows
            if isinstance(library, _KernelLibrary):
                self._linking_libraries += [
                    each for each in library._linking_libraries if each not in self._linking_libraries
                ]
        super().finalize()

    def _finalize_final_module(self) -> None:
        _check_that_it_is_whole(self)
        super()._finalize_final_module()


class _EntryPointCompiler(_Compiler):
    """Compiles an entry point together with the kernels that it takes in."""

    library = _EntryLibrary

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Returns the machine code, in which every kernel has the environment that `print` reads."""
        _say_what_is_compiled(func)
        collects = gc.isenabled()
        gc.disable()  # it would go through millions of objects that are all in use: an eighth of the time
        try:
            compiled = super().compile_extra(func)
        finally:
            if collects:
                gc.enable()
        for environment in compiled._find_referenced_environments():
            compiled.codegen.set_env(environment.env_name, environment)
        return compiled


_COMPILED: set[Callable[..., Any]] = set()
"""The functions that this process has compiled."""
_CODE_PER_SECOND = 1_500
"""Bytes of Python's code that are compiled per second, roughly."""
_silent: list[int] = []
"""Bytes of the codes that this process has compiled since it last said what it compiles."""


def _say_what_is_compiled(function: Callable[..., Any]) -> None:
    """Prints a line to stderr before a compilation that takes a second, alone or with those since the last line.

    A progress bar that stands there gives way.
    """
    kernels = (each for each in _content_of(function).functions if each not in _COMPILED)
    _silent.append(sum(len(each.__code__.co_code) for each in kernels))
    seconds = round(sum(_silent) / _CODE_PER_SECOND)
    if seconds and sys.stderr is not None:
        _silent.clear()
        place = "\r\033[K" if sys.stderr.isatty() else ""
        part = f"{vars(function).get('owner', function.__module__)}: {function.__name__}"
        print(f"{place}compiling {part}, about {seconds} s, this first time only", file=sys.stderr, flush=True)


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

    def finalize(self) -> None:
        """Leaves all to the entry points, the kernels that this one calls included."""
        _check_that_it_is_whole(self)
        self._finalized = True

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout


class _KernelCompiler(_Compiler):
    """Compiles a kernel into a library that other libraries take in."""

    library = _KernelLibrary


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
    """A disk cache that notices edits in all code that was compiled, and edits of nothing else.

    Numba's own cache watches only the function's file: after an edit in a game it would load the engine that was
    compiled with the game as it was. It also never finds a closure over other kernels again. Numba chooses the
    directory: beside the source, or the user's cache directory where the source is read-only.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._function = function
        self._cache_file = _FilePerKey(Path(self._cache_path) / self._impl.filename_base)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return sig, codegen.magic_tuple(), _content_of(self._function).hash, numba.__version__


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


class _Content(NamedTuple):
    """What the machine code of a function depends on, but for the types of its arguments."""

    hash: str
    functions: list[Callable[..., Any]]
    """The function, and all kernels that it names or closes over, at any depth."""


def _content_of(function: Callable[..., Any]) -> _Content:
    """Hashes the code of a function and of all kernels that it names or closes over, at any depth.

    The hash covers the numbers, arrays and names that they use; and this file, which says how they are compiled.
    """
    found, digest = [function], hashlib.sha256(Path(__file__).read_bytes())
    for each in found:  # it grows
        digest.update(f"\n{each.__module__}.{each.__qualname__} {each.__defaults__!r}".encode())
        for name, cell in zip(each.__code__.co_freevars, each.__closure__ or (), strict=True):
            digest.update(f"\n{name} ".encode() + _content(cell.cell_contents, frozenset(), found))
        names = _add_code(each.__code__, digest)
        for name in sorted(names & each.__globals__.keys()):
            digest.update(f"\n{name} ".encode() + _content(each.__globals__[name], names, found))
    return _Content(digest.hexdigest(), found)


def _add_code(code: CodeType, digest: Any) -> frozenset[str]:
    """Adds a function's code to a hash, and that of functions within it; returns the names that it uses."""
    names = frozenset(code.co_names)
    digest.update(code.co_code + repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _add_code(constant, digest)
        else:
            digest.update(f"{constant!r} ".encode())
    return names


def _content(value: Any, names: frozenset[str], found: list[Callable[..., Any]]) -> bytes:
    """Returns what stands for a value in a hash. A kernel is appended to those found; of a module only names count."""
    if hasattr(value, "py_func"):
        if value.py_func not in found:
            found.append(value.py_func)
        return f"kernel {found.index(value.py_func)} {value.targetoptions}".encode()
    if isinstance(value, ModuleType):
        used = sorted(names & vars(value).keys()) if value.__name__.split(".")[0] not in ("numpy", "numba") else []
        return b"\n".join([value.__name__.encode(), *(_content(vars(value)[name], names, found) for name in used)])
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.strides}".encode() + value.tobytes()
    if isinstance(value, type | FunctionType | BuiltinFunctionType | np.ufunc):
        return f"{value.__module__}.{value.__name__} {getattr(value, '_fields', '')}".encode()
    if isinstance(value, tuple):
        return b"\n".join([type(value).__name__.encode(), *(_content(one, names, found) for one in value)])
    pickled: bytes = dumps(value)
    return pickled
