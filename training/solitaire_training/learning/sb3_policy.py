"""The project's networks as a policy of sb3-contrib's MaskablePPO."""

from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from solitaire_agents.catalogue import kit_of
from solitaire_agents.network_config import NetworkConfig
from solitaire_agents.networks import PlaceNetwork, build_network
from solitaire_envs.game import Game


class NetworkPolicy(MaskableActorCriticPolicy):  # type: ignore[misc]  # sb3-contrib is untyped
    """Lets a `PlaceNetwork` give the logits and the value; sb3-contrib does the rest.

    Args:
        *args: As sb3-contrib gives them; so are ``kwargs``.
        game: The game to be played.
        network: The network's sizes.
        bfloat16: Whether the network's products are computed in bfloat16; its weights are float32 all the same.
    """

    def __init__(self, *args: Any, game: Game, network: NetworkConfig, bfloat16: bool = False, **kwargs: Any) -> None:
        self._game, self._network_config, self._bfloat16 = game, network, bfloat16
        super().__init__(*args, **kwargs)

    @property
    def network(self) -> PlaceNetwork:
        """The network."""
        whole: PlaceNetwork = self.mlp_extractor.network
        return whole

    def judge(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Computes logits [B, A] and values [B], in the precision of training."""
        logits, values = self.mlp_extractor(observations)
        return logits, values.squeeze(1)

    def _build(self, lr_schedule: Schedule) -> None:
        network = build_network(kit_of(self._game), int(self.action_space.n), self._network_config)
        self.mlp_extractor = _Whole(network, self._bfloat16)
        self.action_net = self.value_net = nn.Identity()
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


class _Whole(nn.Module):
    """Stands where SB3 expects the layers before its linear heads, and leaves nothing for those to do."""

    def __init__(self, network: PlaceNetwork, bfloat16: bool) -> None:
        super().__init__()
        self.network = network
        self._bfloat16 = bfloat16

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        with torch.autocast(observations.device.type, torch.bfloat16, enabled=self._bfloat16):
            logits, values = self.network(observations)
        return logits.float(), values.float()[:, None]

    def forward_actor(self, observations: Tensor) -> Tensor:
        logits: Tensor = self(observations)[0]
        return logits

    def forward_critic(self, observations: Tensor) -> Tensor:
        values: Tensor = self(observations)[1]
        return values
