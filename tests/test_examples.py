"""The worked examples: those whose libraries are there run for a few steps, and play no illegal move."""

import copy
import importlib
import math
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest

from solitaire_envs.engine import Buffers, Engine

EXAMPLES = Path(__file__).parents[1] / "examples"
NEEDS = {
    "maskable_ppo": ["sb3_contrib"],
    "cleanrl_ppo": ["torch"],
    "torchrl_env": ["torch", "torchrl"],
    "rllib_ppo": ["torch", "ray"],
}
ENV_IDS = ["solitaire/Pyramid-v0", "solitaire/TourInfernale-v0"]


def load(name: str) -> ModuleType:
    for library in NEEDS[name]:
        pytest.importorskip(library)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)  # more are slower, for networks as small as these
    return importlib.import_module(f"examples.{name}")


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the moves of every environment in this process, legal or not."""
    count: Counter[str] = Counter()
    step = Engine.step

    def counting_step(self: Engine, actions: Any) -> Buffers:
        under_way = ~self.states.ended
        buffers = step(self, actions)
        count["moves"] += int(under_way.sum())
        count["illegal"] += int(buffers.illegal.sum())
        return buffers

    monkeypatch.setattr(Engine, "step", counting_step)
    return count


@pytest.mark.parametrize("name", NEEDS)
def test_one_short_file_each(name: str) -> None:
    text = (EXAMPLES / f"{name}.py").read_text()
    assert len(text.splitlines()) < 200
    assert "solitaire_training" not in text
    assert f"python examples/{name}.py" in text


def test_every_example_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(NEEDS)


def test_moves_are_counted(played: Counter[str]) -> None:
    env = gymnasium.make("solitaire/Pyramid-v0")
    _, info = env.reset(seed=0)
    env.step(int(info["action_mask"].argmax()))
    env.step(int(info["action_mask"].argmin()))
    assert played == Counter(moves=2, illegal=1)


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_maskable_ppo(env_id: str, played: Counter[str]) -> None:
    example = load("maskable_ppo")
    model = example.train(env_id, 64, num_envs=2, num_steps=32)
    assert played == Counter(moves=64)
    assert all(-52 <= score <= 50 for score in example.evaluate(model, env_id, range(1)))
    assert played["moves"] > 64
    assert played["illegal"] == 0


TINY = {"num_envs": 8, "num_steps": 64, "num_minibatches": 2, "update_epochs": 1, "width": 16}


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_cleanrl_ppo(env_id: str, played: Counter[str]) -> None:
    example = load("cleanrl_ppo")
    _, history = example.train(example.Args(env_id=env_id, total_timesteps=1024, **TINY))
    assert played == Counter(moves=1024)  # none is lost to a reset
    assert [record["steps"] for record in history] == [512, 1024]
    assert all(math.isfinite(record["value_loss"]) and record["entropy"] > 0 for record in history)


def test_cleanrl_ppo_where_episodes_are_cut_off(monkeypatch: pytest.MonkeyPatch, played: Counter[str]) -> None:
    example = load("cleanrl_ppo")
    spec = copy.deepcopy(gymnasium.spec("solitaire/TourInfernale-v0"))  # the registry hands out its own
    spec.kwargs = {**spec.kwargs, "max_moves": 10}
    monkeypatch.setitem(gymnasium.registry, "solitaire/Short-v0", spec)
    _, (record,) = example.train(example.Args(env_id="solitaire/Short-v0", total_timesteps=512, **TINY))
    assert played == Counter(moves=512)
    assert math.isfinite(record["score"])
    assert math.isfinite(record["value_loss"])


def test_cleanrl_ppo_without_the_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    example = load("cleanrl_ppo")
    monkeypatch.setattr(example, "masked_categorical", lambda logits, masks: example.Categorical(logits=logits))
    with pytest.raises(ValueError, match="expected a legal action"):
        example.train(example.Args(total_timesteps=512, **TINY))


def test_cleanrl_ppo_on_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    example = load("cleanrl_ppo")
    arguments = "--total-timesteps 128 --num-envs 2 --num-minibatches 1 --update-epochs 1 --width 8 --ent-coef 1e-3"
    monkeypatch.setattr(sys, "argv", ["cleanrl_ppo.py", *arguments.split()])
    example.main()
    assert capsys.readouterr().out.startswith("steps 128  score ")


@pytest.mark.filterwarnings("default")  # TorchRL's own
@pytest.mark.parametrize("env_id", ENV_IDS)
def test_torchrl_env(env_id: str, played: Counter[str]) -> None:
    example = load("torchrl_env")
    env = example.make_env(env_id)
    env.set_seed(0)
    example.check_env_specs(env)
    for policy in (None, example.make_policy(env)):
        rollout = env.rollout(200, policy, break_when_any_done=False)
        assert len(rollout) == 200
        assert example.share_legal(rollout) == 1.0
    assert played["moves"] > 400
    assert played["illegal"] == 0


@pytest.mark.filterwarnings("default")  # Ray's own
def test_rllib_ppo(played: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    example = load("rllib_ppo")
    env_id = ENV_IDS[0]
    example.ray.init(num_cpus=1, include_dashboard=False)
    try:
        algorithm = example.make_config(env_id, batch_size=512).build_algo()
        results = algorithm.train()
        assert results["learners"]["default_policy"]["entropy"] > 0
        assert np.isfinite(results["env_runners"]["episode_return_mean"])
        assert played["moves"] >= 512  # in this process: there are no env runners
        assert all(-52 <= score <= 50 for score in example.evaluate(algorithm, env_id, range(2)))
        assert played["illegal"] == 0
        algorithm.stop()
    finally:
        example.ray.shutdown()
