"""Wrappers."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from solitaire_envs.wrappers import MaskInObservation, OneHotObservation
from tests.environments import walk

pytestmark = pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")  # that is their purpose


@pytest.mark.parametrize("env_id", walk())
def test_mask_in_observation(env_id: str) -> None:
    env = MaskInObservation(gymnasium.make(env_id, disable_env_checker=True))
    check_env(env, skip_render_check=True)
    observation, info = env.reset(seed=0)
    for _ in range(30):
        assert np.array_equal(observation["action_mask"], info["action_mask"])
        action = env.action_space.sample(mask=observation["action_mask"])
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            observation, info = env.reset()


@pytest.mark.parametrize("env_id", walk())
def test_one_hot_observation_loses_nothing(env_id: str) -> None:
    plain = gymnasium.make(env_id, disable_env_checker=True)
    env = OneHotObservation(plain)
    check_env(env, skip_render_check=True)
    rng, seen = np.random.default_rng(0), {}
    _, info = env.reset(seed=0)
    for _ in range(60):
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        observation, _, terminated, truncated, info = env.step(action)
        assert env.observation_space.contains(observation)
        original = plain.unwrapped.engine.buffers.observations[0].tobytes()  # type: ignore[attr-defined]
        assert seen.setdefault(observation.tobytes(), original) == original
        if terminated or truncated:
            _, info = env.reset()


def test_one_hot_observation_of_another_environment() -> None:
    with pytest.raises(ValueError, match="expected an environment of solitaire_envs, got CartPoleEnv"):
        OneHotObservation(gymnasium.make("CartPole-v1"))
