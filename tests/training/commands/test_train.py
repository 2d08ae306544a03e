"""The commands `train` and `tune`."""

from pathlib import Path

import pytest

from solitaire_agents.trained import read_card
from solitaire_evaluation.learning_curve import read_evaluations
from solitaire_training.commands.main import main
from tests.training.learning.runs import TINY
from tests.training.learning.test_tune import CONFIG

SMALL = [f"--{name.replace('_', '-')}={value}" for name, value in TINY.items()]


def test_train_then_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run")
    assert main(["train", "--out", out, "--total-steps", "128", *SMALL, "--option", "passes=2"]) == 0
    assert main(["train", "--out", out, "--total-steps", "128", *SMALL]) == 2
    assert "which holds a run: add --resume" in capsys.readouterr().err
    assert main(["train", "--out", out, "--resume", "--option", "passes=3"]) == 2
    assert "expected options {'passes': 2}, as in the run so far, with --resume; got" in capsys.readouterr().err
    assert main(["train", "--out", out, "--resume", "--total-steps", "256"]) == 0
    assert f"learned from 256 decisions; the agent is in {out}" in capsys.readouterr().out
    assert main(["compare", "--agents", out, "--deals", "6", "--option", "passes=2"]) == 0
    assert main(["compare", "--agents", out, "--deals", "6", "--option", "passes=1"]) == 2
    assert "expected an agent that has learned passes=1" in capsys.readouterr().err


def test_self_play_then_ppo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    assert main(["train", "--out", str(out), "--games", "20", "--total-steps", "128", *SMALL]) == 0
    decisions = read_card(out)["decisions"]
    assert decisions > 128
    assert f"learned from {decisions:,} decisions" in capsys.readouterr().out
    assert main(["train", "--out", str(out), "--resume", "--td-lambda", "0.5"]) == 2
    assert "expected td_lambda 0.8, as in the run so far" in capsys.readouterr().err
    alone = tmp_path / "alone"
    assert main(["train", "--out", str(alone), "--algorithm", "self-play", "--games", "20", *SMALL]) == 0
    assert [point["steps"] for point in read_evaluations(alone)] == [decisions - 128]
    assert main(["train", "--out", str(alone), "--resume", "--games", "40"]) == 0
    assert read_card(alone)["decisions"] > decisions - 128


@pytest.mark.parametrize(
    ("arguments", "end"),
    [("--total-steps=200", "256/256"), ("--algorithm=self-play --games=50", "50/50")],  # a rollout is of 128 decisions
)
def test_the_bar_ends_where_the_run_does(
    arguments: str, end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "--out", str(tmp_path), *SMALL, *arguments.split()]) == 0
    said = capsys.readouterr()
    assert end in said.err.splitlines()[-1]
    decisions = read_card(tmp_path)["decisions"]
    assert f"learned from {decisions:,} decisions" in said.out
    assert f" {decisions:,} decisions, " in said.out.splitlines()[-2]
    assert decisions == 256 or "games" in arguments


def test_settings_come_from_the_file_then_from_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("env: solitaire/TourInfernale-v0\nn_epochs: 2\noptions: {piles: 5}\n")
    arguments = ["train", "--out", str(tmp_path / "run"), "--config", str(path)]
    assert main([*arguments, "--n-epochs", "0"]) == 2
    assert "expected n_epochs to be an integer of 1 or more, got 0" in capsys.readouterr().err
    assert main([*arguments, "--option", "stock_waste_pairs=true"]) == 2  # the other game has this option
    assert "expected options among" in capsys.readouterr().err
    assert main([*arguments, "--env", "solitaire/Pyramid-v0"]) == 2  # the file's option is not one of this game
    assert "got 'piles'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--algorithm", "self-play"], "expected games of 1 or more for self-play, got 0"),
        (["--algorithm", "dqn"], "expected algorithm to be 'ppo' or 'self-play', got 'dqn'"),
        (["--explore", "2"], "expected explore to be a number of 0..1, got 2"),
        (["--option", "information=table"], "expected information='memory' or 'open' for trained agents; got 'table'"),
        (["--config", "no-such-recipe"], "expected a recipe among "),
        (["--start-from", "."], "expected the card of a trained agent at agent.json"),
        (["--start-from", "nowhere"], "expected the card of a trained agent at nowhere/agent.json"),
        (["--deals", "0"], "expected deals to be 1 to 10,000,000 numbers, got 0"),
        (["--deals", "nowhere.csv"], "expected deals to be a number of deals, or a range, a list or a file"),
        (["--deals", "0-99"], "expected deals to be training deals, 2**63 and above, got others: '0-99'"),
        (["--deals", "5", "--winnable"], "expected either deals or winnable, got both"),
        (
            ["--difficulty", "0.5,0.2"],
            "(low, high) with 0 <= low < high <= 1, got [0.5, 0.2]",
        ),
        (["--difficulty", "0.5"], "expected difficulty to be (low, high)"),
        (["--winnable", "--option", "passes=2"], "expected winnable under rules whose deals are labelled"),
        (["--resume"], "expected the card of a trained agent at"),
        (["--teacher", "careful"], "unrecognized arguments: --teacher careful"),
    ],
)
def test_wrong_input(arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--out", str(tmp_path / "run"), *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"trials": "0"}, "argument --trials: expected a whole number of 1..100000, got '0'"),
        ({"search": ""}, "each once; got 'none'"),
        ({"search": "n_epochs,n_epochs"}, "each once; got 'n_epochs, n_epochs'"),
        ({"search": "seed"}, "expected settings to search among learning_rate, ent_coef, self_play_learning_rate,"),
        ({"search": "self_play_learning_rate_end"}, "each once; got 'self_play_learning_rate_end'"),
        ({"ent_coef": "0"}, "expected ent_coef above 0 to search from, got 0"),
        ({"goal": "luck"}, "expected a goal among score, won,"),
    ],
)
def test_wrong_searches(
    arguments: dict[str, str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"out": str(tmp_path), "trials": "1", "search": "ent_coef", **arguments}
    assert main(["tune", *(f"--{name.replace('_', '-')}={value}" for name, value in given.items())]) == 2
    assert message in capsys.readouterr().err


def test_tune_prints_settings_to_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("num_envs", "n_steps", "width", "second_width", "eval_deals", "total_steps")
    settings = [f"--{name.replace('_', '-')}={getattr(CONFIG, name)}" for name in names]
    assert main(["tune", "--out", str(tmp_path), "--trials", "1", "--search", "ent_coef", *settings]) == 0
    assert "ent_coef: 0.012\nent_coef_end: 0.003\n" in capsys.readouterr().out
