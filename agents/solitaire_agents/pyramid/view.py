"""Pyramid as the network sees it."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from solitaire_agents.networks import View, constant, one_hot
from solitaire_envs import pyramid
from solitaire_envs.pyramid import KING, POSITION, PYRAMID_SIZE, ROWS, STOCK_SIZE

_PYRAMID, _STOCK, _WASTE, _PASS, _UNSEEN = (
    pyramid.GAME.slots(name) for name in ("pyramid", "stock", "waste", "pass", "unseen")
)
_MATCH, _BLOCKED = 0, 1
"""The first relations."""


class PyramidView(View):
    """The places are the 28 positions, the stock's top and the waste's top.

    The features of a place: its rank; its row, or which top it is; whether it is available; how many cards cover it;
    how many partners are left for it that do not stand above or below it; whether it has at most one, and none; how
    many it can be paired with now; how many cards it is the last partner of; how many it would free; and which cards of
    pyramid, stock and waste it matches.
    """

    num_places = PYRAMID_SIZE + 2
    num_special = 2
    num_relations = 5
    covers: Tensor
    """[28, 28] 1 where the second position covers the first."""
    related: Tensor
    """[28, 28] 1 where one of the two has to go before the other is available."""
    standing: Tensor
    """[30, 5, 30] 0, twice; 1 where the second covers the first; 1 where the first covers the second; and a quarter
    where the second has to go before the first is available."""
    mirrored_slots: Tensor
    mirrored_actions: Tensor
    row: Tensor
    """[30, 9] one-hot: the row of a position, or which pile's top it is."""

    def __init__(self, num_actions: int) -> None:
        super().__init__(num_actions)
        first, second = pyramid.FIRST.astype(np.int64), pyramid.SECOND.astype(np.int64)
        first[[pyramid.DRAW, pyramid.REDEAL]] = self.num_places, self.num_places + 1
        constant(self, "first", first)
        constant(self, "second", np.where(second < 0, first, second))
        covers = (pyramid.COVERS[:, None] >> np.arange(PYRAMID_SIZE)) & 1
        under = np.linalg.matrix_power(np.eye(PYRAMID_SIZE, dtype=np.int64) + covers, ROWS - 1) > 0
        constant(self, "covers", covers.astype(np.float32))
        constant(self, "related", (under ^ under.T).astype(np.float32))
        above = (under ^ np.eye(PYRAMID_SIZE, dtype=np.bool_)) / 4
        standing = np.zeros((self.num_places, self.num_relations, self.num_places), dtype=np.float32)
        standing[:PYRAMID_SIZE, _BLOCKED + 1 :, :PYRAMID_SIZE] = np.stack([covers, covers.T, above], axis=1)
        constant(self, "standing", standing)
        rows = [row for row, _ in POSITION]
        constant(self, "row", np.eye(ROWS + 2, dtype=np.float32)[[*rows, ROWS, ROWS + 1]])
        slots, actions = _mirror()
        constant(self, "mirrored_slots", slots)
        constant(self, "mirrored_actions", actions)
        self.place_features = (KING + 1) + (ROWS + 2) + 8 + PYRAMID_SIZE + 2 * STOCK_SIZE
        self.table_features = 5 * KING + 4 + 2

    @property
    def mirror(self) -> tuple[Tensor, Tensor]:
        """Left and right: each position changes places with the one on the other end of its row."""
        return self.mirrored_slots, self.mirrored_actions

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the features of places [B, 30, P] and of the table [B, G], and relations [B, 30, 5, 30]."""
        observed = observations.float()
        stock, waste, unseen = observed[:, _STOCK], observed[:, _WASTE], observed[:, _UNSEEN]
        ranks = torch.cat([observed[:, _PYRAMID], stock[:, :1], waste[:, :1]], dim=1)  # [B, 30], 0 for no card
        rank_hot = one_hot(ranks.long(), KING + 1)
        counts = [self._count(stock), self._count(waste), rank_hot[:, :28, 1:].sum(1), unseen]  # [B, 13] each
        left = torch.stack(counts).sum(0)

        present = (ranks > 0).float()
        covering = torch.cat([present[:, :28] @ self.covers.T, torch.zeros_like(present[:, 28:])], dim=1)
        available = present * (covering == 0)
        matches = self._match(ranks, torch.cat([ranks[:, :28], stock, waste], dim=1))  # [B, 30, 76]
        match = matches[:, :, :28]
        partners = (rank_hot[:, :, 1:13] @ left[:, :12].flip(1)[:, :, None]).squeeze(-1)
        relations = self._relate(matches, present)
        partners = partners - relations[:, :, _BLOCKED].sum(2)
        playable = (match @ available[:, :28, None]).squeeze(-1) * available
        freed = available[:, :28] * ((covering[:, :28] == 1).float() * present[:, :28] @ self.covers)
        lonely = present * (partners <= 1) * (ranks != KING)
        wanted = (match @ lonely[:, :28, None]).squeeze(-1)
        features = [available, covering, partners / 2, lonely, lonely * (partners <= 0), playable, wanted]
        features.append(torch.cat([freed, 0 * present[:, 28:]], dim=1))
        row = self.row.expand(len(ranks), -1, -1)
        places = torch.cat([rank_hot, row, torch.stack(features, dim=2), matches], dim=2)
        sizes = [(pile > 0).sum(1, keepdim=True) / STOCK_SIZE for pile in (stock, waste)]
        table = torch.cat([*counts, left, one_hot(observed[:, _PASS.start].long().clamp(max=3), 4), *sizes], dim=1)
        return places, table, relations

    def _relate(self, matches: Tensor, present: Tensor) -> Tensor:
        """Returns which cards match, and which stand in the way of which, [B, 30, 5, 30]."""
        relations = (present[:, :, None] * present[:, None])[:, :, None] * self.standing
        match, in_pyramid = relations[:, :, _MATCH], slice(PYRAMID_SIZE)
        match[:, :, in_pyramid] = matches[:, :, in_pyramid]
        match[:, :, PYRAMID_SIZE:] = matches[:, :, PYRAMID_SIZE::STOCK_SIZE]
        relations[:, in_pyramid, _BLOCKED, in_pyramid] = match[:, in_pyramid, in_pyramid] * self.related
        return relations

    @staticmethod
    def _match(ranks: Tensor, others: Tensor) -> Tensor:
        """Marks the pairs of cards that add up to 13: ranks [B, N] and [B, M], 0 for no card -> [B, N, M]."""
        partners = torch.where(ranks > 0, KING - ranks, -1)
        found = ranks.new_empty(*ranks.shape, others.shape[1])
        return torch.eq(partners[:, :, None], torch.where(others > 0, others, -2)[:, None, :], out=found)

    @staticmethod
    def _count(pile: Tensor) -> Tensor:
        """Counts the known cards of each rank in a pile, [B, 24] -> [B, 13]."""
        counts = torch.zeros(len(pile), pyramid.UNSEEN + 1, device=pile.device)
        return counts.scatter_add_(1, pile.long(), torch.ones_like(pile))[:, 1 : KING + 1]


def _mirror() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the order of the slots and of the actions in a mirror."""
    slots, actions = np.arange(pyramid.GAME.observation_size), np.arange(pyramid.NUM_ACTIONS)
    places = np.append([POSITION[row, row - column] for row, column in POSITION], [pyramid.STOCK, pyramid.WASTE])
    slots[_PYRAMID] = slots[_PYRAMID][places[:PYRAMID_SIZE]]
    first, second = pyramid.FIRST[2:], pyramid.SECOND[2:]
    actions[2:] = pyramid.ACTION_OF[places[first], places[np.where(second < 0, first, second)]]
    return slots, actions
