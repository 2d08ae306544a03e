"""The search for settings."""

from pathlib import Path
from typing import Any

import pytest

from solitaire_training import tune as tune_module
from solitaire_training.cli import main
from solitaire_training.config import TrainConfig
from solitaire_training.train import Figures, read_evaluations
from solitaire_training.tune import KEPT, tune

CONFIG = TrainConfig(
    num_envs=8,
    rollout_steps=8,
    batch_size=32,
    token_width=4,
    trunk_width=8,
    trunk_layers=1,
    rounds=0,
    eval_every=64,
    eval_deals=20,
    total_steps=128,
    device="cpu",
)


def search(folder: Path, trials: int, config: TrainConfig = CONFIG) -> tuple[TrainConfig, list[str]]:
    said: list[str] = []
    best = tune(config, ["learning_rate", "epochs"], trials, folder, say=said.append, progress_bar=False)
    return best, said


def test_the_best_trial_is_told_and_a_study_goes_on(tmp_path: Path) -> None:
    _, said = search(tmp_path, 2)
    assert said[0].startswith("trial 0: score ")
    assert said[0].endswith("with learning_rate 0.001, epochs 3")  # its own settings come first
    best, more = search(tmp_path, 4)
    assert [line.split(":")[0] for line in (*said, *more)] == [
        *("trial 0", "trial 1", "best of 2"),
        *("trial 2", "trial 3", "best of 4"),
    ]
    scores = [
        read_evaluations(tmp_path / f"trial-{number:03}")[-1]["figures"]["score"]["value"] for number in range(KEPT)
    ]
    assert more[-1] == f"best of 4: trial {scores.index(max(scores))}, score {max(scores):.4g}"
    assert best.learning_rate_end / best.learning_rate == pytest.approx(0.1)
    with pytest.raises(ValueError, match="expected a new folder, got .*, which holds a study of other settings"):
        search(tmp_path, 4, TrainConfig(seed=1))


def test_an_interrupted_trial_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(tune_module, "train", interrupt)
        with pytest.raises(KeyboardInterrupt):
            search(tmp_path, 1)
    best, said = search(tmp_path, 1)
    assert said[0].endswith("with learning_rate 0.001, epochs 3")
    assert best == CONFIG


def test_a_trial_that_falls_behind_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trials: list[int] = []

    def pretend(config: TrainConfig, folder: Path, *, evaluated: Any, **_: Any) -> int:
        trials.append(len(trials))
        for number in range(3):
            figures: Figures = {"score": {"value": float(number - len(trials))}}
            evaluated(figures)
        return 0

    monkeypatch.setattr(tune_module, "train", pretend)
    best, said = search(tmp_path, KEPT + 1)
    assert "score -5, given up" in said[KEPT]
    assert best == CONFIG


@pytest.mark.parametrize("names", ["", "learning_rate,learning_rate", "seed"])
def test_wrong_searches(names: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "--out", str(tmp_path), "--trials", "1", "--search", names]) == 2
    said = capsys.readouterr().err
    assert "expected trials, and settings among learning_rate, entropy, " in said
    assert said.endswith(f"got 1, {names.replace(',', ', ')}\n")


def test_the_command_prints_settings_to_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("num_envs", "rollout_steps", "token_width", "trunk_width", "rounds", "eval_deals", "total_steps")
    settings = [f"--{name.replace('_', '-')}={getattr(CONFIG, name)}" for name in names]
    assert main(["tune", "--out", str(tmp_path), "--trials", "1", "--search", "entropy", *settings]) == 0
    assert "entropy: 0.01\nlearning_rate_end: 0.0001\n" in capsys.readouterr().out
