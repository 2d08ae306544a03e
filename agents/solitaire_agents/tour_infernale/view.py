"""La tour infernale as the network sees it."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from solitaire_agents.networks import View, constant, one_hot
from solitaire_envs import tour_infernale
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS

PILES, STOCK_SIZE = tour_infernale.MAX_PILES, tour_infernale.STOCK_SIZE
_TABLEAU, _FOUNDATIONS, _STOCK, _WASTE, _PASS, _UNSEEN = (
    tour_infernale.GAME.slots(name) for name in ("tableau", "foundations", "stock", "waste", "pass", "unseen")
)

MOST_PASSES = 10
"""Above this number the network cannot tell passes apart."""


class TourInfernaleView(View):
    """La tour infernale as eight places: the six piles, the waste's top, and all foundations as one.

    A place knows which one it is. So of two moves that undo each other the network can prefer one, and fewer games go
    in circles.
    """

    num_places = PILES + 2
    num_special = 2
    num_relations = 2
    saturates = {"pass": MOST_PASSES}  # noqa: RUF012  # an immutable default

    def __init__(self, num_actions: int) -> None:
        super().__init__(num_actions)
        source = tour_infernale.SOURCE[:num_actions].astype(np.int64)
        target = tour_infernale.TARGET[:num_actions].astype(np.int64)
        target = np.where(target == tour_infernale.FOUNDATION, PILES + 1, target)
        for action in (tour_infernale.DRAW, tour_infernale.REDEAL):
            source[action] = target[action] = self.num_places + action
        constant(self, "first", source)
        constant(self, "second", target)
        self.place_features = 14 + 5 + (PILES + 1) + 8
        self.table_features = 4 * 14 + NUM_CARDS * 6 + 4

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Computes features of places [B, 8, F] and of the table [B, G], and relations [B, 8, 2, 8]."""
        observed = observations.long()
        tableau = observed[:, _TABLEAU].reshape(-1, PILES, NUM_RANKS)
        heights = (tableau > 0).sum(2)
        tops = tableau.gather(2, (heights - 1).clamp(min=0)[:, :, None]).squeeze(-1)
        tops = torch.cat([tops, observed[:, _WASTE][:, :1]], dim=1)  # [B, 7] card + 1, 0 none
        ranks = torch.where(tops > 0, (tops - 1) % NUM_RANKS + 1, 0)
        fits = ((ranks[:, None, :] == ranks[:, :, None] + 1) & (ranks[:, :, None] > 0)).float()  # row goes on column
        places = functional.pad(self._places(observed, tableau, tops, ranks, fits), (0, 0, 0, 1))  # the foundations
        on = functional.pad(fits, (0, 1, 0, 1))
        return places, self._table(observed), torch.stack([on, on.transpose(1, 2)], dim=2)

    def _places(self, observed: Tensor, tableau: Tensor, tops: Tensor, ranks: Tensor, fits: Tensor) -> Tensor:
        """Computes features of the piles and of the waste's top, [B, 7, F]."""
        batch, device = len(observed), observed.device
        foundations, waste = observed[:, _FOUNDATIONS], observed[:, _WASTE]
        suits = torch.where(tops > 0, (tops - 1) // NUM_RANKS + 1, 0)
        level = torch.cat([foundations.new_full((batch, 1), 20), foundations], dim=1).gather(1, suits)
        distance = (ranks - level).float()  # 1: ready for its foundation
        height = torch.cat([(tableau > 0).sum(2), (waste > 0).sum(1, keepdim=True)], dim=1).float()
        lowest = functional.pad(torch.where(tableau > 0, (tableau - 1) % NUM_RANKS, NUM_RANKS).amin(2), (0, 1))
        numbers = [
            tops == 0,
            distance == 1,
            distance / NUM_RANKS,
            height / NUM_RANKS,
            height == 1,
            fits.sum(2),
            fits.sum(1),
            lowest / NUM_RANKS,
        ]
        place = torch.eye(PILES + 1, device=device).expand(batch, -1, -1)
        return torch.cat(
            [one_hot(ranks, 14), one_hot(suits, 5), place, torch.stack([n.float() for n in numbers], dim=2)], dim=2
        )

    def _table(self, observed: Tensor) -> Tensor:
        """Computes features of the table, [B, G]."""
        device = observed.device
        tableau, stock, waste = observed[:, _TABLEAU], observed[:, _STOCK], observed[:, _WASTE]
        depth = torch.arange(STOCK_SIZE, device=device) / STOCK_SIZE
        cards = [
            self._where(tableau, torch.ones(PILES * NUM_RANKS, device=device)),
            self._where(tableau, torch.arange(NUM_RANKS, device=device).repeat(PILES) / NUM_RANKS),
            self._where(waste, torch.ones(STOCK_SIZE, device=device)),
            self._where(waste, depth),
            self._where(stock, 1 - depth),
            observed[:, _UNSEEN].float(),
        ]
        numbers = [
            (stock > 0).sum(1, keepdim=True) / STOCK_SIZE,
            (waste > 0).sum(1, keepdim=True) / STOCK_SIZE,
            (tableau[:, ::NUM_RANKS] == 0).sum(1, keepdim=True),  # empty piles
            observed[:, _PASS].clamp(max=MOST_PASSES) / MOST_PASSES,
        ]
        foundations = one_hot(observed[:, _FOUNDATIONS], 14).flatten(1)
        return torch.cat([foundations, torch.stack(cards, dim=2).flatten(1), *numbers], dim=1)

    @staticmethod
    def _where(slots: Tensor, values: Tensor) -> Tensor:
        """Gives each card the value of the slot that it is in, 0 if it is in none: [B, S] and [S] -> [B, 52]."""
        found = torch.zeros(len(slots), NUM_CARDS + 2, device=slots.device)
        found.scatter_(1, slots, values.expand(len(slots), -1))
        return found[:, 1 : NUM_CARDS + 1]
