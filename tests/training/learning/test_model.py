"""The model that is trained: precision, device, weights to start from."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from solitaire_agents.catalogue import kit_of
from solitaire_agents.policy import load_policy
from solitaire_agents.trained import WEIGHTS, read_card
from solitaire_envs import pyramid
from solitaire_training.learning import model as learned
from solitaire_training.learning.config import TrainConfig, change_on_resume, resumed_settings
from solitaire_training.learning.model import build_model, uses_bfloat16
from solitaire_training.learning.sb3_vec_env import SolitaireVecEnv
from tests.training.learning.runs import TINY, quiet_train


def test_bfloat16_changes_little(run: Path) -> None:
    seen = torch.as_tensor(SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 64).reset())
    logits = []
    for precision in ("float32", "bfloat16"):
        model = build_model(TrainConfig(precision=precision, **TINY))  # type: ignore[arg-type]
        model.policy.network.load_state_dict(
            load_policy(run, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS).network.state_dict()
        )
        logits.append(model.policy.judge(seen)[0])
    off = (logits[0] - logits[1]).abs()
    assert logits[1].dtype == torch.float32
    assert 0 < off.max() < 0.05 * logits[0].abs().max()


def test_the_settings_reach_sb3() -> None:
    own: dict[str, Any] = {"gae_lambda": 0.8, "gamma": 0.97, "clip_range": 0.13, "max_grad_norm": 0.4, "seed": 5}
    model = build_model(TrainConfig(ent_coef=0.02, vf_coef=0.3, **own, **{**TINY, "n_epochs": 4}))
    assert (model.gae_lambda, model.gamma, model.max_grad_norm) == (0.8, 0.97, 0.4)
    assert (model.clip_range(1.0), model.ent_coef, model.vf_coef) == (0.13, 0.02, 0.3)
    assert (model.n_steps, model.batch_size, model.n_epochs, model.seed) == (8, 64, 4, 5)


def test_the_learning_rate_goes_from_its_start_to_its_end() -> None:
    model = build_model(TrainConfig(learning_rate=0.003, learning_rate_end=0.001, **TINY))
    assert [model.lr_schedule(left) for left in (1.0, 0.5, 0.0, -0.1)] == pytest.approx([0.003, 0.002, 0.001, 0.001])


@pytest.mark.parametrize(("gamma", "ends"), [(1.0, True), (0.99, False)])
def test_a_cut_ends_an_episode_at_discount_1_only(gamma: float, ends: bool) -> None:
    env = build_model(TrainConfig(gamma=gamma, options={"max_moves": 2}, **TINY)).env
    env.reset()
    cut: list[bool] = []
    while not cut:
        _, _, dones, infos = env.step(env.action_masks().argmax(axis=1))
        cut = [infos[index]["TimeLimit.truncated"] for index in np.flatnonzero(dones)]
    assert set(cut) == {not ends}


@pytest.mark.parametrize("gamma", [1.0, 0.99])
def test_moves_without_a_choice_are_steps_only_if_time_counts(gamma: float) -> None:
    env = build_model(TrainConfig(gamma=gamma, **TINY)).env
    env.seed(0)
    env.reset()
    forced = 0
    for _ in range(50):
        dones = env.step(env.action_masks().argmax(axis=1))[2]
        forced += int((env.action_masks()[~dones].sum(axis=1) == 1).sum())
    assert (forced == 0) == (gamma == 1)


@pytest.mark.parametrize("teacher", ["", "careful"])
def test_training_in_bfloat16(teacher: str, tmp_path: Path) -> None:
    quiet_train(
        TrainConfig(total_steps=256, precision="bfloat16", teacher=teacher, teacher_steps=512, **TINY), tmp_path
    )
    assert all(tensor.isfinite().all() for tensor in load_file(tmp_path / WEIGHTS).values())
    assert read_card(tmp_path)["computed"] == {"device": "cpu", "precision": "bfloat16"}
    assert {str(tensor.dtype) for tensor in load_file(tmp_path / WEIGHTS).values()} == {"torch.float32"}


@pytest.mark.parametrize("pays", [False, True])
def test_a_measurement_decides_the_precision(pays: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert uses_bfloat16(TrainConfig(device="cpu")) == learned.bfloat16_pays()
    monkeypatch.setattr(learned, "bfloat16_pays", lambda: pays)
    assert uses_bfloat16(TrainConfig(device="cpu")) == pays
    assert uses_bfloat16(TrainConfig(device="cpu", precision="bfloat16"))


@pytest.mark.parametrize("env_id", ["solitaire/Pyramid-v0", "solitaire/TourInfernale-v0"])
def test_the_network_can_move_to_a_device_as_a_whole(env_id: str) -> None:
    """The device 'meta' has shapes only, and most of what it does refuses tensors elsewhere, as a GPU would."""
    model = build_model(TrainConfig(env=env_id, **TINY))
    seen = torch.as_tensor(model.env.reset()).to("meta")
    logits, values = model.policy.network.to("meta")(seen)
    (logits.sum() + values.sum()).backward()
    assert logits.shape == (16, model.action_space.n)


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
def test_a_gpu_that_is_missing() -> None:
    with pytest.raises(ValueError, match="expected a GPU for device 'cuda', got none"):
        build_model(TrainConfig(**{**TINY, "device": "cuda"}))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("env_id", ["solitaire/Pyramid-v0", "solitaire/TourInfernale-v0"])
def test_training_on_a_gpu_and_on(env_id: str, tmp_path: Path) -> None:
    settings = {**TINY, "env": env_id, "device": "auto", "teacher": "uniform", "teacher_steps": 512}
    quiet_train(TrainConfig(total_steps=256, **settings), tmp_path)
    assert read_card(tmp_path)["computed"]["device"] == "cuda"
    config = change_on_resume(resumed_settings(TrainConfig, tmp_path), None, {"total_steps": 512, "device": "cpu"})
    assert quiet_train(config, tmp_path, resume=True) == 512


def test_starting_from_a_policy(run: Path, tmp_path: Path) -> None:
    config = TrainConfig(total_steps=1, learning_rate=0.0, learning_rate_end=0.0, start_from=str(run), **TINY)
    quiet_train(config, tmp_path / "next")
    assert (tmp_path / "next" / WEIGHTS).read_bytes() == (run / WEIGHTS).read_bytes()
    other = {**TINY, "trunk_width": 9}
    with pytest.raises(ValueError, match="expected a policy of NetworkConfig.*trunk_width=9.*got one of"):
        quiet_train(TrainConfig(total_steps=1, start_from=str(run), **other), tmp_path / "other")
