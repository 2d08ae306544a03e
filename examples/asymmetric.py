"""An asymmetric critic: the critic sees the order of the stock in training, the actor never does.

    pip install ".[train]"
    python examples/asymmetric.py --steps 200_000

At play the critic is dropped: an action depends on `observation` alone, so an ordinary environment is enough.
"""

import argparse
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

import solitaire_envs  # noqa: F401  # registers the environments

ENV_ID = "solitaire/Pyramid-v0"
MOST = 15
"""Classes into which a slot is spread out: ranks are names, not amounts."""


class Part(BaseFeaturesExtractor):
    """Takes one part of the observation, each slot spread out."""

    def __init__(self, observation_space: spaces.Dict, part: str = "observation") -> None:
        box: Any = observation_space[part]
        super().__init__(observation_space, box.shape[0] * MOST)
        self.part = part

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Returns float [B, O * MOST]."""
        slots = observations[self.part].long().clamp(0, MOST - 1)
        return torch.nn.functional.one_hot(slots, MOST).flatten(1).float()


class Asymmetric(MaskableMultiInputActorCriticPolicy):
    """The actor takes `observation`, the critic `privileged`."""

    critic = "privileged"

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(
            *arguments,
            **keywords,
            features_extractor_class=Part,
            share_features_extractor=False,
            normalize_images=False,
        )

    def make_features_extractor(self) -> BaseFeaturesExtractor:
        """Builds the actor's, then the critic's."""
        part = self.critic if hasattr(self, "pi_features_extractor") else "observation"
        return Part(self.observation_space, part)  # type: ignore[arg-type]


def make_model(policy: type = Asymmetric, *, num_envs: int = 8, num_steps: int = 256, seed: int = 0) -> MaskablePPO:
    """Makes a model that has not learned yet."""
    envs = make_vec_env(ENV_ID, n_envs=num_envs, seed=seed, env_kwargs={"privileged": True})
    size = num_envs * num_steps // 4
    return MaskablePPO(policy, envs, n_steps=num_steps, batch_size=size, gamma=1.0, seed=seed, verbose=1)


def evaluate(model: MaskablePPO, deals: range) -> list[float]:
    """Returns the score of each deal, played by the actor alone in an ordinary environment."""
    env: Any = gymnasium.make(ENV_ID).unwrapped
    scores = []
    for deal in deals:
        observation, info = env.reset(options={"deal": deal})
        while info["action_mask"].any():
            seen = {"observation": observation, "privileged": np.zeros_like(observation)}  # what the actor never takes
            action, _ = model.predict(seen, action_masks=info["action_mask"].astype(bool), deterministic=True)
            observation, _, _, _, info = env.step(action)
        scores.append(float(info["score"]))
    return scores


def main() -> None:
    """Trains and evaluates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200_000, help="moves to train for; SB3 ends with a whole rollout")
    parser.add_argument("--deals", type=int, default=500, help="deals to evaluate on")
    args = parser.parse_args()
    scores = evaluate(make_model().learn(args.steps), range(args.deals))
    print(f"mean score of deals 0 to {args.deals - 1}: {np.mean(scores):.2f}")


if __name__ == "__main__":
    main()
