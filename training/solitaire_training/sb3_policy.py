"""The policy that sb3-contrib's MaskablePPO trains over choices: a softmax over the candidates' logits.

The critic is the mean of the candidates' values under the policy. It learns the value of the candidate taken, as in
expected Sarsa (van Seijen et al. 2009), so the results of other candidates add no noise.
"""

from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from solitaire_agents.network import Network
from solitaire_training.torch_network import TorchNetwork, unpack_bags


class ChoicePolicy(MaskableActorCriticPolicy):  # type: ignore[misc]  # sb3-contrib is untyped
    """Rates the candidates of choices, as `ChoiceVecEnv` observes them.

    Args:
        *args: Arguments for sb3-contrib's policy, like ``kwargs``.
        start: The network to start from.
    """

    def __init__(self, *args: Any, start: Network, **kwargs: Any) -> None:
        self._start = start
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        self.mlp_extractor = self.action_net = self.value_net = nn.Identity()  # these replace sb3-contrib's layers
        self.network = TorchNetwork(self._start)
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: np.ndarray[Any, Any] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Returns actions [n], values [n] and log probabilities [n]. The observations hold only legal candidates."""
        log_chances, values = self._rate(obs)
        noise = torch.zeros(log_chances.shape)
        if not deterministic:
            noise = -noise.exponential_().log()  # Gumbel noise: the argmax is a sample of the policy
        actions = (log_chances + noise.to(self.device)).argmax(1)
        return actions, (log_chances.exp() * values).sum(1), _pick(log_chances, actions)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the values of the candidates taken [n], their log probabilities [n], and the entropies [n]."""
        log_chances, values = self._rate(obs)
        entropies = -(log_chances.exp() * log_chances.clamp(min=-50)).sum(1)
        return _pick(values, actions.long()), _pick(log_chances, actions.long()), entropies

    def predict_values(self, obs: Tensor) -> Tensor:
        """Returns values [n]."""
        log_chances, values = self._rate(obs)
        return (log_chances.exp() * values).sum(1)

    def _predict(
        self, observation: Tensor, deterministic: bool = False, action_masks: np.ndarray[Any, Any] | None = None
    ) -> Tensor:
        actions: Tensor = self(observation, deterministic)[0]
        return actions

    def _rate(self, obs: Tensor) -> tuple[Tensor, Tensor]:
        """Returns log probabilities and values 0..1 of the candidates, [n, C]."""
        logits, values = self.network(unpack_bags(obs.cpu().numpy()).to(self.device), int(self.action_space.n))
        return torch.log_softmax(logits, 1), torch.sigmoid(values)


def _pick(table: Tensor, actions: Tensor) -> Tensor:
    return table.gather(1, actions[:, None]).squeeze(1)
