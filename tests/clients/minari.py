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

# Deals as a range and as an array: the data set describes its environment as JSON.
for name, deals in (("range", range(2**63, 2**63 + 6)), ("array", np.arange(2**63, 2**63 + 6, dtype=np.uint64))):
    env = minari.DataCollector(gymnasium.make("solitaire/Pyramid-v0", deals=deals), record_infos=True)
    first, info = env.reset(seed=3)
    ended = False
    while not ended:
        _, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        ended = terminated or truncated
    env.create_dataset(f"mine/pyramid/{name}-v0")
    again = minari.load_dataset(f"mine/pyramid/{name}-v0").recover_environment()
    assert np.array_equal(again.reset(seed=3)[0], first)
    assert again.unwrapped.deal in deals
