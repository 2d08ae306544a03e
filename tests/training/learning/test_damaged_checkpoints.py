"""Checkpoints that are damaged or made up: each is refused in one line."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from solitaire_agents.trained import CARD, WEIGHTS
from solitaire_evaluation.learning_curve import EVALUATIONS
from solitaire_training.checkpoint_file import CHECKPOINT, Tensors, read_checkpoint, write_checkpoint
from solitaire_training.config import TrainConfig, resumed_settings
from solitaire_training.run import PPO_STAGE, SELF_PLAY, Paused
from tests.training.learning.runs import TINY, quiet_train

BOTH: dict[str, Any] = {**TINY, "games": 60, "total_steps": 384, "eval_every": 300}
"""Three updates of self-play, then three of PPO."""


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Returns the folders of runs that are paused in self-play, and in PPO."""
    found = {}
    for stage, calls in ((SELF_PLAY, 2), (PPO_STAGE, 4)):
        found[stage] = tmp_path_factory.mktemp("half")
        left = [calls]

        def pause(left: list[int] = left) -> bool:
            left[0] -= 1
            return left[0] == 0

        with pytest.raises(Paused):
            quiet_train(TrainConfig(**BOTH), found[stage], pause=pause)
    return found


def without(name: str) -> Callable[[Tensors], Tensors]:
    return lambda saved: {key: tensor for key, tensor in saved.items() if key != name}


def with_one(name: str, change: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Tensors], Tensors]:
    return lambda saved: {**saved, name: change(saved[name]).contiguous()}


def number(value: float) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda tensor: torch.tensor(value)


def not_a_number(tensor: torch.Tensor) -> torch.Tensor:
    return torch.full_like(tensor, torch.nan)


def with_last(value: int) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda tensor: torch.cat([tensor[:-1], torch.tensor([value])])


def longer(tensor: torch.Tensor) -> torch.Tensor:
    return torch.cat([tensor, tensor])


def also(name: str) -> Callable[[Tensors], Tensors]:
    return lambda saved: {**saved, name: torch.zeros(3)}


IN_EITHER: list[Callable[[Tensors], Tensors]] = [
    without("run.stage"),
    without("run.decisions_before"),
    without("run.moves_before"),
    without("run.seconds"),
    without("run.evaluated"),
    without("network.rows"),
    without("network.last_bias"),
    without("optimizer.0.exp_avg"),
    without("optimizer.3.step"),
    also("network.more"),
    also("optimizer.0.more"),
    also("optimizer.9.exp_avg"),
    also("optimizer.x.exp_avg"),
    also("optimizer.0"),
    with_one("run.stage", number(2)),
    with_one("run.stage", number(-1)),
    with_one("run.stage", number(float("inf"))),
    with_one("run.stage", lambda tensor: torch.zeros(3)),
    with_one("run.decisions_before", number(float("nan"))),
    with_one("run.decisions_before", number(float("inf"))),
    with_one("run.moves_before", number(-1)),
    with_one("run.evaluated", number(-2)),
    with_one("run.decisions", number(0.5)),
    with_one("run.seconds", lambda tensor: torch.zeros(3)),
    with_one("network.rows", longer),
    with_one("network.bias", not_a_number),
    with_one("network.last", lambda tensor: tensor + torch.inf),
    with_one("network.second", lambda tensor: tensor.transpose(1, 2)),
    with_one("optimizer.0.exp_avg", longer),
    with_one("optimizer.1.exp_avg_sq", not_a_number),
    with_one("optimizer.1.step", lambda tensor: torch.zeros(2)),
    with_one("optimizer.1.step", number(-1.0)),
    with_one("optimizer.2.exp_avg_sq", lambda tensor: tensor - 1),
    with_one("optimizer.2.exp_avg", lambda tensor: tensor.double()),
    with_one("network.last", lambda tensor: tensor + 1e6),
    also("more"),
    lambda saved: {},
]
IN_SELF_PLAY = [
    without("games"),
    without("decisions"),
    without("player.rows"),
    with_one("games", number(float("inf"))),
    with_one("games", number(-20)),
    with_one("decisions", number(-1)),
    with_one("moves", number(2**62)),
    with_one("player.rows", longer),
    with_one("player.bias", not_a_number),
    with_one("run.stage", number(PPO_STAGE)),
]
IN_PPO = [
    without("steps"),
    without("env.deals"),
    without("env.moves"),
    without("random.torch"),
    without("random.numpy"),
    without("guide.rows"),
    also("guide.more"),
    with_one("guide.rows", longer),
    with_one("guide.bias", not_a_number),
    with_one("guide.bias", lambda tensor: tensor.double()),
    with_one("env.deals", longer),
    with_one("env.deals", lambda tensor: tensor.float()),
    with_one("env.deals", lambda tensor: tensor.abs()),
    with_one("env.moves", longer),
    with_one("env.moves", lambda tensor: tensor * 0),
    with_one("env.moves", lambda tensor: tensor + 1),
    with_one("env.moves", lambda tensor: tensor * 300),
    with_one("env.moves", lambda tensor: tensor.flip(1)),
    with_one("env.moves", lambda tensor: torch.full_like(tensor, -1)[:, 0]),
    with_one("random.torch", lambda tensor: tensor[:9]),
    with_one("random.torch", lambda tensor: tensor.float()),
    with_one("random.numpy", lambda tensor: tensor[:9]),
    with_one("random.numpy", lambda tensor: -tensor),
    with_one("random.numpy", lambda tensor: tensor * 2**32),
    with_one("random.numpy", with_last(10**9)),
    with_one("random.numpy", with_last(-1)),
    with_one("random.numpy", lambda tensor: tensor.float() * torch.nan),
    with_one("steps", number(float("inf"))),
    with_one("steps", number(-128)),
    with_one("steps", number(2**62)),
    with_one("run.stage", number(SELF_PLAY)),
]
CRAFTED = [
    *((stage, change) for stage in (SELF_PLAY, PPO_STAGE) for change in IN_EITHER),
    *((SELF_PLAY, change) for change in IN_SELF_PLAY),
    *((PPO_STAGE, change) for change in IN_PPO),
]


@pytest.mark.parametrize(("stage", "change"), CRAFTED)
def test_checkpoints_that_no_run_writes(
    stage: int, change: Callable[[Tensors], Tensors], halves: dict[int, Path], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(halves[stage], tmp_path / "run"))
    write_checkpoint(folder, change(read_checkpoint(folder)))
    with pytest.raises(ValueError, match=f"expected a run to resume in {folder}, got") as caught:
        quiet_train(TrainConfig(**BOTH), folder, resume=True)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("damage", ["missing", "cut", "empty", "changed", "other"])
def test_damaged_checkpoints(damage: str, halves: dict[int, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(halves[PPO_STAGE], tmp_path / "run"))
    path = folder / CHECKPOINT
    whole = path.read_bytes()
    place = len(whole) - 1_000
    contents = {
        "cut": whole[: len(whole) // 2],
        "empty": b"",
        "changed": whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :],
        "other": (folder / WEIGHTS).read_bytes(),
    }
    path.unlink() if damage == "missing" else path.write_bytes(contents[damage])
    with pytest.raises(ValueError, match=f"expected a run to resume in {folder}, got") as caught:
        quiet_train(TrainConfig(**BOTH), folder, resume=True)
    assert "\n" not in str(caught.value)


def test_a_checkpoint_of_another_size(halves: dict[int, Path], tmp_path: Path) -> None:
    for stage, folder in halves.items():
        copy = Path(shutil.copytree(folder, tmp_path / str(stage)))
        card = json.loads((copy / CARD).read_text())
        (copy / CARD).write_text(json.dumps({**card, "hyperparameters": {**card["hyperparameters"], "width": 9}}))
        with pytest.raises(ValueError, match="expected a run to resume in .*, got: .*infinite numbers in .*.bias"):
            quiet_train(resumed_settings(copy), copy, resume=True)


@pytest.mark.parametrize("stage", [SELF_PLAY, PPO_STAGE])
def test_weights_that_become_infinite_are_not_saved(stage: int, halves: dict[int, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(halves[stage], tmp_path / "run"))
    crafted = with_one("optimizer.4.exp_avg", lambda tensor: tensor + 1e30)(read_checkpoint(folder))
    write_checkpoint(folder, with_one("optimizer.4.exp_avg_sq", torch.zeros_like)(crafted))
    before = [(folder / name).read_bytes() for name in (WEIGHTS, EVALUATIONS)]
    with pytest.raises(ValueError, match="expected finite weights, got others after .* decisions"):
        quiet_train(TrainConfig(**BOTH), folder, resume=True)
    assert [(folder / name).read_bytes() for name in (WEIGHTS, EVALUATIONS)] == before


def test_a_checkpoint_of_a_stage_that_its_run_has_not(halves: dict[int, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(halves[PPO_STAGE], tmp_path / "run"))
    with pytest.raises(ValueError, match="expected a run to resume in .*, got stage 1"):
        quiet_train(TrainConfig(**{**BOTH, "algorithm": "self-play"}), folder, resume=True)


def test_a_checkpoint_holds_the_network_that_is_saved(halves: dict[int, Path]) -> None:
    for folder in halves.values():
        weights, saved = load_file(folder / WEIGHTS), read_checkpoint(folder)
        assert all(torch.equal(tensor, saved[f"network.{name}"].half()) for name, tensor in weights.items())
