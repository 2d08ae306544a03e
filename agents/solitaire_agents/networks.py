"""Policy and value networks that see the games as a person does: as cards in places.

All games share one network. A game's *view* turns an observation into a token for each place that a card can be moved
from or to, relations between places (this card covers that one), and a vector for the whole table. A few rounds of
message passing along the relations let a place learn of cards that wait for cards that wait for it. A move is a pair of
places, so its logit is computed from the two tokens, with the same weights for every pair.

Most of the time of training goes into the products of these layers, so what is sent and summed up is narrow: a message
has a few numbers, and so has the summary of a place from which the table's vector is computed.

``B`` is the batch, ``P`` the number of places, ``R`` of relations, ``F`` and ``G`` the sizes of a place's and of the
table's features.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from solitaire_agents.kit import Kit
from solitaire_agents.network_config import NetworkConfig


class View(nn.Module):
    """Turns observations into features of places [B, P, F] and of the table [B, G], and relations [B, P, R, P]."""

    place_features: int
    table_features: int
    first: Tensor
    """[A] the first place of each action; P, P + 1, ... for actions without a place, such as a draw."""
    second: Tensor
    """[A] its second place; the first again where there is none."""
    num_places: int
    num_special: int
    """Number of actions without a place."""
    num_relations: int
    saturates: Mapping[str, int] = {}  # an immutable default
    """As in `Agent.saturates`."""

    def __init__(self, num_actions: int) -> None:
        super().__init__()

    @property
    def mirror(self) -> tuple[Tensor, Tensor] | None:
        """A symmetry of the game, as two orders: of the slots of an observation [O], and of the actions [A]."""
        return None

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Computes features of places [B, P, F] and of the table [B, G], and relations [B, P, R, P]."""
        raise NotImplementedError


class MessagePassing(nn.Module):
    """One round: each place adds up the messages of the places related to it, with weights for each relation."""

    def __init__(self, token_width: int, message_width: int, num_relations: int) -> None:
        super().__init__()
        self.message_width = message_width
        self.own = nn.Linear(token_width, token_width)  # the names are those in saved policies
        self.say = nn.Linear(token_width, num_relations * message_width, bias=False)
        self.hear = nn.Linear(message_width, token_width, bias=False)

    def forward(self, tokens: Tensor, relations: Tensor) -> Tensor:
        """Computes tokens [B, P, T] from such and relations [B, P, R, P]."""
        said = self.say(tokens).unflatten(2, (-1, self.message_width))  # [B, P, R, M]
        messages = said.transpose(1, 2).flatten(1, 2)  # [B, R * P, M]
        return tokens + functional.relu(self.own(tokens) + self.hear(relations.flatten(2) @ messages))


class PlaceNetwork(nn.Module):
    """The network: observations -> logits of all actions and a value."""

    def __init__(self, view: View, config: NetworkConfig) -> None:
        super().__init__()
        self.view = view
        self.config = config
        width, token = config.trunk_width, config.token_width
        self.token = nn.Sequential(nn.Linear(view.place_features, token), nn.ReLU(), nn.Linear(token, token), nn.ReLU())
        self.rounds = nn.ModuleList(
            MessagePassing(token, config.message_width, view.num_relations) for _ in range(config.rounds)
        )
        self.summary = nn.Linear(token, config.summary_width)
        sizes = [view.num_places * config.summary_width + view.table_features] + [width] * config.trunk_layers
        self.trunk = nn.Sequential()
        for before, after in pairwise(sizes):
            self.trunk.extend([nn.Linear(before, after), nn.ReLU()])
        self.special = nn.Linear(width, view.num_special * token)
        self.local = nn.Linear(token, token)
        self.context = nn.Linear(width, token)
        self.query = nn.Linear(token, token)
        self.key = nn.Linear(token, token)
        self.value = nn.Linear(width, 1)
        nn.init.uniform_(self.query.weight, -1e-3, 1e-3)  # a policy that starts close to uniform
        nn.init.zeros_(self.query.bias)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Computes logits [B, A], before any masking, and values [B], from observations [B, O] of any dtype."""
        tokens, trunk = self.encode(observations)
        return self.logits(tokens, trunk), self.values(trunk)

    def encode(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Computes tokens [B, P, token_width] and the table's vector [B, trunk_width]."""
        places, table, relations = self.view(observations)
        tokens = self.token(places)
        for message_passing in self.rounds:
            tokens = message_passing(tokens, relations)
        summaries = functional.relu(self.summary(tokens)).flatten(1)
        return tokens, self.trunk(torch.cat([summaries, table], dim=1))

    def logits(self, tokens: Tensor, trunk: Tensor) -> Tensor:
        """Computes logits [B, A], those of all pairs of places with the same weights."""
        placed = functional.relu(self.local(tokens) + self.context(trunk)[:, None])
        special = functional.relu(self.special(trunk).reshape(len(tokens), self.view.num_special, -1))
        cards = torch.cat([placed, special], dim=1)
        pairs = self.query(cards) @ self.key(cards).transpose(1, 2)  # [B, P + special, P + special]
        logits: Tensor = pairs.flatten(1)[:, self.view.first * cards.shape[1] + self.view.second]
        return logits

    def values(self, trunk: Tensor) -> Tensor:
        """Computes values [B]."""
        value: Tensor = self.value(trunk).squeeze(-1)
        return value


def build_network(kit: Kit, num_actions: int, config: NetworkConfig) -> PlaceNetwork:
    """Builds an untrained network for a game.

    Raises:
        ValueError: The game's kit has no view.
    """
    if kit.view is None:
        raise ValueError(f"expected a game with a view for networks, got {kit.game.name}")
    return PlaceNetwork(kit.view()(num_actions), config)


def one_hot(values: Tensor, classes: int) -> Tensor:
    """Returns integers [...] as float32 [..., classes]."""
    return functional.one_hot(values, classes).float()


def constant(module: nn.Module, name: str, values: Any) -> None:
    """Registers a constant that moves with the module but is not saved with it."""
    module.register_buffer(name, torch.as_tensor(np.asarray(values)), persistent=False)
