"""What `cleanrl_ppo.py` has learned, as an agent in a comparison.

cd examples && python cleanrl_ppo.py --total-timesteps 1_000_000 --save cleanrl.safetensors
python examples/cleanrl_agent.py
cd examples && solitaire-rl compare --agents uniform,pyramid-first,cleanrl_agent:Model --deals 1000
"""

from pathlib import Path
from typing import Any

import gymnasium
import torch
from safetensors.torch import load_file

from cleanrl_ppo import Agent as Network
from cleanrl_ppo import Args
from solitaire_agents import Agent
from solitaire_envs.catalogue import find_entry
from solitaire_evaluation.play import play

FILE = Path(__file__).with_name("cleanrl.safetensors")
DEALS = range(100)


class Model(Agent):
    """Plays the likeliest legal action."""

    memoryless = True  # it always picks the same move in the same state

    def __init__(self, options: Any) -> None:
        space = gymnasium.make(Args.env_id).observation_space
        weights = load_file(FILE)
        self._network = Network(space, len(weights["actor.bias"]), len(weights["counts.bias"]))
        self._network.load_state_dict(weights)

    def act(self, observations: Any, action_masks: Any) -> Any:
        """Returns a legal action for each row: observations int16 [B, O], action_masks bool [B, A] -> int64 [B]."""
        with torch.no_grad():
            logits, _ = self._network(torch.as_tensor(observations))
        return logits.masked_fill(~torch.as_tensor(action_masks), -torch.inf).argmax(dim=1).numpy()


def main() -> None:
    """Plays a hundred deals; `solitaire-rl compare` tells intervals too."""
    game = find_entry(Args.env_id).game
    scores = play(Model(game.options()), game, game.options(), DEALS).column("score")
    print(f"mean score of deals 0 to {DEALS[-1]}: {scores.mean():.2f}")


if __name__ == "__main__":
    main()
