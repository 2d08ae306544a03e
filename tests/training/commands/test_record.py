"""The command `record`: a Minari dataset that anybody can load."""

import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pytest
from minari.data_collector import EpisodeBuffer
from minari.namespace import list_local_namespaces

from solitaire_evaluation.people import Games
from solitaire_training.commands.main import main
from tests.training.evaluation.test_people import finish

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
    observation, info = env.reset(options={"deal": int(episode.infos["deal"][0, 0])})
    for step, action in enumerate(episode.actions):
        assert np.array_equal(observation, episode.observations[step])
        assert np.array_equal(info["action_mask"], episode.infos["action_mask"][step])
        observation, reward, terminated, truncated, info = env.step(action)
        assert reward == episode.rewards[step]
        assert (terminated, truncated) == (episode.terminations[step], episode.truncations[step])
        steps += 1
    assert terminated or truncated
    assert all(info[name] == episode.infos[name][-1, 0] for name in ("score", "won", "cleared", "moves"))
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
    monkeypatch.setattr("solitaire_evaluation.record.record_games", None)
    assert record(dataset) == 2
    assert "expected a dataset id such as" in capsys.readouterr().err


def test_a_dataset_that_is_there_is_kept(capsys: pytest.CaptureFixture[str], datasets: Path) -> None:
    assert record("a-v0") == 0
    before = sorted(path.stat().st_mtime_ns for path in datasets.rglob("*"))
    assert record("a-v0") == 2
    assert "expected a new dataset, got 'a-v0'" in capsys.readouterr().err
    assert sorted(path.stat().st_mtime_ns for path in datasets.rglob("*")) == before


KILLED = """
import os, signal
from minari.dataset._storages.arrow_storage import ArrowStorage
from solitaire_training.commands.main import main
ArrowStorage.update_episodes = lambda self, episodes: os.kill(os.getpid(), signal.SIGKILL)
main("record --agent careful --deals 4 --jobs 1 --dataset mine/a-v0".split())
"""


def test_a_recording_that_was_killed_leaves_no_dataset(datasets: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert list(datasets.iterdir())  # it had begun to write
    assert minari.list_local_datasets() == {}
    with pytest.raises(FileNotFoundError, match="not found locally"):
        minari.load_dataset("mine/a-v0")
    assert record("mine/a-v0") == 0
    assert len(minari.load_dataset("mine/a-v0")) == 4
    assert list_local_namespaces() == ["mine"]
    assert [path for path in datasets.iterdir() if path.is_dir()] == [datasets / "mine"]


def test_of_two_recordings_of_one_dataset_the_first_counts(
    datasets: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    create = minari.create_dataset_from_buffers

    def create_beside_another(*arguments: Any, **how: Any) -> Any:
        monkeypatch.setattr(minari, "create_dataset_from_buffers", create)
        (datasets / "a-v0").mkdir()
        return create(*arguments, **how)

    monkeypatch.setattr(minari, "create_dataset_from_buffers", create_beside_another)
    assert record("a-v0") == 2
    assert "expected a new dataset, got 'a-v0', which is there" in capsys.readouterr().err
    assert not list((datasets / "a-v0").iterdir())


FIELDS = ("observations", "actions", "rewards", "terminations", "truncations")


def content(episode: Any) -> dict[str, tuple[np.dtype[Any], Any]]:
    """Returns type and values of each array of an episode."""
    arrays = {**{name: getattr(episode, name) for name in FIELDS}, **episode.infos}
    return {name: (array.dtype, array.tolist()) for name, array in arrays.items()}


def deals(episodes: Any) -> list[int]:
    return [int(episode.infos["deal"][0, 0]) for episode in episodes]


@pytest.mark.parametrize(
    ("env", "agent"),
    [
        ("solitaire/Pyramid-v0", "careful"),
        ("solitaire/TourInfernale-v0", "thrifty"),
        ("solitaire/PyramidPar-v0", "careful"),
    ],
)
def test_minari_combines_filters_and_splits(env: str, agent: str) -> None:
    for number in (0, 1):
        assert record(f"part-v{number}", "--env", env, "--agent", agent, "--first", str(4 * number)) == 0
    parts = [minari.load_dataset(f"part-v{number}") for number in (0, 1)]
    games = [content(episode) for part in parts for episode in part]
    minari.combine_datasets(parts, "both-v0")
    both = minari.load_dataset("both-v0")
    again = minari.combine_datasets([both, parts[0]], "again-v0")
    assert [content(episode) for episode in both] == games
    assert [content(episode) for episode in again] == games + games[:4]
    last = deals(both)[-1]
    assert deals(again.filter_episodes(lambda episode: episode.infos["deal"][0, 0] == last)) == [last]
    first, second = minari.split_dataset(both, [5, 3], seed=0)
    assert sorted(deals(first) + deals(second)) == deals(both)


@pytest.mark.parametrize("data_format", ["arrow", "parquet"])
def test_minari_writes_what_it_has_read(data_format: str) -> None:
    assert record("a-v0") == 0
    read = minari.load_dataset("a-v0")
    buffers = [EpisodeBuffer(infos=one.infos, **{name: getattr(one, name) for name in FIELDS}) for one in read]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Minari asks for an author
        written = minari.create_dataset_from_buffers(
            "b-v0", buffers, env=read.recover_environment(), data_format=data_format
        )
    written.update_dataset_from_buffer(buffers)
    assert list(map(content, minari.load_dataset("b-v0"))) == 2 * list(map(content, read))


def test_games_are_no_longer_than_minari_reads(capsys: pytest.CaptureFixture[str]) -> None:
    long = ("--agent", "uniform", "--deals", "1", "--option", "passes=10000", "--option")
    assert record("a-v0", *long, "max_moves=32767") == 0
    assert [len(episode.actions) for episode in minari.load_dataset("a-v0")] == [32767]
    assert record("b-v0", *long, "max_moves=32768") == 2
    assert "expected games of at most 32,767 moves, got one of 32,768" in capsys.readouterr().err


def test_games_of_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    person = ("--agent", "human:ada", "--option", "max_moves=3", "--data", str(tmp_path))
    finish(Games(tmp_path), "ada", moves=())
    assert main(["record", *person, "--dataset", "a-v0"]) == 2
    assert "expected finished games of human:ada with moves, got none" in capsys.readouterr().err
    deal = finish(Games(tmp_path), "ada").deal
    assert main(["record", *person, "--dataset", "a-v0"]) == 0
    dataset = minari.load_dataset("a-v0")
    assert "on test deals" in dataset.storage.metadata["description"]
    assert deals(dataset) == [deal]
    assert dataset[0].truncations.tolist() == [False, False, True]
