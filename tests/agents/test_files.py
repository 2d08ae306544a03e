"""Files that are replaced whole, and that have one writer at a time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from solitaire_agents.files import append_line, locked, write_whole

HOLD = """
import sys, time
from pathlib import Path
from solitaire_agents.files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    write_whole(path, b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("solitaire_agents.files.os.fsync", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_whole(path, b"new")
    assert caught.value.filename == str(path)
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]
    assert path.read_bytes() == b"old"


def test_a_line_after_a_torn_one_is_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    append_line(path, "first")
    with path.open("a") as file:
        file.write('{"steps": 6')
    append_line(path, "second")
    assert path.read_text().splitlines() == ["first", '{"steps": 6', "second"]


@pytest.mark.parametrize("name", ["", "labels.csv"])
def test_a_second_writer_is_told_who_holds_it_until_that_one_is_killed(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(ValueError, match=f"to be free for writing, got it held by process {holder.pid} on "):
            locked(path).__enter__()
        holder.kill()
    with locked(path):
        pass


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    below = tmp_path / "chunks" / "a"
    below.mkdir(parents=True)
    for folder in (tmp_path, below):
        for process in (child.pid, os.getpid()):
            (folder / f".a.txt.{process}.abcd.partial").touch()
    kept = f".a.txt.{os.getpid()}.abcd.partial"
    with locked(tmp_path / "b.txt"):  # what lies deeper may be somebody else's
        assert [file.name for file in tmp_path.glob("*.partial")] == [kept]
        assert len(list(below.iterdir())) == 2
    with locked(tmp_path):
        assert [file.name for file in below.iterdir()] == [kept]
