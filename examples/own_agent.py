"""An agent of your own in a comparison: a rule for Pyramid in plain NumPy.

    python examples/own_agent.py
    cd examples && solitaire-rl compare --agents uniform,pyramid-first,own_agent:DeepCardsFirst --deals 1000

An agent needs a constructor that takes the game's options, and `act`. The command finds it as `module:class`.
"""

from typing import Any

import gymnasium
import numpy as np

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_agents import Agent
from solitaire_envs.pyramid_table import ACTIONS, PYRAMID_SIZE


class DeepCardsFirst(Agent):
    """Discards the pyramid cards that lie deepest; draws only when it can discard nothing from the pyramid."""

    memoryless = True  # it always picks the same move in the same state

    def __init__(self, options: Any) -> None:
        rows = np.repeat(np.arange(1, 8), np.arange(1, 8))  # of the 28 positions, the apex first
        self._worth = np.zeros(len(ACTIONS))
        for action, places in enumerate(ACTIONS):
            self._worth[action] = sum(rows[place] for place in places if 0 <= place < PYRAMID_SIZE)

    def act(self, observations: Any, action_masks: Any) -> Any:
        """Returns a legal action for each row: observations int16 [B, O], action_masks bool [B, A] -> int64 [B]."""
        return np.where(action_masks, self._worth, -1).argmax(axis=1)


def play(deal: int) -> dict[str, Any]:
    """Plays a deal of Pyramid and returns the outcome."""
    env: Any = gymnasium.make("solitaire/Pyramid-v0", illegal_action="raise").unwrapped
    agent = DeepCardsFirst(env.options)
    observation, info = env.reset(options={"deal": deal})
    ended = False
    while not ended:
        action = agent.act(observation[None], info["action_mask"][None].astype(bool))[0]
        observation, _, terminated, truncated, info = env.step(action)
        ended = terminated or truncated
    return info


def main() -> None:
    """Plays a hundred deals."""
    scores = [play(deal)["score"] for deal in range(100)]
    print(f"mean score of deals 0 to 99: {np.mean(scores):.2f}")


if __name__ == "__main__":
    main()
