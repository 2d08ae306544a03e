"""Golf as the network sees it."""

import torch
from torch import Tensor

from golf.game import COLUMNS, GAME, ROWS, STOCK_SIZE, UNSEEN
from solitaire_agents.networks import View, constant, one_hot
from solitaire_envs.cards import NUM_RANKS

WASTE = COLUMNS
"""The waste's place, behind the columns'."""


class GolfView(View):
    """Golf: the seven columns and the waste. A play takes a card from a column to the waste; a draw has no places."""

    num_places = COLUMNS + 1
    num_special = 1
    num_relations = 2
    place_features = ROWS * UNSEEN
    table_features = STOCK_SIZE * (UNSEEN + 1) + NUM_RANKS + 1

    def __init__(self, num_actions: int) -> None:
        super().__init__(num_actions)
        draw = self.num_places  # the first number behind the places
        constant(self, "first", [*range(COLUMNS), draw])
        constant(self, "second", [WASTE] * COLUMNS + [draw])

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Computes the features of places and table, and two relations: the top fits, and the card below it would."""
        observed = observations.long()
        tableau, waste, stock, unseen, wrap = (observed[:, GAME.slots(slots.name)] for slots in GAME.observation)
        columns = tableau.reshape(-1, COLUMNS, ROWS)
        cards = torch.cat([columns, torch.nn.functional.pad(waste, (0, ROWS - 1))[:, None]], dim=1)  # [B, P, 5]
        places = one_hot(cards, UNSEEN).flatten(2)
        table = torch.cat([one_hot(stock, UNSEEN + 1).flatten(1), unseen / 4, wrap], dim=1)
        top, below = cards[:, :, :1], cards[:, :, 1:2]
        fits = [_are_neighbours(rank, top.transpose(1, 2), wrap[:, :, None]) for rank in (top, below)]
        return places, table, torch.stack(fits, dim=2).float()


def _are_neighbours(rank: Tensor, other: Tensor, wrap: Tensor) -> Tensor:
    """Tells which ranks are neighbours; 0, no card, is nobody's."""
    difference = (rank - other).abs()
    neighbours = (difference == 1) | ((difference == NUM_RANKS - 1) & (wrap == 1))
    return neighbours & (rank > 0) & (other > 0)
