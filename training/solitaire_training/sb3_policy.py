"""The project's networks as a policy of sb3-contrib's MaskablePPO."""

from typing import Any

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from solitaire_agents.networks import NetworkConfig, PlaceNetwork, build_network
from solitaire_envs.game import Game


class NetworkPolicy(MaskableActorCriticPolicy):  # type: ignore[misc]  # sb3-contrib is untyped
    """Lets a `PlaceNetwork` give the logits and the value; sb3-contrib does the rest."""

    def __init__(self, *args: Any, game: Game, network: NetworkConfig, **kwargs: Any) -> None:
        self._game, self._network_config = game, network
        super().__init__(*args, **kwargs)

    @property
    def network(self) -> PlaceNetwork:
        """The network."""
        whole: PlaceNetwork = self.mlp_extractor.network
        return whole

    def _build(self, lr_schedule: Schedule) -> None:
        network = build_network(self._game, int(self.action_space.n), self._network_config)
        self.mlp_extractor = _Whole(network)
        self.action_net = self.value_net = nn.Identity()
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


class _Whole(nn.Module):
    """Stands where SB3 expects the layers before its linear heads, and leaves nothing for those to do."""

    def __init__(self, network: PlaceNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        logits, values = self.network(observations)
        return logits, values[:, None]

    def forward_actor(self, observations: Tensor) -> Tensor:
        return self.network.logits(*self.network.encode(observations))

    def forward_critic(self, observations: Tensor) -> Tensor:
        return self.network.values(self.network.encode(observations)[1])[:, None]
