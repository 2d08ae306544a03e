"""Breaks copies of the sources in turn, and sees whether a test fails.

First the same tests run in a copy that is whole, where all must pass. So whatever fails later fails for the break.
Compiled kernels go along with a copy: only those of a package that is broken are compiled anew. Breaks of the rules,
which all kernels go back to, are tried with the compiler off first, by the golden playthroughs.

Prints a line for each break. Ends with 1 if a break went unnoticed.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import groupby
from pathlib import Path
from threading import Lock

from tests.mutants import Mutant
from tests.mutants.agents import AGENTS
from tests.mutants.klondike import KLONDIKE
from tests.mutants.piles import PILES
from tests.mutants.pyramid import PYRAMID
from tests.mutants.rules import RULES
from tests.mutants.training import TRAINING

ROOT = Path(__file__).parents[2]
COPIED = ("envs", "agents", "training", "seeds", "tests", "pyproject.toml")
ROOTS = COPIED[:4]
KERNELS = ".nbc"
SECONDS = 300
"""A break may make the tests go on for ever."""
PLAYTHROUGHS = "envs/test_playthroughs.py"
"""They take seconds with the compiler off, and notice most breaks of the rules."""
NOTICED = "noticed by"
MUTANTS = (*RULES, *AGENTS, *KLONDIKE, *PILES, *PYRAMID, *TRAINING)

_running = set[int]()
_lock = Lock()


def main(arguments: Sequence[str] | None = None) -> int:
    """Tries the mutants; returns 1 if any went unnoticed, or if a test fails without any."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Break the sources, see a test fail.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="try breaks with one of them in their name or file")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="breaks to try at a time (default: cores)"
    )
    parser.add_argument("--trust", action="store_true", help="the tests have passed just now: do not run them first")
    parser.add_argument(
        "--noticed", type=Path, metavar="FILE", help="what an earlier run printed: leave out what it saw noticed"
    )
    asked = parser.parse_args(arguments)
    for ending in (signal.SIGINT, signal.SIGTERM):  # also where a shell has started this in the background
        signal.signal(ending, _interrupt)
    words, started = asked.words or [""], time.monotonic()
    before = asked.noticed.read_text(encoding="utf-8").splitlines() if asked.noticed else []
    chosen = [
        mutant
        for mutant in MUTANTS
        if any(word in f"{mutant.name} {mutant.file}" for word in words)
        and not any(line.startswith(NOTICED) and line.endswith(f": {mutant.name}") for line in before)
    ]
    for mutant in chosen:
        check(mutant, ROOT)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        whole = Path(folder) / "whole"
        _copy_sources(ROOT, whole)
        try:
            if not asked.trust and _fails_when_whole(whole, chosen, pool):
                return 1
            unnoticed = 0
            for mutant, (noticed, how) in zip(chosen, pool.map(partial(_try, whole), chosen), strict=True):
                unnoticed += not noticed
                print(f"{NOTICED if noticed else 'UNNOTICED:'} {how}: {mutant.name}", flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            _kill_all()
            raise
    minutes = (time.monotonic() - started) / 60
    print(f"{len(chosen) - unnoticed} of {len(chosen)} breaks noticed, in {minutes:.0f} minutes")
    return int(unnoticed > 0)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def check(mutant: Mutant, root: Path) -> None:
    """Checks that a mutant fits the sources.

    Raises:
        ValueError: What it replaces is not there just once, or one of its tests is missing.
    """
    count = (root / mutant.file).read_text(encoding="utf-8").count(mutant.old)
    if count != 1:
        raise ValueError(f"{mutant.name}: expected {mutant.old!r} once in {mutant.file}, got it {count} times")
    for test in mutant.tests:
        file, _, name = test.partition("::")
        path = root / "tests" / file
        if not path.is_file() or f"def {name}" not in path.read_text(encoding="utf-8"):
            raise ValueError(f"{mutant.name}: expected tests/{test}, got no such test")


def _fails_when_whole(whole: Path, chosen: Sequence[Mutant], pool: ThreadPoolExecutor) -> bool:
    """Runs all tests of the mutants in a copy that is whole, file by file; returns whether any fails."""
    stages = [stage for mutant in chosen for stage in _stages(mutant)]
    tests = sorted({(compiled, test) for compiled, own in stages for test in own})
    by_file = groupby(tests, lambda one: (one[0], one[1].partition("::")[0]))
    runs = [(compiled, [test for _, test in own]) for (compiled, _), own in by_file]
    failures = [how for passed, how in pool.map(lambda run: _run(whole, run[1], compiled=run[0]), runs) if not passed]
    for how in failures:
        print(f"fails without any break: {how}")
    return bool(failures)


def _try(whole: Path, mutant: Mutant) -> tuple[bool, str]:
    """Breaks a copy; returns whether a test notices it, and which one or what happened instead."""
    with tempfile.TemporaryDirectory(dir=whole.parent) as folder:
        copy = Path(folder) / "copy"
        _copy_sources(whole, copy)
        file = copy / mutant.file
        file.write_text(file.read_text(encoding="utf-8").replace(mutant.old, mutant.new), encoding="utf-8")
        for compiled, tests in _stages(mutant):
            passed, how = _run(copy, tests, compiled=compiled)
            if not passed:
                return how.startswith("tests/"), how
    return False, how


def _stages(mutant: Mutant) -> list[tuple[bool, Sequence[str]]]:
    """Returns the tests to run, one group after the other, each with whether kernels are compiled."""
    first = [(False, (PLAYTHROUGHS,))] if PLAYTHROUGHS in mutant.tests else []
    return [*first, (True, mutant.tests)]


def _copy_sources(source: Path, target: Path) -> None:
    """Copies sources, tests and compiled kernels; the last as links, for they are never written to, only replaced."""

    def ignored(folder: str, names: list[str]) -> list[str]:
        kept = Path(folder).name != "__pycache__"
        return [name for name in names if name.endswith(".egg-info") or not (kept or name.endswith(KERNELS))]

    def copy(old: str, new: str) -> None:
        try:
            if not old.endswith(KERNELS):
                raise OSError
            os.link(old, new)
        except OSError:  # another disk
            shutil.copy2(old, new)

    target.mkdir()
    for name in COPIED:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name, ignore=ignored, copy_function=copy)
        else:
            shutil.copy2(source / name, target / name)


def _run(copy: Path, tests: Sequence[str], *, compiled: bool) -> tuple[bool, str]:
    """Runs tests in a copy; returns whether they pass, and the first that fails (tests/...) or what else is wrong."""
    roots = os.pathsep.join(str(copy / root) for root in ROOTS)
    settings = {
        "PYTHONPATH": roots,
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "200",
        "NUMBA_DISABLE_JIT": str(int(not compiled)),
    }
    options = ["-m", "not slow", "-p", "no:cacheprovider", "-q", "-rfE", "--tb=no", "-x"]
    command = [sys.executable, "-m", "pytest", *options, *(f"tests/{test}" for test in tests)]
    with tempfile.TemporaryFile("w+") as output:
        code = _wait_for(command, copy, {**os.environ, **settings}, output.fileno())
        output.seek(0)
        lines = output.read().splitlines()
    if code == 0:
        return True, ", ".join(f"tests/{test}" for test in tests)
    failed = [line.removeprefix("FAILED ").partition(" - ")[0] for line in lines if line.startswith("FAILED ")]
    errors = [line for line in lines if line.startswith("ERROR ")]
    return False, next(iter([*failed, *errors]), f"pytest ended with {code} {lines[-1:]}")


def _wait_for(command: Sequence[str], folder: Path, environment: dict[str, str], output: int) -> int | str:
    """Runs a command, and ends what it has started if it takes too long; returns its exit status, or 'no end'."""
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=output, stderr=output, start_new_session=True
    ) as process:
        with _lock:
            _running.add(process.pid)
        try:
            return process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f"no end in {SECONDS} seconds"
        finally:
            with _lock:
                _running.discard(process.pid)


def _kill_all() -> None:
    """Ends all tests under way, with what they have started."""
    with _lock:
        for pid in _running:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
