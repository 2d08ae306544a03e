"""Runs that are stopped and go on."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from safetensors.torch import load_file
from torch.optim import Adam

from solitaire_agents.trained import CARD, WEIGHTS
from solitaire_envs.engine import Engine
from solitaire_training.evaluation.learning_curve import read_evaluations
from solitaire_training.learning.checkpoint import Checkpoints, load_checkpoint
from solitaire_training.learning.checkpoint_file import CHECKPOINT
from solitaire_training.learning.config import TrainConfig, change_on_resume, resumed_settings
from solitaire_training.learning.eval_callback import EvalCallback
from solitaire_training.learning.model import build_model
from tests.training.learning.runs import TINY, quiet_train


def test_resume_goes_on_and_keeps_the_settings(run: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(run, tmp_path / "run"))
    config = change_on_resume(resumed_settings(TrainConfig, run), None, {"total_steps": 768, "precision": "float32"})
    assert quiet_train(config, run, resume=True) == 768
    assert load_file(run / CHECKPOINT)["steps"] == 768
    with pytest.raises(ValueError, match=r"expected batch_size 64, as in the run so far, .* got 128"):
        change_on_resume(config, None, {"batch_size": 128})
    with pytest.raises(ValueError, match="holds a run: add --resume"):
        quiet_train(config, run)


class KilledError(BaseException):
    """Ends a run at once, without saving anything."""


def kill_at(patch: pytest.MonkeyPatch, method: str, call: int) -> None:
    """Lets a call of a method of the engine, the optimiser or the evaluation be the last."""
    owner, name = {"step": (Engine, "step"), "fit": (Adam, "step"), "evaluate": (EvalCallback, "_evaluate")}[method]
    original, calls = getattr(owner, name), []

    def killed(*arguments: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == call:
            raise KilledError
        return original(*arguments, **named)

    patch.setattr(owner, name, killed)


SHORT = {**TINY, "total_steps": 512, "teacher_steps": 512, "eval_every": 200}


PYRAMID, SPRINT = "solitaire/Pyramid-v0", "solitaire/TourInfernaleSprint-v0"
EACH_MOMENT, ONLY_THE_FIRST = 0.0, 1e6


@pytest.mark.parametrize(
    ("env", "minutes", "method", "call"),
    [
        (PYRAMID, EACH_MOMENT, "step", 3),
        (PYRAMID, EACH_MOMENT, "step", 40),
        (SPRINT, EACH_MOMENT, "fit", 7),
        (PYRAMID, EACH_MOMENT, "step", 70),
        (PYRAMID, ONLY_THE_FIRST, "evaluate", 1),
        (PYRAMID, EACH_MOMENT, "evaluate", 2),
    ],
)
def test_a_killed_run_ends_like_one_left_alone(
    env: str, minutes: float, method: str, call: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    teacher = "careful" if "Pyramid" in env else "tidy"
    config = TrainConfig(env=env, **{**SHORT, "teacher": teacher, "checkpoint_minutes": minutes, "eval_deals": 2})
    quiet_train(config, tmp_path / "whole")
    with monkeypatch.context() as patch:
        kill_at(patch, method, call)
        with pytest.raises(KilledError):
            quiet_train(config, tmp_path / "killed")
    torch.rand(3)
    np.random.rand(3)  # noqa: NPY002  # a new process has other random states
    quiet_train(config, tmp_path / "killed", resume=True)
    for name in (WEIGHTS, CHECKPOINT):
        whole, killed = (load_file(tmp_path / folder / name) for folder in ("whole", "killed"))
        assert whole.keys() == killed.keys()
        assert [name for name in whole if not torch.equal(whole[name], killed[name])] == []
    assert read_evaluations(tmp_path / "whole") == read_evaluations(tmp_path / "killed")


def test_resuming_after_a_kill_between_two_files(run: Path, tmp_path: Path) -> None:
    """The policy is newer than the checkpoint then: the run goes on from the checkpoint, as it would have done."""
    for name in ("whole", "killed"):
        quiet_train(TrainConfig(total_steps=256, **TINY), tmp_path / name)
    shutil.copy(run / WEIGHTS, tmp_path / "killed")
    for name in ("whole", "killed"):
        quiet_train(TrainConfig(total_steps=384, **TINY), tmp_path / name, resume=True)
    assert (tmp_path / "whole" / WEIGHTS).read_bytes() == (tmp_path / "killed" / WEIGHTS).read_bytes()
    (tmp_path / "killed" / CHECKPOINT).write_bytes(b"damaged")
    with pytest.raises(ValueError, match="expected a run to resume in .*killed, got"):
        quiet_train(TrainConfig(total_steps=512, **TINY), tmp_path / "killed", resume=True)


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a policy's description at"):
        resumed_settings(TrainConfig, tmp_path)


def test_a_run_of_another_version(run: Path, tmp_path: Path) -> None:
    card = json.loads((run / CARD).read_text())
    for hyperparameters in ({"luck": 1}, {"x" * 9_000: 1}, None):
        (tmp_path / CARD).write_text(json.dumps({**card, "hyperparameters": hyperparameters}))
        with pytest.raises(ValueError, match="expected the hyperparameters of a run of this version, got") as caught:
            resumed_settings(TrainConfig, tmp_path)
        assert len(str(caught.value)) < 500


def test_a_file_of_settings_may_not_change_them(run: Path, tmp_path: Path) -> None:
    config, path = resumed_settings(TrainConfig, run), tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump({**TINY, "total_steps": 1_024}))
    assert change_on_resume(config, path, {"threads": 2}) == replace(config, total_steps=1_024, threads=2)
    path.write_text(yaml.safe_dump({**TINY, "seed": 1}))
    with pytest.raises(ValueError, match="expected seed 0, as in the run so far, with --resume; got 1"):
        change_on_resume(config, path, {})


def test_a_checkpoint_has_weights_optimiser_and_steps(run: Path) -> None:
    tensors, weights = load_file(run / CHECKPOINT), load_file(run / WEIGHTS)
    assert (tensors["steps"], tensors["taught"]) == (512, 0)
    assert {name for name in tensors if name.startswith("network.")} == {f"network.{name}" for name in weights}
    model = build_model(resumed_settings(TrainConfig, run))
    load_checkpoint(run, model)
    assert model.num_timesteps == 512
    assert all(torch.equal(tensor, weights[name]) for name, tensor in model.policy.network.state_dict().items())
    slots = model.policy.optimizer.state_dict()["state"]
    assert all(torch.equal(slots[0][name], tensors[f"optimizer.0.{name}"]) for name in slots[0])


def test_the_optimiser_goes_on_as_it_was(run: Path) -> None:
    """Adam's moments and its count of steps, for every weight."""
    tensors, config = load_file(run / CHECKPOINT), resumed_settings(TrainConfig, run)
    model = build_model(config)
    load_checkpoint(run, model)
    slots = model.policy.optimizer.state_dict()["state"]
    found = {f"optimizer.{key}.{name}": tensor for key, named in slots.items() for name, tensor in named.items()}
    assert len(slots) == len(list(model.policy.parameters()))
    for name, tensor in found.items():
        assert torch.equal(tensor, tensors[name]), name
    assert {float(named["step"]) for named in slots.values()} == {8.0}  # 512 steps, in batches of 64


def test_the_counters_go_on_as_they_were(run: Path, tmp_path: Path) -> None:
    config = resumed_settings(TrainConfig, run)
    counters = ("num_timesteps", "taught", "_n_updates", "evaluated")
    saved, loaded = build_model(config), build_model(config)
    for number, name in enumerate(counters, start=1):
        setattr(saved, name, 128 * number)
    Checkpoints(tmp_path, saved, config, None).mark()
    load_checkpoint(tmp_path, loaded)
    assert [getattr(loaded, name) for name in counters] == [128, 256, 384, 512]


def test_full_disk_leaves_the_old_policy(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Path(shutil.copytree(run, tmp_path / "run"))
    before = (run / WEIGHTS).read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("solitaire_agents.files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        quiet_train(resumed_settings(TrainConfig, run), run, resume=True)
    assert (run / WEIGHTS).read_bytes() == before
