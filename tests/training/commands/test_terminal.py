"""The commands `play`, `watch` and `replay`."""

import io
from pathlib import Path

import pytest

from solitaire_training.commands.main import main


def test_watch_save_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "game.txt")
    assert main(["watch", "--agent", "careful", "--deal", "3", "--seconds", "0", "--save", path]) == 0
    watched = capsys.readouterr().out
    assert watched.startswith("deal 3\n")
    assert main(["replay", path, "--every-move"]) == 0
    assert watched.splitlines()[-2] == capsys.readouterr().out.splitlines()[-1]
    Path(path).write_bytes(b"\xff\xfe")
    assert main(["replay", path]) == 2


@pytest.mark.parametrize(
    ("env", "hint"), [("Pyramid", "pyramid-first would play"), ("TourInfernale", "foundation-only would play")]
)
def test_play(env: str, hint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hint\nquit\n"))
    assert main(["play", "--env", f"solitaire/{env}-v0"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("deal ")
    assert hint in printed


def test_play_until_the_input_ends(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["play", "--deal", "7", "--agent", "careful"]) == 0
    assert capsys.readouterr().out.startswith("deal 7\n")
