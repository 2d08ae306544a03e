"""The command line as a whole: what it imports, its help, bad input, Ctrl-C."""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from solitaire_training.commands import main as main_module
from solitaire_training.commands.main import COMMANDS, main, make_parser

HEAVY = {"numba", "numpy", "torch", "pandas", "scipy", "yaml", "rich", "tqdm", "gymnasium", "solitaire_envs"}
NEVER_WANTED_TO_PLAY = {"torch", "shtab", "pandas", "scipy.stats", "stable_baselines3", "rich", "matplotlib", "optuna"}
LISTING = """
import sys
from solitaire_training.commands.main import main
try:
    code = main(sys.argv[1:])
except SystemExit as end:
    code = end.code
print(code, *sys.modules, file=sys.stderr)
"""


def run(*arguments: str) -> int:
    return main(list(arguments))


def loaded(*arguments: str) -> tuple[str, set[str]]:
    """Runs a command in a new process; returns its exit code and the modules that it has imported."""
    listed = subprocess.run(
        [sys.executable, "-c", LISTING, *arguments], input="quit\n", capture_output=True, text=True, check=True
    )
    code, *modules = listed.stderr.splitlines()[-1].split()
    return code, set(modules)


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], "0"), (["golf"], "2"), ([], "2"), (["--golf"], "2")])
def test_help_and_wrong_names_import_nothing(arguments: list[str], code: str) -> None:
    got, modules = loaded(*arguments)
    assert got == code
    assert not modules & HEAVY
    assert {name for name in modules if name.startswith("solitaire_training.commands.")} == {
        "solitaire_training.commands.main"
    }


def test_a_parser_of_one_command_imports_only_its_module() -> None:
    _, modules = loaded("report", "--help")
    assert "solitaire_training.commands.evaluate" in modules
    assert not modules & HEAVY
    assert "solitaire_training.commands.train" not in modules


@pytest.mark.parametrize("command", ["solve", "play", "watch", "replay"])
def test_a_game_is_played_without_what_only_training_needs(command: str, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text("solitaire-rl transcript 1\ngame: pyramid\ndeal: 7\nmoves: draw draw\n")
    rest = {
        "solve": ["--deal", "7"],
        "play": ["--deal", "7"],
        "watch": ["--agent", "careful", "--deal", "7", "--seconds", "0"],
        "replay": [str(path)],
    }
    code, modules = loaded(command, *rest[command])
    assert code == "0"
    assert not modules & NEVER_WANTED_TO_PLAY


def test_the_whole_parser_knows_all_commands() -> None:
    parser = make_parser()
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    assert list(commands.choices) == list(COMMANDS)
    for name, command in commands.choices.items():
        assert callable(command.get_default("run"))
        assert COMMANDS[name][1] in parser.format_help()
        assert COMMANDS[name][1] in command.format_help()


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        run(command, "--help")
    assert exit_info.value.code == 0
    assert f"usage: solitaire-rl {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "--agents", "golf"], "expected an agent of pyramid among"),
        (["compare", "--agents", ","], "expected the names of agents"),
        (["compare", "--agents", "uniform", "--env", "x"], "expected an environment id among"),
        (["compare", "--agents", "uniform", "--deals", "0"], "expected deals to be 1 to 10,000,000 numbers, got 0"),
        (
            ["compare", "--agents", "uniform", "--deals", "no-such-file"],
            "expected deals to be a number of deals, or a range, a list or a file",
        ),
        (["compare", "--agents", "uniform", "--option", "passes"], "expected an option as NAME=VALUE"),
        (["compare", "--agents", "uniform", "--option", "passes=many"], "expected passes to be an integer"),
        (["compare", "--agents", "uniform", "--option", "colour=red"], "expected options among"),
        (["compare", "--agents", "uniform", "--deals", "1", "--out", "/proc/x/y"], "No such file"),
        (
            ["compare", "--agents", "uniform", "--jobs", "0"],
            "argument --jobs: expected a whole number of 1..1024, got '0'",
        ),
        (
            ["compare", "--agents", "uniform", "--seed", "-1"],
            "argument --seed: expected a whole number of 0..4294967295",
        ),
        (["solve", "--deal", "7", "--max-nodes", "-5"], "argument --max-nodes: expected a whole number of 1.."),
        (["solve", "--deal", "7", "--max-nodes", "1e400"], "argument --max-nodes: expected a whole number of 1.."),
        (["label", "--out", "x.csv", "--count", "1e15"], "argument --count: expected a whole number of 1..100000000"),
        (["train", "--out", "x", "--clip-range", "5"], "expected clip_range to be a number of 0..1, got 5.0"),
        (["train", "--out", "x", "--learning-rate", "inf"], "argument --learning-rate: expected a number, got 'inf'"),
        (["train", "--out", "x", "--num-envs", "many"], "argument --num-envs: expected a whole number of 0.."),
        (["watch", "--agent", "careful", "--seconds", "nan"], "argument --seconds: expected a number of 0..60, got"),
        (["watch", "--agent", "careful", "--save", "/proc/x/game.txt"], "No such file or directory: /proc/x"),
        (["watch", "--agent", "careful", "--save", "/tmp"], "Is a directory: /tmp"),
        (["play", "\x1b[31m" + "x" * 1_000], "unrecognized arguments:  [31mxxx"),
        (["train", "--out", "x", "--env", "x"], "expected an environment id among"),
        (["train", "--out", "x", "--n-epochs", "0"], "expected n_epochs to be an integer of 1"),
        (["train", "--out", "x", "--config", "no.yaml"], "expected a recipe among demo-pyramid"),
        (["train", "--out", "no-such-run", "--resume"], "expected the card of a trained agent at"),
        (["replay", "no-such-file"], "No such file"),
        (["play", "--agent", "golf"], "expected an agent of pyramid among"),
        (["watch", "--agent", "careful", "--deal", "-1"], "expected a whole number of 0..18446744073709551615"),
        (["solve", "--deal", "7", "--env", "golf"], "expected an environment id among"),
        (
            ["solve", "--deal", "7", "--env", "solitaire/PyramidPar-v0"],
            "expected a game with a solver, one of pyramid,",
        ),
        (["solve", "--deal", "7", "--goal", "golf"], "expected a goal among score, win;"),
        (
            ["label", "--count", "1", "--out", "x.csv", "--env", "solitaire/PyramidPar-v0"],
            "expected a game whose deals can be",
        ),
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
    assert len(printed) <= 480
    assert printed.isprintable()


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, ""),
        (ValueError("expected x, got y"), 2, "solitaire-rl train: expected x, got y\n"),
        (OSError(2, "No file", "z"), 2, "solitaire-rl train: No file: z\n"),
        (OSError("broken"), 2, "solitaire-rl train: broken\n"),
    ],
)
def test_exit_codes(
    error: BaseException, code: int, message: str, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(chosen: argparse.Namespace) -> None:
        raise error

    def fill(filled: Any) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser()
        parser.add_argument("command")
        parser.set_defaults(run=fail)
        return parser

    monkeypatch.setattr(main_module, "make_parser", fill)
    assert run("train") == code
    assert capsys.readouterr().err == message


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("train --out {}", "train: interrupted; --resume goes on in {}"),
        ("train --seeds 0-1 --out {}", "train: interrupted; --resume goes on in {}"),
        (
            "tune --trials 2 --search ent_coef --out {}",
            "tune: interrupted; the same command goes on in {}",
        ),
        ("compare --agents careful --out {}", "compare: interrupted; the same command goes on in {}"),
        ("compare --agents careful", ""),
        ("compare --agents careful --out {}/none", ""),
        ("label --count 9 --out {}", "label: interrupted; the same command goes on in {}"),
        ("solve --deal 7", ""),
    ],
)
def test_an_interrupted_command_says_what_goes_on(
    line: str, said: str, tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(chosen: argparse.Namespace) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main_module, "_find_modules_here", interrupt)
    assert run(*line.format(tmp_path).split()) == 130
    assert capsys.readouterr().err == (f"solitaire-rl {said.format(tmp_path)}\n" if said else "")


def test_python_dash_m(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["solitaire-rl", "compare", "--agents", "careful", "--deals", "1"])
    with pytest.raises(SystemExit) as exit_info:
        __import__("runpy").run_module("solitaire_training", run_name="__main__")
    assert exit_info.value.code == 0
