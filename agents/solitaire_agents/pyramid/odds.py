"""How many deals perfect play wins, under several rules: what is recorded of each deal to be counted.

A deal that can be won can be cleared, and one that can be won without pairs of stock and waste can be won with them:
so each question is only asked where the one before it was answered with yes.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.kit import DealTable
from solitaire_agents.pyramid.solver.api import new_memory
from solitaire_agents.pyramid.solving import PASSES, fewest_passes, settled, within
from solitaire_envs.cards import decks_of_deals
from solitaire_envs.pyramid import PAR


class PyramidOdds(DealTable):
    """In how few passes deals can be won (all 52 cards) and cleared (the pyramid), with and without stock-waste pairs.

    0: not in three passes.
    """

    columns = ("deal", "clearable_in", "winnable_in", "clearable_in_without_pairs", "winnable_in_without_pairs")
    chunk = 500

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Answers for deals, [n] -> [n, 5].

        Raises:
            ValueError: A deal cannot be settled.
        """
        decks, memory = decks_of_deals(deals), new_memory()
        cleared = fewest_passes(decks, "pyramid", memory)
        won = fewest_passes(decks, "all", memory, possible=cleared)
        cleared_without = fewest_passes(decks, "pyramid", memory, possible=cleared, pairs=False)
        possible = np.where(won > 0, cleared_without, 0)
        won_without = fewest_passes(decks, "all", memory, possible=possible, pairs=False)
        return np.stack([deals.astype(np.int64), cleared, won, cleared_without, won_without], axis=1)

    def summary(self, rows: NDArray[np.int64]) -> Mapping[str, NDArray[np.bool_]]:
        """Returns which deals can be cleared and won under which rules."""
        return {
            f"{self.columns[column].replace('_in', '').replace('_', ' ')}, {passes} passes": within(
                rows[:, column], passes
            )
            for column in range(1, len(self.columns))
            for passes in PASSES
        }


class PyramidScores(DealTable):
    """The best score of each deal under the default rules."""

    columns = ("deal", "best_score")
    chunk = 100

    def label(self, deals: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Answers for deals, [n] -> [n, 2].

        Raises:
            ValueError: A deal cannot be settled.
        """
        found = settled(decks_of_deals(deals), "score", 3, new_memory())
        return np.stack([deals.astype(np.int64), found[:, 1]], axis=1)

    def summary(self, rows: NDArray[np.int64]) -> Mapping[str, NDArray[np.bool_] | NDArray[np.int64]]:
        """Returns the best scores, and which series of deals reach par."""
        series = rows[: len(rows) // PAR.size * PAR.size, 1].reshape(-1, PAR.size)
        return {"best score, mean": rows[:, 1], PAR.doc: series.sum(axis=1) >= PAR.at_least}
