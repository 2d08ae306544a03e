"""PPO of RLlib (new API stack) on Pyramid, with action masking.

    pip install ".[ray]"    # in an environment of its own: Ray pins its Gymnasium
    python examples/rllib_ppo.py --iterations 10

RLlib's own `ActionMaskingTorchRLModule` wants observations of the form that `MaskInObservation` gives.
"""

import argparse
from typing import Any

import gymnasium
import numpy as np
import ray
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_envs.wrappers import MaskInObservation, OneHotObservation


def make_env(config: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    """Returns the environment: ``{"observations": float32 [O], "action_mask": int8 [A]}``."""
    # An illegal action raises instead of being ignored: a mistake in the masking shows at once.
    return MaskInObservation(OneHotObservation(gymnasium.make(config["id"], illegal_action="raise")))


def make_config(env_id: str, *, batch_size: int = 4_000, num_env_runners: int = 0) -> PPOConfig:
    """Returns a small configuration; with no env runners, everything runs in this process."""
    register_env("solitaire", make_env)
    return (
        PPOConfig()
        .environment("solitaire", env_config={"id": env_id})
        .env_runners(num_env_runners=num_env_runners, num_envs_per_env_runner=8)
        .learners(num_learners=0)
        .training(
            train_batch_size_per_learner=batch_size,
            minibatch_size=min(batch_size, 1_000),
            num_epochs=4,
            lr=3e-4,
            gamma=1.0,  # episodes end, and only the sum counts
            vf_clip_param=1_000.0,  # RLlib's default of 10 is for returns of the order of 1
            entropy_coeff=0.01,
        )
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule,
                model_config=DefaultModelConfig(fcnet_hiddens=[256, 256], fcnet_activation="relu"),
            )
        )
    )


def evaluate(algorithm: Algorithm, env_id: str, deals: range) -> list[float]:
    """Returns the score of each deal, played with the likeliest legal action."""
    env, module = make_env({"id": env_id}), algorithm.get_module()
    scores = []
    for deal in deals:
        observation, info = env.reset(options={"deal": deal})  # a deal's number names one deck for ever
        ended = False
        while not ended:
            batch = {key: torch.as_tensor(value)[None] for key, value in observation.items()}
            with torch.no_grad():
                logits = module.forward_inference({Columns.OBS: batch})[Columns.ACTION_DIST_INPUTS]
            observation, _, terminated, truncated, info = env.step(int(logits.argmax()))
            ended = terminated or truncated
        scores.append(float(info["score"]))
    return scores


def main() -> None:
    """Trains and evaluates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="solitaire/Pyramid-v0", help="id of the environment")
    parser.add_argument("--iterations", type=int, default=10, help="rollouts of --batch-size moves")
    parser.add_argument("--batch-size", type=int, default=4_000, help="moves of a rollout")
    parser.add_argument("--runners", type=int, default=0, help="processes that play; 0: this one")
    parser.add_argument("--deals", type=int, default=200, help="deals to evaluate on")
    args = parser.parse_args()
    ray.init(num_cpus=args.runners + 1, include_dashboard=False)
    algorithm = make_config(args.env, batch_size=args.batch_size, num_env_runners=args.runners).build_algo()
    for iteration in range(args.iterations):
        played = algorithm.train()["env_runners"]
        mean = played.get("episode_return_mean", float("nan"))
        print(f"iteration {iteration + 1}: mean return {mean:.2f} of the latest episodes")
    scores = evaluate(algorithm, args.env, range(args.deals))
    print(f"mean score of deals 0 to {args.deals - 1}: {np.mean(scores):.2f}")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
