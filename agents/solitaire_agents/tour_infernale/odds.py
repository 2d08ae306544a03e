"""How many deals perfect play wins with six piles and with five, in one pass and in two.

A win in one pass is a win in two. And a win with five piles is a win with six: the card that lies on the sixth pile is
played from there where it was played as the lowest card of the waste. So the hardest game is asked for first.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.kit import OPEN, WINNABLE, DealTable
from solitaire_agents.tour_infernale.solver.api import new_memory, solve_many
from solitaire_agents.tour_infernale.solving import ANSWERS
from solitaire_envs.cards import decks_of_deals

ODDS_NODES: Final = 5_000_000
"""Configurations searched for one answer, at most: two seconds or so."""
RULES: Final = {
    "five_piles_one_pass": (5, 1),
    "five_piles_two_passes": (5, 2),
    "six_piles_one_pass": (6, 1),
    "six_piles_two_passes": (6, 2),
}
"""Column -> piles and passes, the hardest first."""


class TourInfernaleOdds(DealTable):
    """Which deals can be won, under four rules: 1 where a win is known, 0 where a loss is proved, -1 where neither."""

    columns = ("deal", *RULES)
    chunk = 20

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Answers for deals, [n] -> [n, 5]."""
        decks, memory, answers = decks_of_deals(deals), new_memory(), np.full((len(deals), len(RULES)), OPEN)
        for column, (piles, passes) in enumerate(RULES.values()):
            harder = [at for at, rule in enumerate(RULES.values()) if rule[0] <= piles and rule[1] <= passes]
            won = (answers[:, harder] == WINNABLE).any(axis=1)
            found = solve_many(decks[~won], piles=piles, passes=passes, max_nodes=ODDS_NODES, memory=memory)
            answers[won, column], answers[~won, column] = WINNABLE, ANSWERS[found[:, 0]]
        return np.column_stack([deals.astype(np.int64), answers])

    def summary(self, rows: NDArray[np.int64]) -> Mapping[str, NDArray[np.bool_]]:
        """Returns which deals can be won, and which are open, under each of the rules."""
        return {
            f"{column.replace('_', ' ')}, {name}": rows[:, 1 + at] == answer
            for at, column in enumerate(RULES)
            for name, answer in (("winnable", WINNABLE), ("open", OPEN))
        }
