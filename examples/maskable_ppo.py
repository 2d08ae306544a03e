"""MaskablePPO of sb3-contrib on Pyramid, with nothing but Gymnasium and sb3-contrib.

    pip install ".[train]"
    python examples/maskable_ppo.py --steps 100_000

sb3-contrib finds the legal actions by itself: it calls `action_masks()` of each environment. `solitaire-rl train` does
the same over a batched engine, many times faster; see docs/training.md.
"""

import argparse
from typing import Any

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_envs.wrappers import OneHotObservation

# An illegal action raises instead of being ignored: a mistake in the masking shows at once.
ENV_KWARGS = {"illegal_action": "raise"}


def make_model(
    env_id: str, *, num_envs: int = 8, num_steps: int = 256, seed: int = 0, **env_kwargs: Any
) -> MaskablePPO:
    """Makes a model that has not learned yet; `env_kwargs` go to `gymnasium.make`, such as the game's options."""
    envs = make_vec_env(
        env_id,
        n_envs=num_envs,
        seed=seed,
        wrapper_class=OneHotObservation,  # ranks are names, not amounts
        env_kwargs=ENV_KWARGS | env_kwargs,
        monitor_kwargs={"info_keywords": ("score", "won")},
    )
    return MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=num_steps,
        batch_size=num_envs * num_steps // 4,
        n_epochs=4,
        gamma=1.0,  # episodes end, and only the sum counts
        policy_kwargs={"net_arch": [256, 256]},
        seed=seed,
        verbose=1,
    )


def evaluate(model: MaskablePPO, env_id: str, deals: range) -> list[float]:
    """Returns the score of each deal, played with the likeliest legal action."""
    env = OneHotObservation(gymnasium.make(env_id, **ENV_KWARGS))
    scores = []
    for deal in deals:
        observation, info = env.reset(options={"deal": deal})  # a deal's number names one deck for ever
        ended = False
        while not ended:
            action, _ = model.predict(observation, action_masks=info["action_mask"].astype(bool), deterministic=True)
            observation, _, terminated, truncated, info = env.step(action)
            ended = terminated or truncated
        scores.append(float(info["score"]))
    return scores


def main() -> None:
    """Trains, saves and evaluates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="solitaire/Pyramid-v0", help="id of the environment")
    parser.add_argument("--steps", type=int, default=100_000, help="moves to train for; SB3 ends with a whole rollout")
    parser.add_argument("--deals", type=int, default=500, help="deals to evaluate on")
    parser.add_argument("--save", default=None, help="file to save the model to")
    args = parser.parse_args()
    model = make_model(args.env).learn(args.steps)
    if args.save:
        model.save(args.save)
    scores = evaluate(model, args.env, range(args.deals))
    print(f"mean score of deals 0 to {args.deals - 1}: {np.mean(scores):.2f}")


if __name__ == "__main__":
    main()
