"""Play of La tour infernale with the stock open: out of reach for a fair player, and the measure of one."""

from collections.abc import Hashable, Iterator
from typing import Final

import numpy as np

from solitaire_agents.line_follower import LineFollower
from solitaire_agents.tour_infernale.beam_search import few_moves
from solitaire_agents.tour_infernale.bitboard import slot_of
from solitaire_agents.tour_infernale.bitboard_rules import words_of
from solitaire_agents.tour_infernale.position import play_along, read
from solitaire_agents.tour_infernale.solver.api import Position, new_memory, solve, spell_out
from solitaire_envs import tour_infernale
from solitaire_envs.cards import NUM_CARDS

NODES: Final = 3_000_000
"""Configurations that the solver may look at for a new deal."""
NODES_LATER: Final = 20_000
"""The same later in a game, off any line."""
BEAM: Final = 100
"""Tables that the search for few moves keeps from draw to draw."""


class TourInfernaleOracle(LineFollower):
    """Plays La tour infernale to win, or in few moves where passes have no limit and every deal can be won.

    Neither is perfect: the solver may find no line within its limit, and the beam search proves no optimum.
    """

    name = "oracle"
    fair = False
    memoryless = True

    def __init__(self, options: tour_infernale.TourInfernaleOptions) -> None:
        super().__init__()
        self._options = options
        self._memory = new_memory()

    def _key(self, row: list[int]) -> Hashable:
        return read(row, self._options.piles)

    def _best_line(self, row: list[int]) -> Iterator[tuple[Hashable, int]]:
        if tour_infernale.UNSEEN in row:
            raise ValueError("expected observations that show the order of the stock (information='open')")
        piles = self._options.piles
        position = read(row, piles)
        if self._options.passes is None:
            return play_along(position, self._few_moves(position, row))
        new = len(position.stock) == NUM_CARDS - piles
        found = solve(
            piles=piles,
            passes=self._options.passes,
            max_nodes=NODES if new else NODES_LATER,
            position=position,
            memory=self._memory,
        )
        return play_along(position, found.actions)

    def _few_moves(self, position: Position, row: list[int]) -> list[int]:
        moves = few_moves(
            words_of(np.array(row, np.int16)),
            np.array([slot_of(card) for card in (*reversed(position.waste), *position.stock)], np.int64),
            len(position.waste),
            piles=self._options.piles,
            width=BEAM,
        )
        return spell_out(position, moves)
