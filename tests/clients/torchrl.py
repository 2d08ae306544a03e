"""GymEnv by id, auto_register_info_dict, check_env_specs, ActionMask, a Collector with masks."""

import torch
from examples.torchrl_env import make_env, make_policy, share_legal
from torchrl.collectors import Collector
from torchrl.envs import ActionMask, GymEnv, TransformedEnv
from torchrl.envs.utils import check_env_specs

import solitaire_envs  # noqa: F401  # registers the environments

torch.manual_seed(0)
# It tries random actions, legal or not; the mask of the infos is the one that ActionMask looks for.
env = GymEnv("solitaire/Pyramid-v0", categorical_action_encoding=True).auto_register_info_dict()
assert isinstance(env, GymEnv)  # all infos have the same keys, so it has added nothing for missing ones
check_env_specs(env)
env = TransformedEnv(env, ActionMask())
env.set_seed(0)
check_env_specs(env)
games = env.rollout(500, break_when_any_done=False)["next"]
assert games["illegal_action"].sum() == 0
ended = games["done"][:, 0].nonzero()[:, 0].tolist()
assert len(ended) > 1
assert games["reward"][: ended[-1] + 1].sum() == (games["score"][ended] + 52).sum()

env = make_env("solitaire/Pyramid-v0")
collector = Collector(env, make_policy(env), frames_per_batch=200, total_frames=600)
batches = list(collector)
collector.shutdown()
assert [len(batch) for batch in batches] == [200, 200, 200]
assert all(share_legal(batch) == 1 for batch in batches)
