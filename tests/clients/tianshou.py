"""DQN with masks: training with exploration, then games."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TransformObservation
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_envs.wrappers import MaskInObservation, OneHotObservation


def make_env() -> gymnasium.Env[Any, Any]:
    env = MaskInObservation(OneHotObservation(gymnasium.make("solitaire/Pyramid-v0", illegal_action="raise")))
    seen, mask = env.observation_space["observations"], env.observation_space["action_mask"]
    # Tianshou's names for them:
    return TransformObservation(
        env, lambda both: {"obs": both["observations"], "mask": both["action_mask"]}, spaces.Dict(obs=seen, mask=mask)
    )


env = make_env()
num_slots, num_actions = env.observation_space["obs"].shape[0], int(env.action_space.n)
policy = DiscreteQLearningPolicy(
    model=Net(state_shape=num_slots, action_shape=num_actions, hidden_sizes=[64]),
    action_space=env.action_space,
    eps_training=0.3,
)
learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=50)
training = Collector(
    learner, DummyVectorEnv([make_env for _ in range(4)]), VectorReplayBuffer(2_000, 4), exploration_noise=True
)
before = policy.model.model.model[0].weight.detach().clone()
learner.run_training(
    OffPolicyTrainerParams(
        training_collector=training,
        max_epochs=1,
        epoch_num_steps=800,
        collection_step_num_env_steps=40,
        update_step_num_gradient_steps_per_sample=0.1,
        show_progress=False,
    )
)
assert not policy.model.model.model[0].weight.equal(before)
played = training.buffer[:]
assert len(played) == 800
assert played.obs.mask[np.arange(800), played.act].all()

testing = Collector(learner, DummyVectorEnv([make_env for _ in range(2)]))
returns = testing.collect(n_episode=4, reset_before_collect=True).returns
games = testing.buffer[:]
assert set(games.info.keys()) == {*env.reset(seed=0)[1], "env_id"}
assert sorted(returns - 52) == sorted(games.info.score[games.done])
