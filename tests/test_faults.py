"""The quick part of `make faults` and of `make fuzz`."""

import signal
import sys
from pathlib import Path

import pytest

from tests.faults import Row, different_agents_at_once, finish, jobs_to_try, kill_at_random_moments, kill_workers
from tests.fuzz import fuzz

pytestmark = pytest.mark.slow
JOBS = {job.name: job for job in jobs_to_try(work=0.1)}


def assert_harmless(row: Row) -> None:
    assert row.tried > 0
    assert (row.lost, row.left_behind, row.differing) == (0, 0, 0)


@pytest.mark.parametrize("name", ["train", "label, 2 jobs"])
def test_a_killed_command_goes_on_to_the_same_end(name: str, tmp_path: Path) -> None:
    job = JOBS[name]
    assert finish(job.start, tmp_path / "whole")[0] == 0
    assert_harmless(kill_at_random_moments(job, tmp_path, job.result(tmp_path / "whole"), 6.0, 1))


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    job = JOBS["compare, 2 jobs"]
    assert finish(job.start, tmp_path / "whole")[0] == 0
    assert_harmless(kill_workers(job, tmp_path, job.result(tmp_path / "whole"), 8.0, 1))


def test_agents_that_are_compared_in_one_folder_at_once_are_all_there(tmp_path: Path) -> None:
    assert_harmless(different_agents_at_once(tmp_path, 1))


def test_no_reader_and_no_argument_ends_in_a_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", None)
    handlers = {one: signal.getsignal(one) for one in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM)}
    try:
        found = fuzz(tmp_path, minutes=0.05)
    finally:
        for one, handler in handlers.items():
            signal.signal(one, handler)
    assert sum(count for count, _ in found.values()) > len(found)
    assert {name: wrong for name, (_, wrong) in found.items() if wrong} == {}
