"""PPO of RLlib (new API stack) on Pyramid, with a small network as an RLModule that masks actions.

    pip install ".[ray]"    # in an environment of its own: Ray pins its Gymnasium
    python examples/rllib_ppo.py --iterations 40
    python examples/rllib_ppo.py --address auto --runners 16    # on a running cluster

The module takes observations of the form that `MaskInObservation` gives, spread out by `OneHotObservation`.
"""

import argparse
from typing import Any

import gymnasium
import numpy as np
import ray
import torch
from gymnasium.wrappers import TransformReward
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from ray.rllib.utils.torch_utils import FLOAT_MIN
from ray.tune.registry import register_env
from torch import nn

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_envs.wrappers import MaskInObservation, OneHotObservation

REWARD_SCALE = 0.05
"""Keeps values near 1, so that the loss of the value does not drown that of the policy."""


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Two layers, then the logits and the value; those of illegal actions are as low as can be."""

    def setup(self) -> None:
        """Builds the network."""
        slots, width = self.observation_space["observations"].shape[0], self.model_config["width"]
        self.trunk = nn.Sequential(nn.Linear(slots, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.actor, self.critic = nn.Linear(width, int(self.action_space.n)), nn.Linear(width, 1)

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        hidden = self.trunk(seen["observations"])
        logits = self.actor(hidden).masked_fill(seen["action_mask"] == 0, FLOAT_MIN)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: hidden}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Returns the values [B]."""
        if embeddings is None:
            embeddings = self.trunk(batch[Columns.OBS]["observations"])
        return self.critic(embeddings)[:, 0]


def make_env(config: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    """Returns the environment: ``{"observations": float32 [slots], "action_mask": int8 [A]}``."""
    # An illegal action raises instead of being ignored: a mistake in the masking shows at once.
    env = MaskInObservation(OneHotObservation(gymnasium.make(config["id"], illegal_action="raise")))
    return TransformReward(env, lambda reward: REWARD_SCALE * float(reward))


def make_config(env_id: str, *, batch_size: int = 16_000, num_env_runners: int = 0) -> PPOConfig:
    """Returns a configuration; with no env runners, everything runs in this process."""
    register_env("solitaire", make_env)
    return (
        PPOConfig()
        .environment("solitaire", env_config={"id": env_id})
        .env_runners(num_env_runners=num_env_runners, num_envs_per_env_runner=32)
        .learners(num_learners=0)
        .training(
            train_batch_size_per_learner=batch_size,
            minibatch_size=min(batch_size, 2_000),
            num_epochs=3,
            lr=1e-3,
            gamma=1.0,  # episodes end, and only the sum counts
            lambda_=0.95,
            clip_param=0.2,
            use_kl_loss=False,
            vf_loss_coeff=0.5,
            vf_clip_param=100.0,  # scaled returns stay far below
            entropy_coeff=0.01,
            grad_clip=0.5,
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule, model_config={"width": 256}))
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
    parser.add_argument("--iterations", type=int, default=40, help="rollouts of --batch-size moves")
    parser.add_argument("--batch-size", type=int, default=16_000, help="moves of a rollout")
    parser.add_argument("--runners", type=int, default=0, help="processes that play; 0: this one")
    parser.add_argument("--deals", type=int, default=1_000, help="deals to evaluate on")
    parser.add_argument("--address", help="of a running cluster, or auto (default: one of its own, on this machine)")
    args = parser.parse_args()
    own = {} if args.address else {"num_cpus": args.runners + 1, "include_dashboard": False}
    ray.init(address=args.address, **own)
    algorithm = make_config(args.env, batch_size=args.batch_size, num_env_runners=args.runners).build_algo()
    for iteration in range(args.iterations):
        played = algorithm.train()["env_runners"]
        mean = played.get("episode_return_mean", float("nan")) / REWARD_SCALE
        print(f"iteration {iteration + 1}: mean return {mean:.2f} of the latest episodes")
    scores = evaluate(algorithm, args.env, range(args.deals))
    print(f"mean score of deals 0 to {args.deals - 1}: {np.mean(scores):.2f}")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
