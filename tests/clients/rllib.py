"""PPO of examples/rllib_ppo.py for an iteration, with a process that plays, then games."""

import os

from examples.rllib_ppo import REWARD_SCALE, evaluate, make_config, ray

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "error"}
ray.init(num_cpus=2, include_dashboard=False)
algorithm = make_config("solitaire/Pyramid-v0", batch_size=4_096, num_env_runners=1).build_algo()
results = algorithm.train()
assert results["env_runners"]["num_env_steps_sampled"] >= 4_096
assert 0 <= results["env_runners"]["episode_return_mean"] / REWARD_SCALE <= 102
assert results["learners"]["default_policy"]["entropy"] > 0
assert all(-52 <= score <= 50 for score in evaluate(algorithm, "solitaire/Pyramid-v0", range(3)))
algorithm.stop()
ray.shutdown()
