"""MaskablePPO of sb3-contrib on Pyramid, with nothing but Gymnasium and sb3-contrib.

    pip install ".[train]"
    python examples/maskable_ppo.py --steps 100_000

sb3-contrib finds the legal actions by itself: it calls `action_masks()` of each environment. `solitaire-rl train` does
the same over a batched engine, many times faster; see docs/training.md.
"""

import argparse

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_envs.wrappers import OneHotObservation

# An illegal action raises instead of being ignored: a mistake in the masking shows at once.
ENV_KWARGS = {"illegal_action": "raise"}


def train(env_id: str, steps: int, *, num_envs: int = 8, num_steps: int = 256, seed: int = 0) -> MaskablePPO:
    """Trains a policy for `steps` moves or a little more: SB3 stops after whole rollouts of `num_envs * num_steps`."""
    envs = make_vec_env(
        env_id,
        n_envs=num_envs,
        seed=seed,
        wrapper_class=OneHotObservation,  # ranks are names, not amounts
        env_kwargs=ENV_KWARGS,
        monitor_kwargs={"info_keywords": ("score", "won")},
    )
    model = MaskablePPO(
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
    return model.learn(steps)


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
    parser.add_argument("--steps", type=int, default=100_000, help="moves to train for")
    parser.add_argument("--deals", type=int, default=500, help="deals to evaluate on")
    parser.add_argument("--save", default=None, help="file to save the model to")
    args = parser.parse_args()
    model = train(args.env, args.steps)
    if args.save:
        model.save(args.save)
    scores = evaluate(model, args.env, range(args.deals))
    print(f"mean score of deals 0 to {args.deals - 1}: {np.mean(scores):.2f}")


if __name__ == "__main__":
    main()
