"""Policy and value networks that see the games as a person does: as cards in places.

Both networks have one shape. A game's *view* turns an observation into a token for each place that a card can be
moved from or to, relations between places (this card covers that one), and a vector for the whole table. In a few
rounds each place hears from those that it is related to, and so learns of cards that wait for cards that wait for it. A
move is a pair of places, so its logit is read off the two tokens, with the same weights for every pair: what is learned
of one pair is known of all.

``B`` is the batch, ``P`` the number of places, ``R`` of relations, ``F`` and ``G`` the sizes of a place's and of the
table's features.
"""

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.game import Game


@dataclass(frozen=True)
class NetworkConfig:
    """The sizes of a network."""

    token_width: int = 32
    """Width of a place's token."""
    rounds: int = 2
    """Rounds in which places hear from one another."""
    trunk_width: int = 256
    """Width of the table's layers."""
    trunk_layers: int = 2
    """Number of them."""

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as plain values."""
        return asdict(self)


class View(nn.Module):
    """Turns observations into features of places [B, P, F] and of the table [B, G], and relations [B, P, P, R]."""

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

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        raise NotImplementedError


class Round(nn.Module):
    """Each place hears the sum of what those say that it is related to, a word of its own for each relation."""

    def __init__(self, width: int, num_relations: int) -> None:
        super().__init__()
        self.own = nn.Linear(width, width)
        self.said = nn.Linear(width, num_relations * width, bias=False)

    def forward(self, tokens: Tensor, relations: Tensor) -> Tensor:
        """Computes tokens [B, P, T] from such and relations [B, P, P, R]."""
        words = self.said(tokens).reshape(len(tokens), -1, tokens.shape[2])  # [B, P * R, T]
        return tokens + functional.relu(self.own(tokens) + relations.flatten(2) @ words)


class PlaceNetwork(nn.Module):
    """The network: observations -> logits of all actions and a value."""

    def __init__(self, view: View, config: NetworkConfig) -> None:
        super().__init__()
        self.view = view
        self.config = config
        width, token = config.trunk_width, config.token_width
        self.token = nn.Sequential(nn.Linear(view.place_features, token), nn.ReLU(), nn.Linear(token, token), nn.ReLU())
        self.rounds = nn.ModuleList(Round(token, view.num_relations) for _ in range(config.rounds))
        sizes = [view.num_places * token + view.table_features] + [width] * config.trunk_layers
        self.trunk = nn.Sequential()
        for before, after in pairwise(sizes):
            self.trunk.extend([nn.Linear(before, after), nn.ReLU()])
        self.special = nn.Linear(width, view.num_special * token)
        self.local = nn.Linear(token, token)
        self.context = nn.Linear(width, token)
        self.query = nn.Linear(token, token)
        self.key = nn.Linear(token, token)
        self.direct = nn.Linear(width, len(view.first))
        self.value = nn.Linear(width, 1)
        for layer in (self.query, self.direct):  # a policy that starts close to uniform
            nn.init.uniform_(layer.weight, -1e-3, 1e-3)
            nn.init.zeros_(layer.bias)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Computes logits [B, A], before any masking, and values [B], from observations [B, O] of any dtype."""
        tokens, trunk = self.encode(observations)
        return self.logits(tokens, trunk), self.values(trunk)

    def encode(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Computes tokens [B, P, token_width] and the table's vector [B, trunk_width]."""
        places, table, relations = self.view(observations)
        tokens = self.token(places)
        for hear in self.rounds:
            tokens = hear(tokens, relations)
        return tokens, self.trunk(torch.cat([tokens.flatten(1), table], dim=1))

    def logits(self, tokens: Tensor, trunk: Tensor) -> Tensor:
        """Computes logits [B, A]: a part that all pairs of places share, and one of each action's own."""
        placed = functional.relu(self.local(tokens) + self.context(trunk)[:, None])
        special = functional.relu(self.special(trunk).reshape(len(tokens), self.view.num_special, -1))
        cards = torch.cat([placed, special], dim=1)
        pairs = self.query(cards) @ self.key(cards).transpose(1, 2)  # [B, P + special, P + special]
        logits: Tensor = self.direct(trunk) + pairs.flatten(1)[:, self.view.first * cards.shape[1] + self.view.second]
        return logits

    def values(self, trunk: Tensor) -> Tensor:
        """Computes values [B]."""
        value: Tensor = self.value(trunk).squeeze(-1)
        return value


def build_network(game: Game, num_actions: int, config: NetworkConfig) -> PlaceNetwork:
    """Builds an untrained network for a game.

    Raises:
        ValueError: There is no view of the game.
    """
    views: dict[str, type[PyramidView | TourInfernaleView]] = {
        "pyramid": PyramidView,
        "tour_infernale": TourInfernaleView,
    }
    if game.name not in views:
        raise ValueError(f"expected a game among {', '.join(views)}; got {game.name!r}")
    return PlaceNetwork(views[game.name](num_actions), config)


def _one_hot(values: Tensor, classes: int) -> Tensor:
    return functional.one_hot(values, classes).float()


def _constant(module: nn.Module, name: str, values: Any) -> None:
    """Registers a constant that moves with the module but is not saved with it."""
    module.register_buffer(name, torch.as_tensor(np.asarray(values)), persistent=False)


class PyramidView(View):
    """Pyramid: the 28 positions, the stock's top and the waste's top.

    Each place knows its rank, whether it is available, what covers it and what it would free, how many partners are
    left to it that do not stand above or below it, which cards of pyramid, stock and waste it matches, and where.
    """

    num_places = 30
    num_special = 2
    num_relations = 5
    covers: Tensor
    """[28, 28] 1 where the second position covers the first."""
    related: Tensor
    """[28, 28] 1 where one of the two has to go before the other is available."""
    above: Tensor
    """[28, 28] 1 where the second has to go before the first is available."""
    row: Tensor
    """[30, 9] in which row a position is, or which pile's top it is."""

    def __init__(self, num_actions: int) -> None:
        super().__init__()
        first, second = pyramid.FIRST.astype(np.int64), pyramid.SECOND.astype(np.int64)
        first[[pyramid.DRAW, pyramid.REDEAL]] = self.num_places, self.num_places + 1
        _constant(self, "first", first)
        _constant(self, "second", np.where(second < 0, first, second))
        covers = (pyramid.COVERS[:, None] >> np.arange(28)) & 1
        under = np.linalg.matrix_power(np.eye(28, dtype=np.int64) + covers, 6) > 0
        _constant(self, "covers", covers.astype(np.float32))
        _constant(self, "related", (under ^ under.T).astype(np.float32))
        _constant(self, "above", (under ^ np.eye(28, dtype=np.bool_)).astype(np.float32))
        rows = [row for row in range(7) for _ in range(row + 1)]
        _constant(self, "row", np.eye(9, dtype=np.float32)[[*rows, 7, 8]])
        self.place_features = 14 + 9 + 8 + 28 + 2 * 24
        self.table_features = 5 * 13 + 4 + 2

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        observed = observations.float()
        stock, waste, unseen = observed[:, 28:52], observed[:, 52:76], observed[:, 78:91]
        ranks = torch.cat([observed[:, :28], stock[:, :1], waste[:, :1]], dim=1)  # [B, 30], 0 for no card
        rank_hot = _one_hot(ranks.long(), 14)
        counts = [self._count(stock), self._count(waste), rank_hot[:, :28, 1:].sum(1), unseen]  # [B, 13] each
        left = torch.stack(counts).sum(0)

        present = (ranks > 0).float()
        covering = torch.cat([present[:, :28] @ self.covers.T, torch.zeros_like(present[:, 28:])], dim=1)
        available = present * (covering == 0)
        match = self._match(ranks, ranks[:, :28])  # [B, 30, 28]
        partners = (rank_hot[:, :, 1:13] @ left[:, :12].flip(1)[:, :, None]).squeeze(-1)
        partners = partners - torch.cat([(match[:, :28] * self.related).sum(2), 0 * present[:, 28:]], dim=1)
        playable = (match * available[:, None, :28]).sum(2) * available
        freed = available[:, :28] * ((covering[:, :28] == 1).float() * present[:, :28] @ self.covers)
        lonely = present * (partners <= 1) * (ranks != 13)
        wanted = (match @ lonely[:, :28, None]).squeeze(-1)
        told = [available, covering, partners / 2, lonely, lonely * (partners <= 0), playable, wanted]
        told.append(torch.cat([freed, 0 * present[:, 28:]], dim=1))
        row = self.row.expand(len(ranks), -1, -1)
        piles = [self._match(ranks, stock), self._match(ranks, waste)]
        places = torch.cat([rank_hot, row, torch.stack(told, dim=2), match, *piles], dim=2)
        sizes = [(pile > 0).sum(1, keepdim=True) / 24 for pile in (stock, waste)]
        table = torch.cat([*counts, left, _one_hot(observed[:, 76].long().clamp(max=3), 4), *sizes], dim=1)
        return places, table, self._relate(ranks, present)

    def _relate(self, ranks: Tensor, present: Tensor) -> Tensor:
        """Returns who goes with whom and who is in whose way, [B, 30, 30, 5]."""
        match = self._match(ranks, ranks)
        both = present[:, :28, None] * present[:, None, :28]
        blocked = match[:, :28, :28] * self.related
        pyramid = [blocked, both * self.covers, both * self.covers.T, both * self.above / 4]
        return torch.stack([match, *(functional.pad(relation, (0, 2, 0, 2)) for relation in pyramid)], dim=3)

    @staticmethod
    def _match(ranks: Tensor, others: Tensor) -> Tensor:
        """Marks the pairs of cards that add up to 13: [B, N] and [B, M] ranks, 0 for no card -> [B, N, M]."""
        partners = torch.where(ranks > 0, 13 - ranks, -1)
        return (partners[:, :, None] == torch.where(others > 0, others, -2)[:, None, :]).float()

    @staticmethod
    def _count(pile: Tensor) -> Tensor:
        """Counts the known cards of each rank in a pile, [B, 24] -> [B, 13]."""
        counts = torch.zeros(len(pile), 15, device=pile.device)
        return counts.scatter_add_(1, pile.long(), torch.ones_like(pile))[:, 1:14]


class TourInfernaleView(View):
    """La tour infernale: the six piles, the waste's top, and the foundations as one place."""

    num_places = 8
    num_special = 2
    num_relations = 2

    def __init__(self, num_actions: int) -> None:
        super().__init__()
        source = tour_infernale.SOURCE[:num_actions].astype(np.int64)
        target = tour_infernale.TARGET[:num_actions].astype(np.int64)
        target = np.where(target == tour_infernale.FOUNDATION, 7, target)
        for action in (tour_infernale.DRAW, tour_infernale.REDEAL):
            source[action] = target[action] = self.num_places + action
        _constant(self, "first", source)
        _constant(self, "second", target)
        self.place_features = 14 + 5 + 1 + 9
        self.table_features = 4 * 14 + 52 * 6 + 4

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        observed = observations.long()
        batch = len(observed)
        tableau = observed[:, :78].reshape(batch, 6, 13)
        foundations, stock, waste = observed[:, 78:82], observed[:, 82:129], observed[:, 129:176]
        heights = (tableau > 0).sum(2)
        tops = tableau.gather(2, (heights - 1).clamp(min=0)[:, :, None]).squeeze(-1)
        tops = torch.cat([tops, waste[:, :1]], dim=1)  # [B, 7] card + 1, 0 none
        ranks = torch.where(tops > 0, (tops - 1) % 13 + 1, 0)
        suits = torch.where(tops > 0, (tops - 1) // 13 + 1, 0)
        level = torch.cat([foundations.new_full((batch, 1), 20), foundations], dim=1).gather(1, suits)
        distance = (ranks - level).float()  # 1: ready for its foundation
        ready = (distance == 1).float()
        fits = ((ranks[:, None, :] == ranks[:, :, None] + 1) & (ranks[:, :, None] > 0)).float()  # row goes on column
        height = torch.cat([heights, (waste > 0).sum(1, keepdim=True)], dim=1).float()
        lowest = torch.where(tableau > 0, (tableau - 1) % 13, 13).amin(2)
        piles = torch.cat(
            [
                _one_hot(ranks, 14),
                _one_hot(suits, 5),
                torch.eye(7, device=observed.device)[:, 6:].expand(batch, -1, -1),
                (tops == 0).float()[:, :, None],
                ready[:, :, None],
                distance[:, :, None] / 13,
                height[:, :, None] / 13,
                (height == 1).float()[:, :, None],
                fits.sum(2)[:, :, None],
                fits.sum(1)[:, :, None],
                torch.cat([lowest, lowest[:, :1] * 0], dim=1).float()[:, :, None] / 13,
                torch.zeros(batch, 7, 1, device=observed.device),
            ],
            dim=2,
        )
        places = torch.cat([piles, torch.zeros(batch, 1, self.place_features, device=observed.device)], dim=1)
        cards = torch.stack(
            [
                self._where(tableau.flatten(1), torch.ones(78, device=observed.device)),
                self._where(tableau.flatten(1), torch.arange(13, device=observed.device).repeat(6) / 13),
                self._where(waste, torch.ones(47, device=observed.device)),
                self._where(waste, torch.arange(47, device=observed.device) / 47),
                self._where(stock, 1 - torch.arange(47, device=observed.device) / 47),
                observed[:, 178:230].float(),
            ],
            dim=2,
        )
        table = torch.cat(
            [
                _one_hot(foundations, 14).flatten(1),
                cards.flatten(1),
                (stock > 0).sum(1, keepdim=True) / 47,
                (waste > 0).sum(1, keepdim=True) / 47,
                (heights == 0).sum(1, keepdim=True).float(),
                observed[:, 176:177].clamp(max=10) / 10,
            ],
            dim=1,
        )
        on = functional.pad(fits, (0, 1, 0, 1))
        return places, table, torch.stack([on, on.transpose(1, 2)], dim=3)

    @staticmethod
    def _where(slots: Tensor, worth: Tensor) -> Tensor:
        """Gives each card the worth of the slot it is in, 0 if in none: [B, S] and [S] -> [B, 52]."""
        found = torch.zeros(len(slots), 54, device=slots.device)
        found.scatter_(1, slots, worth.expand(len(slots), -1))
        return found[:, 1:53]
