"""Pyramid as a TorchRL environment: the specs checked, then masked rollouts, random and by a policy.

pip install ".[torchrl]"
python examples/torchrl_env.py
"""

import argparse

import gymnasium
import torch
from tensordict import TensorDictBase
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_envs.wrappers import MaskInObservation, OneHotObservation


def make_env(env_id: str) -> TransformedEnv:
    """Returns the environment; its tensordicts hold ``observations``, float32 [O], and ``action_mask``, int8 [A]."""
    # An illegal action raises instead of being ignored: a mistake in the masking shows at once.
    game = MaskInObservation(OneHotObservation(gymnasium.make(env_id, illegal_action="raise")))
    # Actions are numbers (categorical), not one-hot vectors; ActionMask narrows the action spec at every step, so that
    # random actions (`env.rand_action`, a rollout without a policy) are legal ones.
    return TransformedEnv(GymWrapper(game, categorical_action_encoding=True), ActionMask())


class Logits(nn.Module):
    """A network of logits: observations [..., O] and masks [..., A] to logits [..., A] and masks, bool [..., A]."""

    def __init__(self, num_slots: int, num_actions: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(num_slots, 256), nn.ReLU(), nn.Linear(256, num_actions))

    def forward(self, observations: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Returns what `MaskedCategorical` is made from."""
        return self.layers(observations), action_mask.bool()


def make_policy(env: TransformedEnv) -> ProbabilisticActor:
    """Returns a policy (not trained) of legal actions only, as the losses of TorchRL want it."""
    logits = Logits(env.observation_spec["observations"].shape[-1], env.action_spec.space.n)
    return ProbabilisticActor(
        TensorDictModule(logits, in_keys=["observations", "action_mask"], out_keys=["logits", "mask"]),
        in_keys=["logits", "mask"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )


def share_legal(rollout: TensorDictBase) -> float:
    """Returns the share of a rollout's actions that were legal where they were chosen."""
    legal = rollout["action_mask"].gather(-1, rollout["action"].unsqueeze(-1))
    return float(legal.float().mean())


def main() -> None:
    """Checks the specs and plays."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="solitaire/Pyramid-v0", help="id of the environment")
    parser.add_argument("--steps", type=int, default=1_000, help="moves of a rollout")
    args = parser.parse_args()
    torch.manual_seed(0)
    env = make_env(args.env)
    env.set_seed(0)
    check_env_specs(env)
    # break_when_any_done=False: where an episode ends, the rollout deals anew and goes on.
    for name, policy in (("random", None), ("policy", make_policy(env))):
        rollout = env.rollout(args.steps, policy, break_when_any_done=False)
        episodes, reward = int(rollout["next", "done"].sum()), float(rollout["next", "reward"].sum())
        print(f"{name}: {len(rollout)} moves, {episodes} episodes ended, reward {reward:.0f}, ", end="")
        print(f"{share_legal(rollout):.0%} of the actions legal")


if __name__ == "__main__":
    main()
