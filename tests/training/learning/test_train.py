"""Training, saving, loading, and interrupting."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file

from solitaire_agents.catalogue import find_agent, kit_of
from solitaire_agents.files import locked
from solitaire_agents.policy import load_policy
from solitaire_agents.trained import WEIGHTS
from solitaire_envs import pyramid
from solitaire_envs.catalogue import find_entry
from solitaire_training.evaluation.learning_curve import EVALUATIONS, read_evaluations
from solitaire_training.evaluation.play import play
from solitaire_training.learning.checkpoint_file import CHECKPOINT
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.eval_callback import EvalCallback
from solitaire_training.learning.train import LOGS, train
from tests.training.learning.runs import TINY, quiet_train


@pytest.mark.parametrize("env_id", ["solitaire/Pyramid-v0", "solitaire/TourInfernaleOnePass-v0"])
def test_a_run_is_an_agent(env_id: str, tmp_path: Path) -> None:
    quiet_train(TrainConfig(env=env_id, total_steps=256, **TINY), tmp_path)
    game, options = find_entry(env_id).game, TrainConfig(env=env_id).game_options()
    played = play(find_agent(str(tmp_path), game, options), game, options, range(16))
    assert len(played.outcomes) == 16
    assert (played.outcomes["moves"] > 0).all()


def test_same_seed_same_policy(tmp_path: Path) -> None:
    for name in ("a", "b"):
        quiet_train(TrainConfig(total_steps=256, **TINY), tmp_path / name)
    assert (tmp_path / "a" / WEIGHTS).read_bytes() == (tmp_path / "b" / WEIGHTS).read_bytes()


def test_ctrl_c_saves_the_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(EvalCallback, "_evaluate", interrupt)
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        train(TrainConfig(total_steps=1024, **TINY), tmp_path, progress_bar=False, say=said.append)
    assert str(tmp_path) in said[-1]
    assert load_file(tmp_path / CHECKPOINT)["steps"] == 128  # before the rollout that was interrupted
    load_policy(tmp_path, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS)


@pytest.mark.parametrize("ending", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM])
def test_what_ends_a_process_saves_the_policy(ending: signal.Signals, tmp_path: Path) -> None:
    settings = [f"--{name.replace('_', '-')}={value}" for name, value in {**TINY, "eval_every": 10**9}.items()]
    command = [sys.executable, "-m", "solitaire_training", "train", "--out", str(tmp_path), *settings]
    in_background = ["sh", "-c", f"trap '' INT; exec {shlex.join(command)}"]  # as shells start them
    with subprocess.Popen(in_background, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        while not (tmp_path / CHECKPOINT).exists():
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(ending)
        said = process.communicate(timeout=60)[0]
    assert process.returncode == 130
    steps = int(re.search(r"saving the policy after ([\d,]+) steps", said)[1].replace(",", ""))  # type: ignore[index]
    assert load_file(tmp_path / CHECKPOINT)["steps"] == steps


def test_a_new_run_does_not_take_over_the_curve_of_a_dead_one(tmp_path: Path) -> None:
    (tmp_path / EVALUATIONS).write_text('{"steps": 999, "deals": 1, "metrics": {}}\n{"steps": 6')
    quiet_train(TrainConfig(total_steps=256, **TINY), tmp_path)
    assert [point["steps"] for point in read_evaluations(tmp_path)] == [256]
    assert (tmp_path / "evaluations-1.jsonl").read_text().startswith('{"steps": 999')


def test_going_on_keeps_the_log(tmp_path: Path) -> None:
    for steps in (256, 512, 768):
        quiet_train(TrainConfig(total_steps=steps, **TINY), tmp_path, resume=steps > 256)
    logs = sorted((tmp_path / LOGS).glob("progress*.csv"))
    assert [log.name for log in logs] == ["progress-1.csv", "progress-2.csv", "progress.csv"]
    assert all(len(log.read_text().splitlines()) == 3 for log in logs)  # a header and two rollouts


def test_a_second_run_in_a_folder_is_told_who_is_there(tmp_path: Path) -> None:
    with (
        locked(tmp_path),
        pytest.raises(ValueError, match=f"to be free for writing, got it held by process {os.getpid()}"),
    ):
        quiet_train(TrainConfig(total_steps=256, **TINY), tmp_path)
