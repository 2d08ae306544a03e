"""DataCollector with infos; filter, split, combine; the environment from the dataset."""

import warnings

import gymnasium
import minari
import numpy as np

import solitaire_envs  # noqa: F401  # registers the environments

FIELDS = ("observations", "actions", "rewards", "terminations", "truncations")

warnings.simplefilter("ignore")  # Minari asks for an author
env = minari.DataCollector(gymnasium.make("solitaire/Pyramid-v0", illegal_action="raise"), record_infos=True)
names = set()
for deal in range(6):
    _, info = env.reset(seed=deal, options={"deal": deal})
    ended = False
    while not ended:
        names.add(tuple(info))
        _, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        ended = terminated or truncated
(keys,) = names
env.create_dataset("mine/pyramid/uniform-v0")

dataset = minari.load_dataset("mine/pyramid/uniform-v0")
assert len(dataset) == 6
for episode in dataset:
    masks = episode.infos["action_mask"]
    assert set(episode.infos) == set(keys)
    assert masks[np.arange(len(episode)), episode.actions].all()
    assert not masks[-1].any()
    assert episode.rewards.sum() == episode.infos["score"][-1] + 52

best = max(episode.infos["score"][-1] for episode in dataset)
assert 0 < len(dataset.filter_episodes(lambda episode: episode.infos["score"][-1] == best)) < 6
first, second = minari.split_dataset(dataset, sizes=[2, 4], seed=0)
assert sorted([*first.episode_indices, *second.episode_indices]) == list(range(6))
minari.combine_datasets([dataset, dataset], "mine/pyramid/both-v0")
both = minari.load_dataset("mine/pyramid/both-v0")
assert len(both) == 12
again = both.recover_environment()
for index, episode in enumerate(both):
    same = dataset[index % 6]
    assert all(np.array_equal(getattr(episode, name), getattr(same, name)) for name in FIELDS)
    assert all(np.array_equal(episode.infos[name], same.infos[name]) for name in keys)
    assert np.array_equal(again.reset(options={"deal": index % 6})[0], episode.observations[0])
