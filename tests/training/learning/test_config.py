"""The settings of a training run."""

import json
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from solitaire_agents.trained import CARD
from solitaire_envs import catalogue
from solitaire_training.commands.main import main
from solitaire_training.config import (
    FREE,
    TrainConfig,
    change_on_resume,
    check_settings,
    load_config,
    resumed_settings,
)
from tests.training.learning.runs import TINY


def test_yaml_and_overrides(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("total_steps: 5_000\noptions: {passes: 2}\n")
    config = load_config(path, {"seed": 3, "options": {"goal": "pyramid"}})
    assert (config.total_steps, config.seed, config.options) == (5_000, 3, {"passes": 2, "goal": "pyramid"})


@pytest.mark.parametrize(
    ("text", "given", "deals"),
    [
        ("deals: 3", {"deals": 3}, [2**63, 2**63 + 1, 2**63 + 2]),
        (f"deals: [{2**63 + 5}, {2**63}]", {"deals": np.array([2**63 + 5, 2**63], np.uint64)}, [2**63 + 5, 2**63]),
        (f"deals: {2**63}-{2**63 + 1}", {"deals": f"{2**63}-{2**63 + 1}"}, [2**63, 2**63 + 1]),
        ("{}", {}, []),
    ],
)
def test_deals(text: str, given: dict[str, Any], deals: list[int], tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(text)
    config = load_config(tmp_path / "config.yaml", {})
    assert config.to_json() == TrainConfig(**given).to_json() == json.loads(json.dumps(config.to_json()))
    assert [each.tolist() for each in config.all_deals()] == [deals]


def test_a_band_of_labelled_deals(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("winnable: true\ndifficulty: [0, 0.25]\n")
    config = load_config(tmp_path / "config.yaml", {})
    assert config == TrainConfig(winnable=True, difficulty=(0, 0.25))
    assert 0 < len(config.all_deals()[0]) < len(TrainConfig(winnable=True).all_deals()[0]) / 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learning_rat: 1", "expected a setting of `solitaire-rl train --help`, got 'learning_rat'"),
        ("learning_rate: fast", "expected learning_rate to be a number"),
        ("total_steps: 1.5", "expected total_steps to be an integer"),
        ("options: {passes: 0}", "expected passes"),
        ("options: [1]", "expected a mapping"),
        ("deals: [1.5]", r"expected deals to be deal numbers, integers of 0..2\*\*64 - 1, got 1.5 among them"),
        ("deals: [7]", "expected deals to be training deals, 2\\*\\*63 and above, got others: \\[7"),
        ("deals: true", "expected deals to be a number of deals"),
        ("winnable: 1", "expected winnable to be True or False, got 1"),
        ("difficulty: 0.5", "expected difficulty to be"),
        ("option_sets: {passes: 2}", "expected option_sets to be a list of options, got"),
        ("option_sets: [2]", "expected option_sets to be a list of options, got"),
        ("option_sets: [{passes: 1}, {passes: 0}]", "expected passes"),
        ("option_sets: [{luck: 1}]", "expected options among"),
        ("env: solitaire/Chess-v0", "expected an environment id among"),
        ("- 1", "expected a mapping"),
        ("a: [", "expected a YAML file at"),
        ("\x00", "expected a YAML file at"),
        pytest.param("[" * 20_000, "expected a YAML file at .*, got: a text nested too deep", id="deep"),
        ("learning_rate: .inf", "expected learning_rate to be a number of 0..1, got '.inf'"),
        ("learning_rate: 1e400", "expected learning_rate to be a number of 0..1, got '1e400'"),
        ("total_steps: 1e400", "expected total_steps to be an integer of 1 or more, got '1e400'"),
        ("seed: 017", "expected seed to be an integer of .*, got '017'"),
        ("total_steps: 1:00:00", "expected total_steps to be an integer of 1 or more, got '1:00:00'"),
        ("seed: 0x10", "expected seed to be an integer of .*, got '0x10'"),
        ("seed: 3_0", "expected seed to be an integer of .*, got '3_0'"),
        ("seed: 2026-01-01", "expected seed to be an integer of .*, got '2026-01-01'"),
        ("seed: 1\nwidth: 8\nseed: 2", "expected a YAML file at .*config.yaml, got: 'seed' twice in one mapping"),
        ("options: {passes: 1, passes: 2}", "expected a YAML file at .*config.yaml, got: 'passes' twice"),
        pytest.param(f"seed: {'9' * 5_000}", "expected seed to be an integer of .*, got '999", id="digits"),
        (
            "env: trap:your/Game-v0",
            "expected `--import trap`, for .*config.yaml is of 'trap:your/Game-v0': do so only if",
        ),
        ("env: os:system", "expected `--import os`, for .*config.yaml is of 'os:system'"),
    ],
)
def test_wrong_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str) -> None:
    monkeypatch.setattr(catalogue, "NAMED", set())
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        load_config(path, {})


def test_yaml_numbers_with_an_exponent(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("learning_rate: 1e-4\nent_coef: 2.5E-3\ntotal_steps: 1e6\ngames: +2e3\nstart_from: 1e6x\n")
    config = load_config(path, {})
    assert (config.learning_rate, config.ent_coef) == (0.0001, 0.0025)
    assert (config.total_steps, config.games, config.start_from) == (1_000_000, 2_000, "1e6x")


def test_a_yaml_of_nested_aliases_gets_a_short_message(tmp_path: Path) -> None:
    path, nested = tmp_path / "config.yaml", "&a0 [1, 1]"
    for level in range(1, 9):
        nested = f"&a{level} [{nested}, {', '.join([f'*a{level - 1}'] * 8)}]"  # 9 ** 8 ones, in 300 characters
    for text in (f"seed: {nested}", f"options: {nested}", f"option_sets: {nested}", f"{{? {nested} : 1}}", nested):
        path.write_text(text)
        with pytest.raises(ValueError, match="expected") as caught:
            load_config(path, {})
        assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"start_from": 3}, "expected start_from to be a text, got 3"),
        ({"algorithm": "dqn"}, "expected algorithm to be 'ppo' or 'self-play', got 'dqn'"),
        ({"algorithm": "self-play"}, "expected games of 1 or more for self-play, got 0"),
        ({"games": -1}, "expected games to be an integer of 0 or more, got -1"),
        ({"explore": 1.5}, "expected explore to be a number of 0..1, got 1.5"),
        ({"td_lambda": -0.1}, "expected td_lambda to be a number of 0..1, got -0.1"),
        ({"n_epochs": 0}, "expected n_epochs to be an integer of 1 or more, got 0"),
        ({"n_epochs": True}, "expected n_epochs to be an integer of 1 or more, got True"),
        ({"n_epochs": 2.0}, "expected n_epochs to be an integer of 1 or more, got 2.0"),
        ({"eval_deals": 10_001}, "expected eval_deals to be an integer of 1..10000, got 10001"),
        ({"gae_lambda": 1.5}, "expected gae_lambda to be a number of 0..1, got 1.5"),
        ({"learning_rate": float("nan")}, "expected learning_rate to be a number of 0..1, got nan"),
        ({"learning_rate": float("inf")}, "expected learning_rate to be a number of 0..1, got inf"),
        ({"ent_coef": float("inf")}, "expected ent_coef to be a number of 0..1e.06, got inf"),
        ({"clip_range": 5.0}, "expected clip_range to be a number of 0..1, got 5.0"),
        ({"total_steps": 10**400}, "expected total_steps to be an integer of 1 or more, got 1000"),
        ({"width": 10**6}, "expected width to be an integer of 1..8192"),
        ({"option_sets": "passes"}, "expected option_sets to be a list of options, got 'passes'"),
        (
            {"option_sets": [{}, {"passes": 1}], "games_per_update": 1},
            "expected games_per_update of 2 or more, as .* got 1",
        ),
        (
            {"option_sets": [{}, {"passes": 1}], "num_envs": 1},
            "expected num_envs of 2 or more, as there are option_sets",
        ),
        (
            {"num_envs": 3, "n_steps": 3, "batch_size": 4},
            r"leave no batch of one step, got 3 \* 3 and 4",
        ),
        ({"env": "golf"}, "expected an environment id among"),
        ({"options": {"passes": 0}}, "expected passes to be"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TrainConfig(**settings)


def test_option_sets_are_each_besides_the_options() -> None:
    config = TrainConfig(options={"goal": "pyramid"}, option_sets=[{"passes": 2}, {"passes": 1, "goal": "all"}])
    assert [(each.passes, each.goal) for each in config.all_options()] == [(2, "pyramid"), (1, "all")]  # type: ignore[attr-defined]
    assert config.game_options() == config.all_options()[0]
    assert TrainConfig(options={"passes": 2}).all_options() == [TrainConfig(options={"passes": 2}).game_options()]


def test_each_setting_is_documented() -> None:
    assert all(spec.metadata["doc"] for spec in fields(TrainConfig))


def test_what_differs_is_named() -> None:
    check_settings({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 2}, "d": 3}, "the run")
    with pytest.raises(ValueError, match="expected b {'c': 2}, as in the run; got None"):
        check_settings({"a": 1, "b": {"c": 2}}, {"a": 1}, "the run")


def test_what_may_change_when_a_run_goes_on() -> None:
    config = TrainConfig()
    assert config.fixed() == {name: value for name, value in config.to_json().items() if name not in FREE}
    assert replace(config, total_steps=1, games=7, threads=2, checkpoint_minutes=1.0).fixed() == config.fixed()
    assert replace(config, seed=1).fixed() != config.fixed()


def card_with(folder: Path, run: Path, hyperparameters: Any) -> Path:
    card = json.loads((run / CARD).read_text())
    (folder / CARD).write_text(json.dumps({**card, "hyperparameters": hyperparameters}))
    return folder


def test_a_run_tells_its_settings(run: Path) -> None:
    assert resumed_settings(run) == TrainConfig(total_steps=512, **TINY)


def test_a_run_of_another_version(run: Path, tmp_path: Path) -> None:
    for hyperparameters in ({"luck": 1}, {"x" * 9_000: 1}, None):
        with pytest.raises(ValueError, match="expected the hyperparameters of a run of this version, got") as caught:
            resumed_settings(card_with(tmp_path, run, hyperparameters))
        assert len(str(caught.value)) < 500
    (tmp_path / CARD).write_text((run / CARD).read_text().replace('"hyperparameters"', '"others"'))
    with pytest.raises(ValueError, match="expected the hyperparameters of a run of this version, got"):
        resumed_settings(tmp_path)
    for value in ("x", int("9" * 4_000)):
        with pytest.raises(
            ValueError, match=f"^{tmp_path / CARD}: .*expected n_epochs to be an integer of 1 or"
        ) as caught:
            resumed_settings(card_with(tmp_path, run, {"n_epochs": value}))
        assert len(str(caught.value)) < 500
    with pytest.raises(ValueError, match="expected the card of a trained agent at"):
        resumed_settings(tmp_path / "nowhere")


def test_a_card_may_not_name_a_module(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trap.py").write_text("open('sprung', 'w').close()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    card_with(tmp_path, run, {**resumed_settings(run).to_json(), "env": "trap:solitaire/Pyramid-v0"})
    assert main(["train", "--out", str(tmp_path), "--resume"]) == 2
    assert f"expected `--import trap`, for {tmp_path / CARD} is of 'trap:" in capsys.readouterr().err
    assert not (tmp_path / "sprung").exists()
    assert main(["train", "--out", str(tmp_path), "--resume", "--import", "trap"]) == 2
    assert "expected a run to resume in" in capsys.readouterr().err  # there is no checkpoint
    assert (tmp_path / "sprung").exists()


def test_a_file_of_settings_may_not_change_them(run: Path, tmp_path: Path) -> None:
    config, path = resumed_settings(run), tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump({**TINY, "total_steps": 1_024}))
    assert change_on_resume(config, path, {"threads": 2}) == replace(config, total_steps=1_024, threads=2)
    path.write_text(yaml.safe_dump({**TINY, "seed": 1}))
    with pytest.raises(ValueError, match="expected seed 0, as in the run so far, with --resume; got 1"):
        change_on_resume(config, path, {})
    with pytest.raises(ValueError, match=r"expected batch_size 64, as in the run so far, .* got 128"):
        change_on_resume(config, None, {"batch_size": 128})


def test_settings_are_read_without_pytorch() -> None:
    code = "import sys, solitaire_training.config; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
