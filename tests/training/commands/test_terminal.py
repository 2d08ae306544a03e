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
    last = replayed(watched).splitlines()[-1]
    assert last.startswith("careful won; score ")
    assert capsys.readouterr().out.splitlines()[-1] == last.replace("careful", "The player")
    Path(path).write_bytes(b"\xff\xfe")
    assert main(["replay", path]) == 2


def replayed(watched: str) -> str:
    """Returns what `watch` printed, without the line that says where the transcript is."""
    return watched.rpartition("\nwritten to")[0].rstrip()


@pytest.mark.parametrize("env", ["Pyramid", "PyramidPar", "TourInfernaleOnePass"])
def test_hints_come_from_the_trained_agent_of_the_package(
    env: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hint\nquit\n"))
    assert main(["play", "--env", f"solitaire/{env}-v0"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("deal ")
    assert "best would play" in printed


@pytest.mark.parametrize(
    ("env", "options", "rule"),
    [
        ("Pyramid", {"information": "table"}, "careful"),
        ("TourInfernale", {}, "swift"),
        ("TourInfernaleSprint", {}, "swift"),
    ],
)
def test_where_no_agent_is_trained_the_strongest_rule_advises(
    env: str, options: dict[str, str], rule: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hint\nquit\n"))
    given = [word for name, value in options.items() for word in ("--option", f"{name}={value}")]
    assert main(["play", "--env", f"solitaire/{env}-v0", *given]) == 0
    assert f"{rule} would play" in capsys.readouterr().out


def test_play_until_the_input_ends(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["play", "--deal", "7", "--agent", "careful"]) == 0
    assert capsys.readouterr().out.startswith("deal 7\n")
