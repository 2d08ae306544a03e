"""A curriculum over bands of difficulty: MaskablePPO on Pyramid's winnable deals, the easiest first.

    pip install ".[train]"
    python examples/curriculum.py --steps 200_000

The bands are quantiles of the labelled training deals; docs/deals.md says of which measure.
"""

import argparse

from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_envs.wrappers import OneHotObservation

BANDS = [(0.0, 0.25), (0.0, 0.5), (0.0, 0.75), (0.0, 1.0)]


class Curriculum(BaseCallback):
    """Goes on to the next band after equal shares of the steps."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.steps, self.band = steps, -1

    def _on_rollout_start(self) -> None:
        band = min(len(BANDS) * self.num_timesteps // self.steps, len(BANDS) - 1)
        if band > self.band:
            self.band = band
            self.training_env.env_method("set_deals", winnable=True, difficulty=BANDS[band])

    def _on_step(self) -> bool:
        return True


def train(steps: int, *, num_envs: int = 8, num_steps: int = 256, seed: int = 0) -> MaskablePPO:
    """Trains a policy for `steps` moves or a little more: SB3 stops after whole rollouts."""
    envs = make_vec_env("solitaire/Pyramid-v0", n_envs=num_envs, seed=seed, wrapper_class=OneHotObservation)
    model = MaskablePPO(
        "MlpPolicy", envs, n_steps=num_steps, batch_size=num_envs * num_steps // 4, gamma=1.0, seed=seed, verbose=1
    )
    return model.learn(steps, callback=Curriculum(steps))


def main() -> None:
    """Trains, and saves the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200_000, help="moves to train for")
    parser.add_argument("--save", default="curriculum.zip", help="file to save the model to")
    args = parser.parse_args()
    train(args.steps).save(args.save)


if __name__ == "__main__":
    main()
