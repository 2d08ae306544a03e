"""The commands `train` and `tune`."""

from pathlib import Path

import pytest

from solitaire_training.commands.main import main
from tests.training.learning.test_tune import CONFIG


def test_train_then_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run")
    small = [
        "--num-envs",
        "8",
        "--n-steps",
        "8",
        "--batch-size",
        "32",
        "--trunk-width",
        "8",
        "--eval-deals",
        "20",
    ]
    assert main(["train", "--out", out, "--total-steps", "128", *small, "--option", "passes=2"]) == 0
    assert main(["train", "--out", out, "--total-steps", "128", *small]) == 2
    assert main(["train", "--out", out, "--resume", "--option", "passes=3"]) == 2
    assert "expected options {'passes': 2}, as in the run so far, with --resume; got" in capsys.readouterr().err
    assert main(["train", "--out", out, "--resume", "--total-steps", "256"]) == 0
    assert main(["compare", "--agents", out, "--deals", "6", "--option", "passes=2"]) == 0
    assert "256 steps done" in capsys.readouterr().out


def test_settings_come_from_the_file_then_from_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("env: solitaire/TourInfernale-v0\nepochs: 2\noptions: {piles: 5}\n")
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
        ({"trials": "0"}, "argument --trials: expected a whole number of 1..100000, got '0'"),
        ({"search": ""}, "each once; got 'none'"),
        ({"search": "n_epochs,n_epochs"}, "each once; got 'n_epochs, n_epochs'"),
        ({"search": "seed"}, "expected settings among learning_rate, ent_coef, batch_size,"),
        ({"search": "teacher_learning_rate"}, "each once; got 'teacher_learning_rate'"),
        ({"ent_coef": "0"}, "expected ent_coef above 0 to search from, got 0"),
        ({"goal": "luck"}, "expected a goal among score, won,"),
    ],
)
def test_wrong_searches(
    arguments: dict[str, str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"out": str(tmp_path), "trials": "1", "search": "ent_coef", **arguments}
    assert main(["tune", *(f"--{name}={value}" for name, value in given.items())]) == 2
    assert message in capsys.readouterr().err


def test_tune_prints_settings_to_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("num_envs", "n_steps", "token_width", "trunk_width", "rounds", "eval_deals", "total_steps")
    settings = [f"--{name.replace('_', '-')}={getattr(CONFIG, name)}" for name in names]
    assert main(["tune", "--out", str(tmp_path), "--trials", "1", "--search", "ent_coef", *settings]) == 0
    assert "ent_coef: 0.01\nlearning_rate_end: 0.0001\n" in capsys.readouterr().out
