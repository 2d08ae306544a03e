"""The disk cache of compiled kernels."""

import functools
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import config
from numba.core import caching
from numba.core.compiler import CompileResult

from solitaire_envs import jit

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the compiler is off")
SOURCE = """
from solitaire_envs.jit import entry_point, kernel

def build(number):
    @kernel
    def inner(x):
        return x + NUMBER * number

    @entry_point("owner")
    def outer(x):
        return inner(x)

    return outer

for number in (1, 2):
    outer = build(number)
    print(outer(0), outer(0.0), sum(outer.stats.cache_hits.values()), end=" ")
"""


@pytest.fixture(autouse=True)
def the_default_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who runs the tests may have named a folder for compiled code."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(config, "CACHE_DIR", "")


FORKS = """
import json, os, runpy, sys
import numpy, solitaire_envs.jit

for line in sys.stdin:
    script, *arguments = json.loads(line)
    child = os.fork()
    if not child:
        sys.argv, sys.path[0] = [script, *arguments], os.path.dirname(script)
        os.dup2(os.open(script + ".out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)  # compiled code prints to it, too
        runpy.run_path(script, run_name="__main__")
        sys.stdout.flush()
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
"""


@functools.cache
def forks() -> subprocess.Popen[str]:
    """Starts a process that runs scripts in copies of itself, so that Numba is imported once."""
    return subprocess.Popen([sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="module", autouse=True)
def forks_end() -> Iterator[None]:
    yield
    if forks.cache_info().currsize:
        forks().__exit__(None, None, None)  # closes its input, which ends it


def run(folder: Path, number: int, source: str = SOURCE, *arguments: str) -> list[str]:
    """Runs a source in a process of its own; returns what it prints: results, and the cache hits."""
    return output(folder / "script.py", source.replace("NUMBER", str(number)), *arguments).split()


def output(script: Path, source: str, *arguments: str) -> str:
    """Writes a script and runs it in a process of its own; returns what it prints."""
    script.write_text(source, encoding="utf-8")
    process = forks()
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps([str(script), *arguments]), file=process.stdin, flush=True)
    assert process.stdout.readline() == "0\n"
    return Path(f"{script}.out").read_text(encoding="utf-8")


def test_numba_has_the_private_names_that_the_cache_is_built_on() -> None:
    """Where a version of Numba lacks one, this says which."""
    cache = caching.FunctionCache(run)
    assert [name for name in ("_index_key", "_cache_path") if not hasattr(cache, name)] == []
    assert hasattr(CompileResult, "_find_referenced_environments")
    assert isinstance(cache._impl.filename_base, str)
    assert callable(cache._cache_file.load)
    assert callable(cache._cache_file.save)
    assert isinstance(jit.entry_point("owner")(lambda x: x)(1), int)  # compiled with `_nrt`


def test_python_may_call_a_kernel() -> None:
    """It has no wrapper for that, where Numba would call the null pointer, until Python calls it."""
    inner = jit.kernel(lambda x: x + 1)
    assert jit.entry_point("owner")(lambda x: 2 * inner(x))(3) == 8
    assert [inner(x) for x in (1, 2.5)] == [2, 3.5]


def test_the_cache_serves_every_closure_and_sees_every_edit(tmp_path: Path) -> None:
    assert run(tmp_path, 1) == ["1", "1.0", "0", "2", "2.0", "0"]
    assert run(tmp_path, 1) == ["1", "1.0", "2", "2", "2.0", "2"]
    assert run(tmp_path, 5) == ["5", "5.0", "0", "10", "10.0", "0"]  # an inner kernel changed
    assert run(tmp_path, 1) == ["1", "1.0", "2", "2", "2.0", "2"]  # and back: nothing is mixed up


ONE_FACTORY = """
import sys
import numpy as np
from solitaire_envs.jit import entry_point, kernel

@kernel
def last(records, x):
LONG
        return x + records[0].last

def build(number):
    table = np.arange(number)

    @kernel
    def inner(records, x):
LONG
        return number + last(records, x) + last(records, 2) * table[-1]

    @entry_point("owner")
    def outer(records):
        return inner(records, 0) + inner(records, records[0].first)

    return outer

for number in map(int, sys.argv[1:]):
    records = np.zeros(1, [("first", "i8"), *[("more", "i8", number)] * (number % 2), ("last", "i8")])
    records["first"], records["last"] = 1, 1000
    outer = build(number)
    print(outer(records), sum(outer.stats.cache_hits.values()), end=" ")
""".replace("LONG", 40 * "        x = (31 * x + 7) % 1_000_003\n")  # too long to become a part of its callers


def long(x: int) -> int:
    for _ in range(40):
        x = (31 * x + 7) % 1_000_003
    return x


def test_kernels_of_one_factory_are_told_apart_where_processes_share_a_cache(tmp_path: Path) -> None:
    """Numba counts functions and records in each process anew, so these would have the same names in the first three.

    Then a process that loads all would play by the first's kernels.
    """
    results = {
        str(number): str(
            2 * number + sum(long(long(x)) + 1000 + (long(2) + 1000) * (number - 1) for x in (0, 1)),
        )
        for number in (2, 3, 4)
    }
    for number, result in results.items():
        assert run(tmp_path, 0, ONE_FACTORY, number) == [result, "0"]
    for order in ("234", "432", "324"):
        assert run(tmp_path, 0, ONE_FACTORY, *order) == [word for number in order for word in (results[number], "1")]


def test_kernels_may_print(tmp_path: Path) -> None:
    """Without the environment that `print` reads, it would wait for ever."""
    source = SOURCE.replace("return x +", "print(x)\n        return x +")
    for hits in ("0", "2"):
        assert run(tmp_path, 1, source) == ["0", "0.0", "1", "1.0", hits, "0", "0.0", "2", "2.0", hits]


def test_kernels_of_one_file_and_one_owner_are_told_apart(tmp_path: Path) -> None:
    source = SOURCE.replace("def inner(x)", "def other(x)").replace("return inner(x)", "return other(x) + 1")
    for hits in ("0", "2"):
        assert run(tmp_path, 1, SOURCE + source) == [
            "1",
            "1.0",
            hits,
            "2",
            "2.0",
            hits,
            "2",
            "2.0",
            hits,
            "3",
            "3.0",
            hits,
        ]


ALLOCATING_SOURCE = """
import numpy as np
from numba import config
from numba.core.runtime import rtsys
config.NRT_STATS = 1
from solitaire_envs.jit import allocating_kernel, entry_point, kernel

@kernel
def fill(array, x):
    array[:] = x + NUMBER

@allocating_kernel
def total(x):
    array = np.empty(3)
    fill(array, x)
    return array.sum()

@kernel
def total_of_totals(x):
    return total(x) + total(x)

@entry_point("owner")
def outer(x):
    return total_of_totals(x)

print(outer(0), sum(outer.stats.cache_hits.values()), *rtsys.get_allocation_stats()[:2])
"""


def test_a_kernel_that_makes_arrays_is_cached_with_its_callers_and_frees_them(tmp_path: Path) -> None:
    assert run(tmp_path, 1, ALLOCATING_SOURCE) == ["6.0", "0", "2", "2"]  # two arrays made, two freed
    assert run(tmp_path, 1, ALLOCATING_SOURCE) == ["6.0", "1", "2", "2"]
    assert run(tmp_path, 5, ALLOCATING_SOURCE) == ["30.0", "0", "2", "2"]


RECURSIVE = """
import numpy as np
from solitaire_envs.jit import entry_point, kernel

@DECORATOR
def count_down(n):
    if n <= 0:
        return 0
    return 1 + count_down(n - 1)

@entry_point("recursion")
def outer(numbers):
    return count_down(numbers[0])

for _ in range(2):
    try:
        print(outer(np.array([3], np.TYPE)))
    except TypeError as error:
        print(error)
"""


def test_kernels_of_one_name_in_two_files_of_a_package_are_told_apart(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    for number in (1, 2):
        rule = f"from solitaire_envs.jit import kernel\n\n@kernel\ndef rule(x):\n    return x + {number}\n"
        (package / f"game_{number}.py").write_text(rule, encoding="utf-8")
    (package / "base.py").write_text(
        "from solitaire_envs.jit import entry_point\n\ndef over(rule):\n    @entry_point('careful')\n"
        "    def play(x):\n        return rule(x)\n\n    return play\n",
        encoding="utf-8",
    )
    script = (
        "from package import base, game_1, game_2\nprint(base.over(game_1.rule)(0), base.over(game_2.rule)(0), end='')"
    )
    assert run(tmp_path, 0, script) == ["1", "2"]


def recurse(folder: Path, decorator: str, dtype: str) -> list[str]:
    """Calls twice a function that calls itself with an integer of 64 bits; returns the results or the errors."""
    source = RECURSIVE.replace("DECORATOR", decorator).replace("TYPE", dtype)
    return output(folder / "script.py", source).splitlines()


@pytest.mark.parametrize("decorator", ["kernel", "entry_point('count down')"])
def test_a_function_may_call_itself(tmp_path: Path, decorator: str) -> None:
    for _ in range(2):
        assert recurse(tmp_path, decorator, "int64") == ["3", "3"]


REFUSED = "expected no functions that call one another, and none that calls itself with other types; got "


@pytest.mark.parametrize("decorator", ["kernel", "entry_point('count down')"])
def test_a_function_that_calls_itself_with_other_types_is_refused(tmp_path: Path, decorator: str) -> None:
    """Loaded from disk, it would call an address that nothing is at."""
    for _ in range(2):
        assert recurse(tmp_path, decorator, "int8") == [f"{REFUSED}count_down"] * 2


def test_kernels_that_call_one_another_are_refused() -> None:
    even = jit.kernel(lambda n: n == 0 or odd(n - 1))
    odd = jit.kernel(lambda n: n > 0 and even(n - 1))
    with pytest.raises(TypeError, match=REFUSED):
        jit.entry_point("parity")(lambda n: even(n) and n > 0)(5)


def add_one(x: int) -> int:
    return x + 1


def refuse(*arguments: Any) -> None:
    raise OSError("no")


def locator(name: str) -> type:
    """Returns Numba's class for a folder; before Numba 0.62 its name begins with an underscore."""
    names = {one.__name__.removeprefix("_"): one for one in caching.FunctionCache._impl_class._locator_classes}
    return names[f"{name}CacheLocator"]


def test_a_read_only_install_uses_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(locator("InTree"), "ensure_cache_path", refuse)
    compiled: Any = jit.entry_point("test")(add_one)
    assert compiled(1) == 2
    assert list(tmp_path.rglob("*.nbc"))


def test_nowhere_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("InTree", "UserWide"):
        monkeypatch.setattr(locator(name), "ensure_cache_path", refuse)
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR"):
        compiled: Any = jit.entry_point("test, nowhere to write")(add_one)
    assert compiled(1) == 2


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "write_bytes", refuse)
    compiled: Any = jit.entry_point("test, full disk")(add_one)
    assert compiled(np.int32(1)) == 2


def test_a_damaged_cache_heals_itself(tmp_path: Path) -> None:
    """Whatever is in the file, cut off, empty or overwritten: it is compiled anew, and written anew."""
    assert run(tmp_path, 1) == ["1", "1.0", "0", "2", "2.0", "0"]
    files = sorted((tmp_path / "__pycache__").glob("*.nbc"))
    assert len(files) == 4
    whole = [file.read_bytes() for file in files]
    for file, damaged in zip(files, (b"", whole[1][:100], b"\x80" * len(whole[2]), whole[3][:-1]), strict=True):
        file.write_bytes(damaged)
    assert run(tmp_path, 1) == ["1", "1.0", "0", "2", "2.0", "0"]
    assert run(tmp_path, 1) == ["1", "1.0", "2", "2", "2.0", "2"]
    assert [len(file.read_bytes()) for file in files] == [len(content) for content in whole]
