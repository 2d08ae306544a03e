"""The command `record`: a Minari dataset that anybody can load."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from solitaire_training.commands.main import main

STRANGER = """
import sys
import minari
import numpy as np
dataset = minari.load_dataset("solitaire/pyramid/careful-v0")
env = dataset.recover_environment()
assert not [name for name in sys.modules if name.startswith(("solitaire_training", "solitaire_agents"))]
assert env.unwrapped.options.passes == 2
steps = 0
for episode in dataset.iterate_episodes():
    observation, info = env.reset(options={"deal": int(episode.infos["deal"][0])})
    for step, action in enumerate(episode.actions):
        assert np.array_equal(observation, episode.observations[step])
        assert np.array_equal(info["action_mask"], episode.infos["action_mask"][step])
        observation, reward, terminated, truncated, info = env.step(action)
        assert reward == episode.rewards[step]
        assert (terminated, truncated) == (episode.terminations[step], episode.truncations[step])
        steps += 1
    assert terminated or truncated
    assert all(info[name] == episode.infos[name][-1] for name in ("score", "won", "cleared", "moves"))
print(len(dataset), steps, dataset.spec.total_steps)
"""


@pytest.fixture(autouse=True)
def datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    return tmp_path / "datasets"


def record(dataset: str, *more: str) -> int:
    return main(["record", "--agent", "careful", "--deals", "4", "--jobs", "1", "--dataset", dataset, *more])


def test_a_dataset_replays_in_a_process_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert record("solitaire/pyramid/careful-v0", "--option", "passes=2") == 0
    assert "minari.load_dataset('solitaire/pyramid/careful-v0')" in capsys.readouterr().out
    done = subprocess.run([sys.executable, "-c", STRANGER], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    games, steps, told = map(int, done.stdout.split())
    assert games == 4
    assert steps == told > 100


@pytest.mark.parametrize("dataset", ["", "no id", "a/b/c", "../x-v0"])
def test_a_wrong_id_is_refused_before_games_are_played(
    dataset: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.setattr("solitaire_training.evaluation.record.record_games", None)
    assert record(dataset) == 2
    assert "expected a dataset id such as" in capsys.readouterr().err


def test_a_dataset_that_is_there_is_kept(capsys: pytest.CaptureFixture[str], datasets: Path) -> None:
    assert record("a-v0") == 0
    before = sorted(path.stat().st_mtime_ns for path in datasets.rglob("*"))
    assert record("a-v0") == 2
    assert "expected a new dataset, got 'a-v0'" in capsys.readouterr().err
    assert sorted(path.stat().st_mtime_ns for path in datasets.rglob("*")) == before
