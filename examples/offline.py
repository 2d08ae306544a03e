"""Learns from a dataset of games, by behaviour cloning, and says how strong the clone is.

    pip install ".[datasets,train]"
    solitaire-rl record --agent planner --deals 1000 --dataset solitaire/pyramid/planner-v0
    python examples/offline.py --dataset solitaire/pyramid/planner-v0

The dataset needs Minari only, and brings the environment back. The clone is a plain network over the observation; moves
that are not legal are masked, in training as in play. It is tested on other deals than those of the dataset.
"""

import argparse
import math
from itertools import pairwise
from typing import Any

import gymnasium
import minari
import numpy as np
import torch
from torch import Tensor, nn

NO_MOVE = -1e9


def steps_of(dataset: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Returns observations [N, O], masks [N, A] and actions [N] of all games."""
    episodes = list(dataset.iterate_episodes())
    observations = np.concatenate([episode.observations[:-1] for episode in episodes])
    masks = np.concatenate([episode.infos["action_mask"][:-1] for episode in episodes])
    actions = np.concatenate([episode.actions for episode in episodes])
    return torch.as_tensor(observations).float(), torch.as_tensor(masks).bool(), torch.as_tensor(actions).long()


class Clone(nn.Module):
    """A network over the observation, scaled to about 1.

    Args:
        high: Largest value of each slot, [O].
        num_actions: Number of actions.
        width: Of its layers.
    """

    def __init__(self, high: Tensor, num_actions: int, width: int = 256) -> None:
        super().__init__()
        self.register_buffer("high", high.clamp(min=1))
        sizes = (len(high), width, width)
        layers = [part for a, b in pairwise(sizes) for part in (nn.Linear(a, b), nn.ReLU())]
        self.layers = nn.Sequential(*layers, nn.Linear(width, num_actions))

    def forward(self, observations: Tensor, masks: Tensor) -> Tensor:
        """Returns logits [B, A], those of illegal moves far below all others."""
        logits: Tensor = self.layers(observations / self.high)
        return logits.masked_fill(~masks, NO_MOVE)


def clone(steps: tuple[Tensor, Tensor, Tensor], high: Tensor, epochs: int = 20, batch_size: int = 256) -> Clone:
    """Fits a clone to the moves of a dataset."""
    torch.manual_seed(0)
    observations, masks, actions = steps
    model = Clone(high, masks.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        order, losses = torch.randperm(len(actions)), []
        for batch in order.split(batch_size):
            loss = nn.functional.cross_entropy(model(observations[batch], masks[batch]), actions[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1} of {epochs}: cross-entropy {np.mean(losses):.3f}", flush=True)
    return model


@torch.no_grad()
def play(model: Clone, env: gymnasium.Env[Any, Any], deals: range) -> list[dict[str, Any]]:
    """Plays deals by the likeliest moves; returns the outcome of each."""
    outcomes = []
    for deal in deals:
        observation, info = env.reset(options={"deal": deal})
        ended = False
        while not ended:
            masks = torch.as_tensor(info["action_mask"])[None].bool()
            action = int(model(torch.as_tensor(observation)[None].float(), masks).argmax())
            observation, _, terminated, truncated, info = env.step(action)
            ended = terminated or truncated
        outcomes.append(info)
    return outcomes


def wilson(successes: int, count: int) -> tuple[float, float]:
    """Returns Wilson's 95 % interval of a share."""
    z = 1.96
    share = successes / count
    centre, spread = share + z * z / (2 * count), z * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    return (centre - spread) / (1 + z * z / count), (centre + spread) / (1 + z * z / count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", default="solitaire/pyramid/planner-v0")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--deals", type=int, default=1_000, help="test deals 0..n-1")
    arguments = parser.parse_args()
    dataset = minari.load_dataset(arguments.dataset)
    env = dataset.recover_environment()
    space: Any = env.observation_space
    model = clone(steps_of(dataset), torch.as_tensor(space.high).float(), arguments.epochs)
    outcomes = play(model, env, range(arguments.deals))
    won = sum(bool(outcome["won"]) for outcome in outcomes)
    low, high = wilson(won, len(outcomes))
    score = np.mean([outcome["score"] for outcome in outcomes])
    share = f"won {100 * won / len(outcomes):.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
    print(f"{len(outcomes)} deals: {share}, mean score {score:.2f}")


if __name__ == "__main__":
    main()
