"""The command line: what it prints, and what it says of bad input."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import solitaire_seeds
from solitaire_agents.catalogue import find_agent
from solitaire_envs.catalogue import GAMES
from solitaire_training.commands.main import main
from solitaire_training.commands.terminal import Table, play_in_terminal
from solitaire_training.solving.solve import read_labels

SEEDS = solitaire_seeds.FOLDER


def run(*arguments: str) -> int:
    return main(list(arguments))


def test_compare_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out.json"
    assert run("compare", "--agents", "uniform,careful", "--deals", "60", "--json", str(path)) == 0
    printed = capsys.readouterr().out
    for word in ("uniform", "careful", "won", "cleared", "score", "par", "moves", "deals/s", "60 deals"):
        assert word in printed
    content = json.loads(path.read_text())
    assert content["env"] == "solitaire/Pyramid-v0"
    assert content["options"]["passes"] == 3
    assert len(content["agents"]["careful"]["outcomes"]["score"]) == 60
    assert not list(tmp_path.glob("*.partial"))


def test_compare_on_a_file_of_deals_and_with_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deals = tmp_path / "deals.txt"
    deals.write_text("5\n18446744073709551615\n")
    arguments = ["--env", "solitaire/TourInfernale-v0", "--agents", "tidy", "--deals", str(deals)]
    assert run("compare", *arguments, "--option", "passes=2", "--option", "information=table") == 0
    assert "2 deals" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "--agents", "golf"], "expected an agent of pyramid among"),
        (["compare", "--agents", ","], "expected the names of agents"),
        (["compare", "--agents", "uniform", "--env", "x"], "expected an environment id among"),
        (["compare", "--agents", "uniform", "--deals", "0"], "expected at least one deal"),
        (["compare", "--agents", "uniform", "--deals", "no-such-file"], "expected a number of deals or a file"),
        (["compare", "--agents", "uniform", "--option", "passes"], "expected an option as NAME=VALUE"),
        (["compare", "--agents", "uniform", "--option", "passes=many"], "expected passes to be an integer"),
        (["compare", "--agents", "uniform", "--option", "colour=red"], "expected options among"),
        (["compare", "--agents", "uniform", "--deals", "1", "--json", "/proc/x/y.json"], "No such file"),
        (["train", "--out", "x", "--env", "x"], "expected an environment id among"),
        (["train", "--out", "x", "--epochs", "0"], "expected epochs to be an integer of 1"),
        (["train", "--out", "x", "--config", "no.yaml"], "expected a YAML file at no.yaml"),
        (["train", "--out", "no-such-run", "--resume"], "expected a policy's description at"),
        (["replay", "no-such-file"], "No such file"),
        (["watch", "--agent", "careful", "--deal", "-1"], "expected a deal number"),
    ],
)
def test_bad_input_is_one_line_and_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    printed = capsys.readouterr().err.splitlines()[-1]
    assert printed.startswith(f"solitaire-rl {arguments[0]}: ")
    assert message in printed


def test_train_then_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run")
    small = ["--num-envs", "8", "--rollout-steps", "8", "--batch-size", "32", "--trunk-width", "8"]
    assert run("train", "--out", out, "--total-steps", "128", *small, "--option", "passes=2") == 0
    assert run("train", "--out", out, "--total-steps", "128", *small) == 2
    assert run("train", "--out", out, "--resume", "--total-steps", "256") == 0
    assert run("compare", "--agents", out, "--deals", "6", "--option", "passes=2") == 0
    assert "256 steps done" in capsys.readouterr().out


def test_watch_save_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "game.txt")
    assert run("watch", "--agent", "careful", "--deal", "3", "--seconds", "0", "--save", path) == 0
    watched = capsys.readouterr().out
    assert run("replay", path, "--every-move") == 0
    assert watched.splitlines()[-2] == capsys.readouterr().out.splitlines()[-1]
    Path(path).write_bytes(b"\xff\xfe")
    assert run("replay", path) == 2


def test_a_hint_of_the_oracle_which_sees_the_stock() -> None:
    game = GAMES["pyramid"]
    table = Table(game, game.options(), 7)
    oracle = find_agent("oracle", game, game.options())
    while not table.over:
        table.play(table.advice(oracle))
    assert table.engine.outcome(0)["score"] == read_labels(SEEDS / "pyramid-test.csv")[7][3]


def test_play_with_hint_undo_and_save(tmp_path: Path) -> None:
    game = GAMES["pyramid"]
    table = Table(game, game.options(), 7)
    lines = iter(["hint", "kd", "undo", "undo", "nonsense", "KD", f"save {tmp_path / 'x.txt'}", "help", "quit"])
    shown: list[str] = []
    play_in_terminal(table, find_agent("careful", game, game.options()), lambda prompt: next(lines), shown.append)
    text = "\n".join(shown)
    assert "careful would play K" in text
    assert "expected a move to take back" in text
    assert "got 'nonsense'" in text
    assert "moves: KD" in (tmp_path / "x.txt").read_text()


def test_python_dash_m(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["solitaire-rl", "compare", "--agents", "careful", "--deals", "1"])
    with pytest.raises(SystemExit) as exit_info:
        __import__("runpy").run_module("solitaire_training", run_name="__main__")
    assert exit_info.value.code == 0
