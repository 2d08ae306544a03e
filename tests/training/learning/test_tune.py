"""The search for settings."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solitaire_agents.files import locked
from solitaire_agents.trained import WEIGHTS
from solitaire_evaluation.learning_curve import Metrics, append_evaluation, read_evaluations
from solitaire_training import tune as tune_module
from solitaire_training.config import TrainConfig
from solitaire_training.run import train
from solitaire_training.tune import FIRST_TRIALS, JOURNAL, tune
from tests.training.learning.test_run import curve

CONFIG = TrainConfig(
    num_envs=8,
    n_steps=8,
    batch_size=1_024,
    width=8,
    second_width=4,
    eval_every=64,
    eval_deals=20,
    total_steps=128,
)


def search(folder: Path, trials: int, config: TrainConfig = CONFIG, **own: Any) -> tuple[TrainConfig, list[str]]:
    said: list[str] = []
    best = tune(config, ["learning_rate", "batch_size"], trials, folder, say=said.append, **own)
    return best, said


def test_the_best_trial_is_reported_and_a_study_goes_on(tmp_path: Path) -> None:
    _, said = search(tmp_path, 2)
    assert said[0].startswith("trial 0: score ")
    assert said[0].endswith(", with learning_rate 0.002, batch_size 1024")  # its own settings come first
    best, more = search(tmp_path, 4, replace(CONFIG, threads=2))
    lines = [*said, *more]
    assert [line.split(":")[0] for line in lines] == [
        *("trial 0", "trial 1", "best of 2"),
        *("trial 2", "trial 3", "best of 4"),
    ]
    assert len({line.partition(", with ")[2] for line in lines if line.startswith("trial")}) == 4
    scores = [read_evaluations(tmp_path / f"trial-{number:03}")[-1]["metrics"]["score"]["value"] for number in range(4)]
    assert more[-1] == f"best of 4: trial {scores.index(max(scores))}, score {max(scores):.4g}"
    assert best.learning_rate_end / best.learning_rate == pytest.approx(0.05)
    with pytest.raises(ValueError, match="expected seed 0, as in the study in .* so far; got 1"):
        search(tmp_path, 4, replace(CONFIG, seed=1))


def test_an_interrupted_trial_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> int:
        raise KeyboardInterrupt

    for moment in ("train", "_choose"):
        with monkeypatch.context() as patch:
            patch.setattr(tune_module, moment, interrupt)
            with pytest.raises(KeyboardInterrupt):
                search(tmp_path, 1)
    best, said = search(tmp_path, 1)
    assert said[0].endswith("with learning_rate 0.002, batch_size 1024")
    assert best == CONFIG


def test_a_wrong_trial_does_not_block_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> int:
        raise ValueError("expected something else")

    with monkeypatch.context() as patch:
        patch.setattr(tune_module, "train", fail)
        with pytest.raises(ValueError, match="expected something else"):
            search(tmp_path, 1)
    assert search(tmp_path, 1)[1][0].startswith("trial 0: ")


def pretended(metrics_of: Any) -> Any:
    trials: list[int] = []

    def pretend(config: TrainConfig, folder: Path, *, evaluated: Any, **_: Any) -> int:
        trials.append(len(trials))
        for number in range(3):
            metrics: Metrics = metrics_of(len(trials), number)
            evaluated(number, metrics)
        return 0

    return pretend


def test_a_trial_that_falls_behind_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend = pretended(lambda trial, number: {"score": {"value": float(number - trial)}})
    monkeypatch.setattr(tune_module, "train", pretend)
    best, said = search(tmp_path, FIRST_TRIALS + 1)
    assert "score -5, given up" in said[FIRST_TRIALS]
    assert best == CONFIG


def test_a_figure_may_be_lowered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend = pretended(lambda trial, number: {"moves": {"value": 10.0 * trial + number}})
    monkeypatch.setattr(tune_module, "train", pretend)
    best, said = search(tmp_path, FIRST_TRIALS + 1, goal="-moves")
    assert "-moves 50, given up" in said[FIRST_TRIALS]
    assert said[-1] == f"best of {FIRST_TRIALS + 1}: trial 0, -moves 12"
    assert best == CONFIG


class KilledError(BaseException):
    """Ends a process at once, without saving anything."""


@pytest.mark.parametrize(("trial", "moment"), [(0, 1), (1, 2)])
def test_a_killed_study_ends_like_one_left_alone(
    trial: int, moment: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(CONFIG, total_steps=256, checkpoint_minutes=0.0)
    best, said = search(tmp_path / "whole", 3, config)
    calls: list[int] = []

    def killed(*arguments: Any) -> Metrics:
        calls.append(1)
        if len(calls) == 4 * trial + moment:
            raise KilledError
        return append_evaluation(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr("solitaire_training.run.append_evaluation", killed)
        with pytest.raises(KilledError):
            search(tmp_path / "killed", 3, config)
    journal = tmp_path / "killed" / JOURNAL
    journal.write_bytes(journal.read_bytes() + b'{"op_code": 5, "wor')
    (tmp_path / "killed" / f"{JOURNAL}.lock").symlink_to("nowhere")
    started: list[Path] = []

    def begin(config: TrainConfig, folder: Path, **rest: Any) -> int:
        started.append(folder)
        return train(config, folder, **rest)

    monkeypatch.setattr(tune_module, "train", begin)
    assert search(tmp_path / "killed", 3, config) == (best, said[trial:])
    assert [folder.name for folder in started] == [f"trial-{number:03}" for number in range(trial, 3)]
    for name in ("trial-000", "trial-001", "trial-002"):
        weights = [(tmp_path / study / name / WEIGHTS).read_bytes() for study in ("whole", "killed")]
        assert weights[0] == weights[1]
        assert curve(tmp_path / "whole" / name) == curve(tmp_path / "killed" / name)


def test_a_full_disk_is_said_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tune_module, "train", full)
    with pytest.raises(OSError, match="No space left") as caught:
        search(tmp_path, 1)
    assert caught.value.filename == str(tmp_path)


def test_a_second_search_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(ValueError, match="to be free for writing, got it held by process"):
        search(tmp_path, 1)


@pytest.mark.parametrize("line", ['{"op_code": 12, "worker_id": "x"}', '{"op_code": 0}', "[]", '{"op_code": 4}'])
def test_a_journal_of_another_form_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / JOURNAL).write_text(f"{line}\n")
    with pytest.raises(ValueError, match=r"expected Optuna's journal at .*study\.log, got: [A-Z]"):
        search(tmp_path, 1)
