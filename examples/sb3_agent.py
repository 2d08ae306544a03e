"""A model that Stable-Baselines3 has saved, as an agent in a comparison.

    python examples/maskable_ppo.py --steps 100_000 --save examples/model.zip
    python examples/sb3_agent.py
    cd examples && solitaire-rl compare --agents uniform,pyramid-first,sb3_agent:Model --deals 1000

A `.zip` of SB3 holds pickled code, so no command loads one by itself. Your own module loads your own model. Load only
files that you trust.
"""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_agents import Agent, find_agent
from solitaire_envs.wrappers import OneHotObservation

ENV_ID = "solitaire/Pyramid-v0"
FILE = Path(__file__).with_name("model.zip")
DEALS = range(100)


class Model(Agent):
    """Plays the likeliest legal action of a saved MaskablePPO model."""

    memoryless = True  # it always picks the same move in the same state

    def __init__(self, options: Any, model: MaskablePPO | None = None) -> None:
        self._model = model or MaskablePPO.load(FILE, device="cpu")
        self._spread = OneHotObservation(gymnasium.make(ENV_ID))  # as in training

    def act(self, observations: Any, action_masks: Any) -> Any:
        """Returns a legal action for each row: observations int16 [B, O], action_masks bool [B, A] -> int64 [B]."""
        spread = np.stack([self._spread.observation(row) for row in observations])
        actions, _ = self._model.predict(spread, action_masks=action_masks, deterministic=True)
        return actions


def mean_score(name: str) -> float:
    """Plays all deals side by side with an agent; returns its mean score."""
    count = len(DEALS)
    envs: Any = gymnasium.make_vec(ENV_ID, num_envs=count, autoreset_mode="Disabled", illegal_action="raise").unwrapped
    agent = find_agent(name, envs.game, envs.options)
    observations, _ = envs.reset(options={"deal": DEALS})
    while not envs.engine.states.ended.all():
        playing = ~envs.engine.states.ended
        actions = np.zeros(count, dtype=np.int64)
        actions[playing] = agent.act(observations[playing], envs.action_masks()[playing])
        observations, *_ = envs.step(actions)
    return float(envs.engine.buffers.outcomes["score"].mean())


def main() -> None:
    """Compares the model with a rule on a few deals; `solitaire-rl compare` does it with intervals."""
    for name in (f"{__name__}:Model", "pyramid-first"):
        print(f"{name}: mean score of deals 0 to {DEALS[-1]}: {mean_score(name):.2f}")


if __name__ == "__main__":
    main()
