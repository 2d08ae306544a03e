"""The slices of a warm start."""

from pathlib import Path
from typing import Any

import pytest
import torch

from solitaire_agents.trained import WEIGHTS
from solitaire_training.evaluation.workers import ALONE, ThisMachine, Workers
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.train import train
from tests.training.learning.runs import TINY, quiet_train

TAUGHT: dict[str, Any] = {
    **TINY,
    "teacher": "careful",
    "teacher_steps": 512,
    "teacher_slices": 3,
    "total_steps": 128,
    "device": "cpu",
}


def taught(folder: Path, workers: Workers = ALONE, **changes: Any) -> bytes:
    config = TrainConfig(**{**TAUGHT, **changes})
    train(config, folder, workers=workers, progress_bar=False, say=lambda line: None)
    return (folder / WEIGHTS).read_bytes()


def test_the_weights_depend_on_the_slices_and_not_on_the_workers(tmp_path: Path, two_workers: ThisMachine) -> None:
    alone = taught(tmp_path / "alone")
    torch.rand(7)  # nothing depends on the random numbers of this process
    assert taught(tmp_path / "two", two_workers) == alone
    assert taught(tmp_path / "other", teacher_slices=2) != alone


def test_one_slice_is_what_a_warm_start_was_before(tmp_path: Path, two_workers: ThisMachine) -> None:
    shared = taught(tmp_path / "shared", two_workers, teacher_slices=1)
    assert taught(tmp_path / "alone", teacher_slices=1) == shared


def test_more_slices_than_games_are_as_many_as_games(tmp_path: Path) -> None:
    assert taught(tmp_path / "many", teacher_slices=100) == taught(tmp_path / "all", teacher_slices=16)


def test_a_policy_folder_teaches(tmp_path: Path, two_workers: ThisMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet_train(TrainConfig(**{**TINY, "total_steps": 128}), tmp_path / "teacher")
    teacher = str(tmp_path / "teacher")
    alone = taught(tmp_path / "alone", teacher=teacher)
    monkeypatch.setattr(two_workers, "elsewhere", True)  # its files travel
    assert taught(tmp_path / "two", two_workers, teacher=teacher) == alone


def test_a_warm_start_in_slices_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    whole = taught(tmp_path / "whole")
    config = TrainConfig(**TAUGHT)

    class KilledError(BaseException):
        pass

    def kill(line: str) -> None:
        said.append(line)
        if len(said) == 2:
            raise KilledError

    said: list[str] = []
    with pytest.raises(KilledError):
        train(TrainConfig(**{**TAUGHT, "checkpoint_minutes": 0.0}), tmp_path / "killed", progress_bar=False, say=kill)
    train(config, tmp_path / "killed", resume=True, progress_bar=False, say=lambda line: None)
    assert (tmp_path / "killed" / WEIGHTS).read_bytes() == whole
