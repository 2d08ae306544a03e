"""Work shared among threads or processes."""

import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from solitaire_evaluation.pool import ThisMachine, use_one_torch_thread


def in_threads(function: Callable[[Any], Any], pieces: Any, jobs: int) -> Any:
    return ThisMachine(jobs).share_quick(function, pieces)


def in_processes(function: Callable[[Any], Any], pieces: Any, jobs: int) -> Iterator[Any]:
    with ThisMachine(jobs) as workers:
        yield from workers.share(function, pieces)


SHARED = [in_threads, in_processes]


def double(piece: int) -> int:
    return 2 * piece


def fail_at_3(piece: int) -> int:
    if piece == 3:
        raise ValueError("expected another piece, got 3")
    return piece


def interrupt_handler(piece: int) -> tuple[int, bool]:
    return os.getpid(), signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("jobs", [1, 2])
def test_all_pieces_are_worked_on(shared: Callable[..., Any], jobs: int) -> None:
    assert sorted(shared(double, range(5), jobs)) == [0, 2, 4, 6, 8]
    assert list(shared(double, [], jobs)) == []


@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_reaches_the_caller(shared: Callable[..., Any], jobs: int) -> None:
    with pytest.raises(ValueError, match="expected another piece, got 3"):
        list(shared(fail_at_3, range(8), jobs))


def test_a_caller_that_stops_cancels_the_rest() -> None:
    worked_on: list[int] = []

    def work(piece: int) -> int:
        worked_on.append(piece)
        time.sleep(0.01)
        return piece

    results = in_threads(work, range(1_000), 2)
    next(results)
    results.close()
    assert len(worked_on) < 1_000


def test_processes_are_new_and_leave_ctrl_c_to_their_parent() -> None:
    for pid, ignored in in_processes(interrupt_handler, range(2), 2):
        assert pid != os.getpid()
        assert ignored
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def die_once(piece: Path) -> str:
    """Kills its own process, the first time."""
    with suppress(FileExistsError):
        piece.touch(exist_ok=False)
        os.kill(os.getpid(), signal.SIGKILL)
    return piece.name


def die_four_times(piece: Path) -> str:
    """Kills its own process as often as it can find a new name in its folder, if there is one."""
    for number in range(4 * piece.is_dir()):
        with suppress(FileExistsError):
            (piece / str(number)).touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
    return piece.name


def fail_strangely(piece: int) -> int:
    class StrangeError(Exception):
        pass

    raise StrangeError(f"piece {piece}")


def test_the_piece_of_a_killed_process_is_begun_again(tmp_path: Path) -> None:
    pieces = [tmp_path / name for name in "abcde"]
    assert sorted(in_processes(die_once, pieces, 2)) == list("abcde")


def test_a_piece_that_kills_three_processes_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ChildProcessError, match="expected 3 tries to be enough .* got its process killed each time"):
        list(in_processes(die_four_times, [tmp_path / "a", tmp_path, tmp_path / "b", tmp_path / "c"], 2))
    assert len(list(tmp_path.iterdir())) == 3


def test_an_error_that_cannot_be_pickled_keeps_its_words() -> None:
    with pytest.raises(RuntimeError, match="StrangeError: piece 0") as caught:
        list(in_processes(fail_strangely, [0], 2))
    assert "in fail_strangely" in caught.value.__notes__[0]


def test_a_piece_that_processes_cannot_read_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = types.ModuleType("only_here")
    exec("def double(piece): return 2 * piece", vars(module))
    monkeypatch.setitem(sys.modules, "only_here", module)
    with pytest.raises(ModuleNotFoundError, match="No module named 'only_here'"):
        list(in_processes(module.double, [1], 2))


def test_a_script_without_a_main_guard_is_told_so(tmp_path: Path) -> None:
    """Its processes would begin it anew, and so start processes themselves."""
    script = tmp_path / "script.py"
    script.write_text(
        "from solitaire_evaluation.pool import ThisMachine\nprint(sorted(ThisMachine(2).share(abs, [-1, -2])))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith("ChildProcessError: expected worker processes to go on, got one that ended with exit code 1")
    assert 'needs `if __name__ == "__main__":`' in last
    assert "memory" not in done.stderr


PARENT = """
import os, sys, time
from solitaire_evaluation.pool import ThisMachine
from tests.training.evaluation.test_pool import tell_and_sleep

if __name__ == "__main__":
    list(ThisMachine(2).share(tell_and_sleep, [sys.argv[1]] * 2))
"""


def tell_and_sleep(folder: str) -> None:
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(60)


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_processes_end_with_their_parent(ending: signal.Signals, tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    (folder := tmp_path / "workers").mkdir()
    with subprocess.Popen(
        [sys.executable, script, folder],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.DEVNULL,
    ) as parent:
        _wait_until(lambda: len(list(folder.iterdir())) == 2)
        parent.send_signal(ending)
        assert parent.wait(10) != 0
    _wait_until(lambda: not any(Path(f"/proc/{file.name}").exists() for file in folder.iterdir()))


def _wait_until(holds: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_one_torch_thread() -> None:
    import torch  # here: the workers of these tests import this module

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    use_one_torch_thread()
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)
