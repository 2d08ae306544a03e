"""La tour infernale as the network sees it."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from solitaire_agents.networks import View, constant, one_hot
from solitaire_envs import tour_infernale

MOST_PASSES = 10
"""Above this number the network cannot tell passes apart."""


class TourInfernaleView(View):
    """La tour infernale: the six piles, the waste's top, and the foundations as one place."""

    num_places = 8
    num_special = 2
    num_relations = 2
    saturates = {"pass": MOST_PASSES}  # noqa: RUF012  # an immutable default

    def __init__(self, num_actions: int) -> None:
        super().__init__(num_actions)
        source = tour_infernale.SOURCE[:num_actions].astype(np.int64)
        target = tour_infernale.TARGET[:num_actions].astype(np.int64)
        target = np.where(target == tour_infernale.FOUNDATION, 7, target)
        for action in (tour_infernale.DRAW, tour_infernale.REDEAL):
            source[action] = target[action] = self.num_places + action
        constant(self, "first", source)
        constant(self, "second", target)
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
                one_hot(ranks, 14),
                one_hot(suits, 5),
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
                one_hot(foundations, 14).flatten(1),
                cards.flatten(1),
                (stock > 0).sum(1, keepdim=True) / 47,
                (waste > 0).sum(1, keepdim=True) / 47,
                (heights == 0).sum(1, keepdim=True).float(),
                observed[:, 176:177].clamp(max=MOST_PASSES) / MOST_PASSES,
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
