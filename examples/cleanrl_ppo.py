"""Masked PPO in one file, in the manner of CleanRL: read it from top to bottom, copy it, change it.

    pip install ".[train]"
    python examples/cleanrl_ppo.py --total-timesteps 1_000_000

After https://github.com/vwxyzjn/cleanrl (ppo.py, MIT licence). What differs from PPO on any environment is marked MASK.
"""

import argparse
import time
from dataclasses import dataclass, fields

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.distributions import Categorical

import solitaire_envs  # noqa: F401  # registers the environments


@dataclass(frozen=True)
class Args:
    """The settings; each is an argument of the command line."""

    env_id: str = "solitaire/Pyramid-v0"
    """id of the environment"""
    seed: int = 1
    """seed of the deals, the network and the choice of actions"""
    total_timesteps: int = 1_000_000
    """moves to train for, over all environments"""
    learning_rate: float = 1e-3
    """learning rate of Adam at the beginning; it falls to 0 in a straight line"""
    num_envs: int = 256
    """games side by side"""
    num_steps: int = 64
    """moves in each game between two updates"""
    gamma: float = 1.0
    """discount; 1, for episodes end and only the sum of rewards counts"""
    gae_lambda: float = 0.95
    """lambda of generalized advantage estimation"""
    num_minibatches: int = 8
    """parts of a rollout, one gradient step each"""
    update_epochs: int = 4
    """times that each rollout is gone through"""
    clip_coef: float = 0.2
    """how far the ratio of probabilities may move, either way"""
    ent_coef: float = 0.01
    """weight of the entropy"""
    vf_coef: float = 0.5
    """weight of the value's loss"""
    max_grad_norm: float = 0.5
    """longest gradient"""
    reward_scale: float = 0.05
    """rewards are multiplied by it, so that returns are of the order of 1"""
    width: int = 256
    """units of a hidden layer"""
    save: str = ""
    """file to save the weights to"""


class Agent(nn.Module):
    """Logits and value of observations."""

    def __init__(self, space: gymnasium.spaces.Box, num_actions: int, width: int) -> None:
        super().__init__()
        low, high = torch.as_tensor(space.low).long(), torch.as_tensor(space.high).long()
        # Most slots name a card: one weight for each value. Wide slots count something: scaled. Both, summed up, are
        # the first linear layer over the observation spread out to 0s and 1s, without spreading it out.
        names = high - low < 64
        sizes = (high - low + 1)[names]
        self.register_buffer("names", names)
        self.register_buffer("first", sizes.cumsum(0) - sizes - low[names])
        self.cards = nn.EmbeddingBag(int(sizes.sum()), width, mode="sum")
        nn.init.normal_(self.cards.weight, std=len(sizes) ** -0.5)
        self.counts = nn.Linear(int((~names).sum()), width)
        self.trunk = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.actor, self.critic = nn.Linear(width, num_actions), nn.Linear(width, 1)
        nn.init.orthogonal_(self.actor.weight, 0.01)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Returns logits [B, A] and values [B] of observations, int [B, O]."""
        hidden = self.cards(observations[:, self.names].long() + self.first)
        hidden = self.trunk(hidden + self.counts(observations[:, ~self.names] / 10.0))
        return self.actor(hidden), self.critic(hidden)[:, 0]


def masked_categorical(logits: Tensor, masks: Tensor) -> Categorical:
    """MASK: illegal actions have probability 0, and no part in the entropy or the gradient."""
    return Categorical(logits=logits.masked_fill(~masks, torch.finfo(logits.dtype).min), validate_args=False)


def train(args: Args) -> tuple[Agent, list[dict[str, float]]]:  # noqa: PLR0915  # one story, from top to bottom
    """Returns the agent and what was logged, one record an iteration."""
    torch.manual_seed(args.seed)
    # SAME_STEP: when an episode ends, the same step deals anew. Its observation and mask are the new deal's; what the
    # old one left is in infos["final_obs"] and infos["final_info"]. So there are no steps to be left out of the batch.
    envs = gymnasium.make_vec(
        args.env_id, num_envs=args.num_envs, autoreset_mode=AutoresetMode.SAME_STEP, illegal_action="raise"
    )
    space, num_actions = envs.single_observation_space, int(envs.single_action_space.n)
    agent = Agent(space, num_actions, args.width)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros((*shape, *space.shape), dtype=torch.int16)
    masks = torch.zeros((*shape, num_actions), dtype=torch.bool)  # MASK: kept, for the update needs them again
    actions = torch.zeros(shape, dtype=torch.int64)
    logprobs, rewards, values, dones = (torch.zeros(shape) for _ in range(4))

    next_obs, infos = envs.reset(seed=args.seed)
    history: list[dict[str, float]] = []
    batch_size = args.num_steps * args.num_envs
    num_iterations = max(args.total_timesteps // batch_size, 1)
    start = time.time()
    for iteration in range(num_iterations):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1.0 - iteration / num_iterations)
        scores: list[float] = []
        for step in range(args.num_steps):
            obs[step] = torch.as_tensor(next_obs)
            masks[step] = torch.as_tensor(infos["action_mask"]).bool()
            with torch.no_grad():
                logits, values[step] = agent(obs[step])
            policy = masked_categorical(logits, masks[step])
            actions[step] = policy.sample()
            logprobs[step] = policy.log_prob(actions[step])
            next_obs, reward, terminated, truncated, infos = envs.step(actions[step].numpy())
            rewards[step] = torch.as_tensor(reward) * args.reward_scale
            dones[step] = torch.as_tensor(terminated | truncated)
            if dones[step].any():
                scores += infos["final_info"]["score"][infos["_final_info"]].tolist()
            cut = np.flatnonzero(truncated & ~terminated)
            if len(cut):  # cut off, not over: the value of where it stood stands for the rest
                final_obs = torch.as_tensor(np.stack(infos["final_obs"][cut]))
                with torch.no_grad():
                    rewards[step, cut] += args.gamma * agent(final_obs)[1]

        with torch.no_grad():
            next_value = agent(torch.as_tensor(next_obs))[1]
        advantages, last = torch.zeros(shape), torch.zeros(args.num_envs)
        for step in reversed(range(args.num_steps)):
            goes_on = 1.0 - dones[step]
            delta = rewards[step] + args.gamma * next_value * goes_on - values[step]
            advantages[step] = last = delta + args.gamma * args.gae_lambda * goes_on * last
            next_value = values[step]
        returns = advantages + values

        b_obs, b_masks = obs.flatten(0, 1), masks.flatten(0, 1)
        b_actions, b_logprobs = actions.flatten(), logprobs.flatten()
        b_advantages, b_returns = advantages.flatten(), returns.flatten()
        for _ in range(args.update_epochs):
            for rows in torch.randperm(batch_size).chunk(args.num_minibatches):
                logits, value = agent(b_obs[rows])
                policy = masked_categorical(logits, b_masks[rows])  # MASK: the very masks the action was drawn under
                ratio = (policy.log_prob(b_actions[rows]) - b_logprobs[rows]).exp()
                advantage = b_advantages[rows]
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
                value_loss = 0.5 * (value - b_returns[rows]).square().mean()
                entropy = policy.entropy().mean()
                loss = policy_loss + args.vf_coef * value_loss - args.ent_coef * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        steps = (iteration + 1) * batch_size
        record = {
            "steps": steps,
            "score": float(np.mean(scores)) if scores else float("nan"),  # of the episodes that ended
            "entropy": entropy.item(),
            "value_loss": value_loss.item(),
            "steps_per_second": steps / (time.time() - start),
        }
        history.append(record)
        print(
            "  ".join(
                f"{name} {number:,.3g}" if number < 100 else f"{name} {number:,.0f}" for name, number in record.items()
            )
        )
    envs.close()
    if args.save:
        save_file(agent.state_dict(), args.save)
    return agent, history


def main() -> None:
    """Trains with the settings of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for field in fields(Args):
        parser.add_argument("--" + field.name.replace("_", "-"), type=type(field.default), default=field.default)
    train(Args(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
