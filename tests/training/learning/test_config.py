"""The settings of a training run."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solitaire_training.learning.config import FREE_SETTINGS, TrainConfig, check_same, load_config


def test_yaml_and_overrides(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("total_steps: 5_000\noptions: {passes: 2}\n")
    config = load_config(path, {"seed": 3, "options": {"goal": "pyramid"}})
    assert (config.total_steps, config.seed, config.options) == (5_000, 3, {"passes": 2, "goal": "pyramid"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learning_rat: 1", "expected keys among .* got 'learning_rat'"),
        ("learning_rate: fast", "expected learning_rate to be a number"),
        ("total_steps: 1.5", "expected total_steps to be an integer"),
        ("options: {passes: 0}", "expected passes"),
        ("options: [1]", "expected a mapping"),
        ("env: solitaire/Golf-v0", "expected an environment id among"),
        ("- 1", "expected a mapping"),
        ("a: [", "expected a YAML file at"),
        ("\x00", "expected a YAML file at"),
    ],
)
def test_wrong_yaml(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        load_config(path, {})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"start_from": 3}, "expected start_from to be a text, got 3"),
        ({"eval_actions": "bold"}, "expected eval_actions to be 'greedy' or 'sample', got 'bold'"),
        ({"epochs": 0}, "expected epochs to be an integer of 1 or more, got 0"),
        ({"epochs": True}, "expected epochs to be an integer of 1 or more, got True"),
        ({"epochs": 2.0}, "expected epochs to be an integer of 1 or more, got 2.0"),
        ({"eval_deals": 10_001}, "expected eval_deals to be an integer of 1..10000, got 10001"),
        ({"discount": 1.5}, "expected discount to be a number of 0..1, got 1.5"),
        ({"learning_rate": float("nan")}, "expected learning_rate to be a number of 0 or more, got nan"),
        ({"env": "golf"}, "expected an environment id among"),
        ({"options": {"passes": 0}}, "expected passes to be"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TrainConfig(**settings)


def test_what_differs_is_named() -> None:
    check_same({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 2}, "d": 3}, "the run")
    with pytest.raises(ValueError, match="expected b {'c': 2}, as in the run; got None"):
        check_same({"a": 1, "b": {"c": 2}}, {"a": 1}, "the run")


def test_what_may_change_when_a_run_goes_on() -> None:
    config = TrainConfig()
    assert config.fixed() == {name: value for name, value in config.to_json().items() if name not in FREE_SETTINGS}
    assert replace(config, total_steps=1, threads=2, device="cpu", precision="float32").fixed() == config.fixed()
    assert replace(config, seed=1).fixed() != config.fixed()


def test_settings_are_read_without_pytorch() -> None:
    code = "import sys, solitaire_training.learning.config; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
