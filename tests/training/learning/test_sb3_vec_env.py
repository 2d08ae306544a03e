"""The batched engine as a VecEnv of stable-baselines3."""

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy as maskable_evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

from solitaire_agents.uniform import UniformAgent
from solitaire_envs import pyramid, tour_infernale
from solitaire_training.sb3_vec_env import SolitaireVecEnv


def test_vec_env_keeps_the_books() -> None:
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 8, reward_scale=0.5)
    env.seed(0)
    env.reset()
    agent, returns, lengths, seen = UniformAgent(), np.zeros(8), np.zeros(8, dtype=int), 0
    for _ in range(200):
        observations, rewards, dones, infos = env.step(agent.act(np.zeros((8, 91), np.int16), env.action_masks()))
        returns += rewards / 0.5
        lengths += 1
        for index in np.flatnonzero(dones):
            info, seen = infos[index], seen + 1
            assert info["episode"] == {"r": returns[index], "l": lengths[index]}
            assert info["episode"]["r"] == info["score"] + 52
            assert info["is_success"] == info["won"]
            assert not info["TimeLimit.truncated"]
            assert info["terminal_observation"].shape == observations[index].shape
            assert not np.array_equal(info["terminal_observation"], observations[index])
        returns[dones], lengths[dones] = 0, 0
        assert all(not info for info, done in zip(infos, dones, strict=True) if not done)
    assert seen > 8


@pytest.mark.parametrize("evaluate", [evaluate_policy, maskable_evaluate_policy])
def test_evaluations_report_returns_that_are_not_scaled(evaluate: Any, recwarn: pytest.WarningsRecorder) -> None:
    """Each policy of the two is at liberty to play illegal moves, which are steps too."""
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 2, reward_scale=0.05)
    env.seed(0)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, device="cpu")
    recwarn.clear()
    kept: list[dict[str, Any]] = []

    def keep(inside: dict[str, Any], _: Any) -> None:
        kept.extend([inside["info"]] if inside["done"] else [])

    returns, lengths = evaluate(model, env, 4, deterministic=False, return_episode_rewards=True, callback=keep)
    assert not recwarn.list
    assert returns == [info["score"] + 52 for info in kept]
    assert all(length >= info["moves"] for length, info in zip(lengths, kept, strict=True))
    assert (lengths != [info["moves"] for info in kept]) == (evaluate is evaluate_policy)


def test_only_monitor_is_said_to_be_there() -> None:
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 2)
    assert env.env_is_wrapped(Monitor) == [True, True]
    assert env.env_is_wrapped(gymnasium.wrappers.TimeLimit, indices=[0]) == [False]


@pytest.mark.parametrize("actions", [np.zeros(1, np.int64), np.zeros(2), np.array([0, 285])])
def test_actions_that_are_none(actions: Any) -> None:
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 2)
    before = env.reset()
    with pytest.raises(ValueError, match=r"expected (2 integer actions|actions of 0\.\.284)"):
        env.step(actions)
    assert np.array_equal(env.engine.buffers.observations, before)
    env.step(np.zeros(2, dtype=">i8"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reward_scale": float("nan")}, "expected reward_scale to be a number of 0..1e.06, got nan"),
        ({"reward_scale": "1"}, "expected reward_scale to be a number"),
        ({"gamma": 1.5}, "expected gamma to be a number of 0..1, got 1.5"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 2, **arguments)
    with pytest.raises(ValueError, match=r"expected seed to be an integer of 0\.\.2\*\*64 - 1, got -1"):
        SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 2).seed(-1)


def test_what_a_step_returns_stays_as_it_is() -> None:
    """SB3 keeps observations until the next step is done."""
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 4)
    first = env.reset()
    second, rewards, dones, _ = env.step(np.zeros(4, dtype=np.int64))
    assert not np.array_equal(first, second)
    returned = (first, second, rewards, dones, env.action_masks())
    kept = [array.copy() for array in returned]
    for _ in range(30):  # to the end of the games
        env.step(env.action_masks().argmax(axis=1))
    for before, after in zip(kept, returned, strict=True):
        assert np.array_equal(before, after)


def test_seeds_have_no_deal_in_common_and_each_its_own_again() -> None:
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 8)
    dealt = []
    for seed in (0, 1, 0):
        env.seed(seed)
        dealt.append({row.tobytes() for row in env.reset()})
    assert len(dealt[0]) == 8
    assert dealt[0] == dealt[2]
    assert not dealt[0] & dealt[1]


@pytest.mark.parametrize("ends", [True, False])
def test_a_cut_off_episode_may_count_as_ended(ends: bool) -> None:
    options = tour_infernale.TourInfernaleOptions(max_moves=5)
    env = SolitaireVecEnv(tour_infernale.GAME, options, 2, gamma=1.0 if ends else 0.9)
    env.reset()
    for _ in range(5):
        _, _, dones, infos = env.step(np.zeros(2, dtype=np.int64))
    assert dones.all()
    assert [info["TimeLimit.truncated"] for info in infos] == [not ends] * 2


def test_masks_reach_sb3_contrib_in_one_block() -> None:
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 8)
    env.reset()
    masks = get_action_masks(env)
    assert masks.reshape(8, 285).tolist() == env.action_masks().tolist()
    assert len(env.env_method("action_masks")) == 1


def test_maskable_ppo_with_its_own_policy_runs_on_the_vec_env() -> None:
    env = SolitaireVecEnv(tour_infernale.GAME, tour_infernale.TourInfernaleOptions(), 4)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, device="cpu").learn(128)
    assert model.num_timesteps == 128


def test_processes_that_import_nothing_find_an_id_with_its_module() -> None:
    """As from a notebook; without the module, Gymnasium does not know the namespace there."""
    program = """
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv
name = "solitaire_envs:solitaire/Pyramid-v0"
envs = make_vec_env(name, 1, vec_env_cls=SubprocVecEnv, vec_env_kwargs={"start_method": "spawn"})
print(envs.reset().shape)
envs.close()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"(1, {pyramid.GAME.observation_size})"
