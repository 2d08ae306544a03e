"""Work shared among threads or processes."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from solitaire_training.evaluation.pool import in_processes, in_threads, use_one_torch_thread

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


def test_one_torch_thread() -> None:
    import torch  # here: the workers of these tests import this module

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    use_one_torch_thread()
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)
