"""Pyramid as the network sees it."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from solitaire_agents.networks import View, constant, one_hot
from solitaire_envs import pyramid


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
        super().__init__(num_actions)
        first, second = pyramid.FIRST.astype(np.int64), pyramid.SECOND.astype(np.int64)
        first[[pyramid.DRAW, pyramid.REDEAL]] = self.num_places, self.num_places + 1
        constant(self, "first", first)
        constant(self, "second", np.where(second < 0, first, second))
        covers = (pyramid.COVERS[:, None] >> np.arange(28)) & 1
        under = np.linalg.matrix_power(np.eye(28, dtype=np.int64) + covers, 6) > 0
        constant(self, "covers", covers.astype(np.float32))
        constant(self, "related", (under ^ under.T).astype(np.float32))
        constant(self, "above", (under ^ np.eye(28, dtype=np.bool_)).astype(np.float32))
        rows = [row for row in range(7) for _ in range(row + 1)]
        constant(self, "row", np.eye(9, dtype=np.float32)[[*rows, 7, 8]])
        self.place_features = 14 + 9 + 8 + 28 + 2 * 24
        self.table_features = 5 * 13 + 4 + 2

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        observed = observations.float()
        stock, waste, unseen = observed[:, 28:52], observed[:, 52:76], observed[:, 78:91]
        ranks = torch.cat([observed[:, :28], stock[:, :1], waste[:, :1]], dim=1)  # [B, 30], 0 for no card
        rank_hot = one_hot(ranks.long(), 14)
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
        table = torch.cat([*counts, left, one_hot(observed[:, 76].long().clamp(max=3), 4), *sizes], dim=1)
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
