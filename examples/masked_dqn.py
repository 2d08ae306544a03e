"""DQN of Stable-Baselines3 with masks, on Pyramid. DQN itself does not know which actions are illegal.

    python examples/masked_dqn.py --steps 100_000 --save examples/dqn.zip
    cd examples && solitaire-rl compare --agents pyramid-first,masked_dqn:Model --deals 1000

The mask is a part of the observation, so it is in the replay buffer too. The network gives illegal actions the lowest
value that there is. So neither the greedy action nor the maximum in the target of the next state is ever one of them.
"""

import argparse
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.dqn.policies import MultiInputPolicy, QNetwork
from torch import nn

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_agents import Agent
from solitaire_envs.catalogue import find_entry
from solitaire_envs.wrappers import MOST_CLASSES, MaskInObservation
from solitaire_evaluation.play import play

ENV_ID = "solitaire/Pyramid-v0"
FILE = Path(__file__).with_name("dqn.zip")


class OneHot(BaseFeaturesExtractor):
    """A linear layer over the slots of an observation, one-hot: a sum of a row for each slot."""

    def __init__(self, space: gymnasium.spaces.Dict, size: int = 256) -> None:
        super().__init__(space, size)
        classes: Any = space["observations"].high.astype(int) + 1  # type: ignore[attr-defined]  # a Box
        self._slots = np.flatnonzero(classes <= MOST_CLASSES)  # counts are left out
        ends = np.cumsum(classes[self._slots])
        self.register_buffer("starts", torch.as_tensor(np.concatenate([[0], ends[:-1]])))
        self.rows = nn.EmbeddingBag(int(ends[-1]), size, mode="sum")
        nn.init.normal_(self.rows.weight, std=len(self._slots) ** -0.5)

    def forward(self, observation: dict[str, torch.Tensor]) -> torch.Tensor:
        """Returns the features, [B, size]."""
        return torch.relu(self.rows(observation["observations"][:, self._slots].long() + self.starts))


class MaskedQNetwork(QNetwork):
    """Values of actions; illegal ones have the lowest value that there is."""

    def forward(self, obs: Any) -> torch.Tensor:
        """Returns the values, [B, A]."""
        values = super().forward(obs)
        return values.masked_fill(obs["action_mask"] == 0, torch.finfo(values.dtype).min)


class MaskedPolicy(MultiInputPolicy):
    """DQN's policy over such a network."""

    def make_q_net(self) -> MaskedQNetwork:
        """Makes the network, and the target network."""
        return MaskedQNetwork(**self._update_features_extractor(self.net_args)).to(self.device)


class MaskedDQN(DQN):
    """DQN that explores legal actions only."""

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        """Returns the best legal action, or in training now and then a random one, for each environment."""
        actions, state = self.policy.predict(observation, state, episode_start, deterministic)
        if not deterministic:
            masks, rng = np.atleast_2d(observation["action_mask"]), self.action_space.np_random
            for place in np.flatnonzero(rng.random(len(masks)) < self.exploration_rate):
                actions.reshape(-1)[place] = rng.choice(np.flatnonzero(masks[place]))
        return actions, state


def make_model(env_id: str, *, num_envs: int = 8, seed: int = 0, **env_kwargs: Any) -> MaskedDQN:
    """Makes a model that has not learned yet; `env_kwargs` go to `gymnasium.make`, such as the game's options."""
    envs = make_vec_env(
        env_id,
        n_envs=num_envs,
        seed=seed,
        wrapper_class=MaskInObservation,
        env_kwargs={"illegal_action": "raise"} | env_kwargs,
        monitor_kwargs={"info_keywords": ("score", "won")},
    )
    return MaskedDQN(
        MaskedPolicy,
        envs,
        learning_rate=1e-4,
        buffer_size=100_000,
        learning_starts=0,  # else SB3 draws the first actions by itself, without masks
        batch_size=128,
        gamma=0.98,  # with 1.0, values that are learned from their own maxima rise without end
        train_freq=2,
        target_update_interval=5_000,
        exploration_fraction=0.2,
        exploration_final_eps=0.02,
        policy_kwargs={"features_extractor_class": OneHot, "net_arch": [256]},
        seed=seed,
        verbose=1,
    )


class Model(Agent):
    """Plays the best legal action of a saved model. Load only files that you trust: SB3's hold pickled code."""

    memoryless = True  # it always picks the same move in the same state

    def __init__(self, options: Any, model: MaskedDQN | None = None) -> None:
        self._model = model or MaskedDQN.load(FILE, device="cpu")

    def act(self, observations: Any, action_masks: Any) -> Any:
        """Returns a legal action for each row: observations int16 [B, O], action_masks bool [B, A] -> int64 [B]."""
        seen = {"observations": observations, "action_mask": action_masks.astype(np.int8)}
        return self._model.predict(seen, deterministic=True)[0]


def main() -> None:
    """Trains, saves and evaluates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default=ENV_ID, help="id of the environment")
    parser.add_argument("--steps", type=int, default=100_000, help="moves to train for")
    parser.add_argument("--deals", type=int, default=500, help="deals to evaluate on")
    parser.add_argument("--save", default=None, help="file to save the model to")
    args = parser.parse_args()
    model = make_model(args.env).learn(args.steps)
    if args.save:
        model.save(args.save)
    entry = find_entry(args.env)
    options = entry.game.options(**entry.preset)
    scores = play(Model(options, model), entry.game, options, range(args.deals)).column("score")
    print(f"mean score of deals 0 to {args.deals - 1}: {scores.mean():.2f}")


if __name__ == "__main__":
    main()
