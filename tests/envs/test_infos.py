"""Infos: the same keys and types in each of them, so that libraries can tabulate them."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from stable_baselines3.common.monitor import Monitor

from solitaire_envs.catalogue import find_entry
from tests.environments import walk

IDS = walk()
ENDINGS: dict[str, dict[str, Any]] = {
    "the time limit": {"max_episode_steps": 7},
    "max_moves": {"max_moves": 7},
    "illegal actions": {"max_illegal_actions": 3},
    "the game": {},
}


def play(env: Any, seed: int = 0, steps: int = 1_500, illegal: bool = False) -> Iterator[tuple[dict[str, Any], bool]]:
    """Plays random legal actions to the end of an episode; yields each info, and whether it is the last."""
    rng = np.random.default_rng(seed)
    _, info = env.reset(seed=seed)
    yield info, False
    for _ in range(steps):
        action = rng.choice(np.flatnonzero(info["action_mask"] == (0 if illegal else 1)))
        *_, terminated, truncated, info = env.step(int(action))
        yield info, terminated or truncated
        if terminated or truncated:
            return


def kinds(info: dict[str, Any]) -> dict[str, Any]:
    return {key: (type(value), value.dtype, value.shape) for key, value in info.items()}


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_every_info_of_an_environment_has_the_same_keys_and_types(env_id: str, ending: str) -> None:
    env: Any = gymnasium.make(env_id, disable_env_checker=True, **ENDINGS[ending])
    fields = [one.name for one in find_entry(env_id).game.outcome_fields]
    expected = {"action_mask": (np.ndarray, np.dtype("i1"), (env.action_space.n,))}
    expected |= {name: (np.int64, np.dtype("i8"), ()) for name in ("illegal_action", *fields)}
    for _info, _last in play(env, illegal=ending == "illegal actions"):
        assert kinds(_info) == expected
        assert {name: _info[name] for name in fields} == env.unwrapped.outcome()
    assert _last or env_id == "solitaire/TourInfernale-v0"
    assert kinds(env.unwrapped.set_state(env.unwrapped.get_state())[1]) == expected


def test_an_info_of_a_game_put_back_tells_of_no_action() -> None:
    env: Any = gymnasium.make(IDS[0]).unwrapped
    env.reset(seed=0)
    state = env.get_state()
    assert env.step(1)[4]["illegal_action"] == 1
    assert env.set_state(state)[1]["illegal_action"] == 0


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_every_info_of_a_vector_environment_has_the_same_keys_and_types(env_id: str, mode: AutoresetMode) -> None:
    size = 4
    envs: Any = gymnasium.make_vec(env_id, num_envs=size, autoreset_mode=mode, max_episode_steps=9)
    _, info = envs.reset(seed=0)
    fields = ("illegal_action", *(one.name for one in envs.unwrapped.game.outcome_fields))
    expected: dict[str, Any] = {"action_mask": (np.ndarray, np.dtype("i1"), (size, envs.single_action_space.n))}
    expected |= {name: (np.ndarray, np.dtype("i8"), (size,)) for name in fields}
    expected |= {f"_{name}": (np.ndarray, np.dtype("?"), (size,)) for name in list(expected)}
    finals = 0
    for step in range(40):
        final = info.pop("final_info", None)
        if final is not None:
            assert kinds(final) == expected
            ended, finals = info.pop("_final_info"), finals + 1
            assert all((final[f"_{name}"] == ended).all() for name in ("action_mask", *fields))
            assert (final["moves"][ended] <= 9).all()
            cut_off = final["action_mask"][ended].any(axis=1)  # there were moves left
            assert (cut_off == (final["moves"][ended] == 9)).all()
            assert not any(final[name][~ended].any() for name in ("action_mask", *fields))
            assert (info["moves"][ended] == 0).all()
            info = {key: value for key, value in info.items() if "final_obs" not in key}
        assert kinds(info) == expected
        assert all(info[f"_{name}"].all() for name in ("action_mask", *fields))
        *_, terminated, truncated, info = envs.step(envs.action_masks().argmax(axis=1))
        if mode is AutoresetMode.DISABLED and (terminated | truncated).any():
            _, info = envs.reset(options={"reset_mask": terminated | truncated})
        assert step < 8 or not (info["moves"] > 9).any()
    assert (finals > 2) == (mode is AutoresetMode.SAME_STEP)


def test_a_reset_of_some_tells_nothing_of_the_step_before() -> None:
    envs: Any = gymnasium.make_vec(IDS[0], num_envs=2, autoreset_mode="SameStep", max_episode_steps=1)
    envs.reset(seed=0)
    assert "final_info" in envs.step(np.array([1, 1]))[4]
    _, info = envs.reset(options={"reset_mask": np.array([True, False])})
    assert "final_info" not in info
    assert not info["illegal_action"].any()


def test_gymnasiums_vector_environment_makes_integers_of_them() -> None:
    envs = SyncVectorEnv([lambda: gymnasium.make(IDS[0]) for _ in range(2)])
    _, info = envs.reset(seed=0)
    assert {key: value.dtype.str for key, value in info.items() if key[0] != "_"} == {
        "action_mask": "|i1",
        **dict.fromkeys(("illegal_action", "score", "won", "cleared", "cleared_in_pass", "passes", "moves"), "<i8"),
    }


# --- Libraries --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
def test_monitor_of_stable_baselines(ending: str, tmp_path: Path) -> None:
    env = gymnasium.make(IDS[0], disable_env_checker=True, **ENDINGS[ending])
    monitored = Monitor(env, str(tmp_path / "run"), info_keywords=("score", "won"))
    for info, last in play(monitored, illegal=ending == "illegal actions"):
        assert ("episode" in info) == last
    monitored.close()
    _, header, row = csv.reader((tmp_path / "run.monitor.csv").read_text().splitlines())
    told = dict(zip(header, row, strict=True))
    assert (int(told["score"]), int(told["won"])) == (info["score"], info["won"])


@pytest.mark.filterwarnings("default")  # Minari's own
@pytest.mark.parametrize("data_format", ["hdf5", "arrow", "parquet"])
def test_data_collector_of_minari(data_format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari")
    pytest.importorskip("jax")
    pytest.importorskip("h5py" if data_format == "hdf5" else "pyarrow")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    env = minari.DataCollector(gymnasium.make(IDS[0], max_episode_steps=20), record_infos=True, data_format=data_format)
    played = [[info for info, _ in play(env, seed=seed)] for seed in (2**64 - 1, 1)]
    dataset = env.create_dataset("solitaire/collected-v0")
    for episode, infos in zip(dataset.iterate_episodes(), played, strict=True):
        assert episode.infos.keys() == infos[0].keys()
        for key, values in episode.infos.items():
            assert np.array_equal(values, [info[key] for info in infos])


@pytest.mark.parametrize("env_id", IDS)
def test_info_dict_of_torchrl(env_id: str) -> None:
    torch, envs = pytest.importorskip("torch"), pytest.importorskip("torchrl.envs")
    env = envs.GymEnv(env_id, max_episode_steps=20).auto_register_info_dict()
    rollout = env.rollout(60, break_when_any_done=False)
    assert (rollout["next", "moves"] >= rollout["moves"]).all()
    assert rollout["score"].dtype == rollout["next", "illegal_action"].dtype == torch.int64
