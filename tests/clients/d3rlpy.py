"""DiscreteCQL on a dataset of solitaire-rl record, then a game by its values of legal actions."""

import d3rlpy
import gymnasium
import minari
import numpy as np

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_training.commands.main import main

main(["record", "--agent", "careful", "--deals", "8", "--jobs", "1", "--dataset", "mine/pyramid/careful-v0"])
recorded = minari.load_dataset("mine/pyramid/careful-v0")
env = gymnasium.make("solitaire/Pyramid-v0", illegal_action="raise")
num_actions = int(env.action_space.n)
episodes = list(recorded)
dataset = d3rlpy.dataset.MDPDataset(
    observations=np.concatenate([episode.observations[:-1] for episode in episodes]).astype(np.float32),
    actions=np.concatenate([episode.actions for episode in episodes]),
    rewards=np.concatenate([episode.rewards for episode in episodes]),
    terminals=np.concatenate([episode.terminations for episode in episodes]),
    timeouts=np.concatenate([episode.truncations for episode in episodes]),
    action_space=d3rlpy.ActionSpace.DISCRETE,
    action_size=num_actions,
)
assert dataset.transition_count == recorded.total_steps
assert [episode.compute_return() for episode in dataset.episodes] == [
    episode.infos["score"][-1, 0] + 52 for episode in episodes
]

# The bounds of the space: slots that are constant in so few games have none in the dataset.
space = env.observation_space
scaler = d3rlpy.preprocessing.MinMaxObservationScaler(minimum=space.low, maximum=space.high)
learner = d3rlpy.algos.DiscreteCQLConfig(batch_size=32, gamma=1.0, observation_scaler=scaler).create()
history = learner.fit(
    dataset,
    n_steps=300,
    n_steps_per_epoch=100,
    logger_adapter=d3rlpy.logging.NoopAdapterFactory(),
    show_progress=False,
)
losses = [metrics["loss"] for _, metrics in history]
assert losses[-1] < losses[0]

observation, info = env.reset(seed=0)
terminated = truncated = False
while not (terminated or truncated):
    legal = np.flatnonzero(info["action_mask"])
    values = learner.predict_value(np.repeat(observation[None].astype(np.float32), len(legal), axis=0), legal)
    observation, _, terminated, truncated, info = env.step(legal[values.argmax()])
assert info["moves"] > 10
