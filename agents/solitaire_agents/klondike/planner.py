"""A fair planner for Klondike: tree search guided by a trained network, and the exact solver once all is known.

The network rates candidates. The search (`tree`) looks further ahead, in sampled orders of the hidden cards. As soon as
at most one card is hidden, the solver looks for a line that wins.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionValues
from solitaire_agents.choosing import new_sheet
from solitaire_agents.kit import Status
from solitaire_agents.klondike.choices import klondike_choices
from solitaire_agents.klondike.solver.api import new_memory, solve
from solitaire_agents.klondike.tree import ALWAYS, Effort, new_tree, search
from solitaire_agents.klondike.uses import USES
from solitaire_agents.line_follower import LineFollower
from solitaire_agents.network import Network
from solitaire_agents.trained_agent import AS_LEARNED, Calibration
from solitaire_agents.uses import check_uses
from solitaire_envs.klondike import AT, GAME, STOCK_SIZE, UNSEEN, KlondikeOptions
from solitaire_envs.klondike_table import DRAW, EMPTY, REDEAL

NODES: Final = 20_000
"""Most components that the solver looks at."""
_STOCK, _WASTE, _PASS, _UNSEEN = (GAME.slots(name) for name in ("stock", "waste", "pass", "unseen"))


class KlondikePlanner(LineFollower):
    """Searches over sampled orders of the hidden cards, and plays exactly once all is known.

    A plan depends only on the seed and the observation, which give the random numbers. It does not depend on hidden
    cards or on the other games of the batch. It plays to win, whatever the objective.

    Args:
        options: The options of the games to play.
        network: The network that guides the search with both of its heads.
        simulations: Most simulations for each decision.
        calibration: How it tells the means of its searches; it changes no move.
        seed: Seed of the random numbers.
        folder: The folder that the network was loaded from.

    Raises:
        ValueError: There are no simulations, or it does not play under the options.
    """

    name = "planner"
    fair = True

    def __init__(
        self,
        options: KlondikeOptions,
        network: Network,
        *,
        simulations: int = 1_000,
        calibration: Calibration = AS_LEARNED,
        seed: int = 0,
        folder: Path | None = None,
    ) -> None:
        if simulations < 1:
            raise ValueError(f"expected at least one simulation, got {simulations}")
        check_uses(USES["planner"], options, self.name)
        super().__init__(GAME, options, seed)
        self.folder, self._options, self._network, self._calibration = folder, options, network, calibration
        self._effort = Effort(simulations)
        self._sheet, self._tree = new_sheet(klondike_choices(options), network), new_tree(simulations)
        self._memory = new_memory(1)

    def _best_line(self, observation: NDArray[np.int16]) -> Sequence[int]:
        """Returns the moves to a win or to the best candidate; if the game is lost, those through one pass."""
        row = observation.tolist()
        _check_memory(row)
        if sum(row[_UNSEEN]) <= 1:
            found = solve(self._imagine(observation), self._options, max_nodes=NODES, memory=self._memory)
            if found.status is Status.SOLVED:
                return found.actions
            if found.status is Status.IMPOSSIBLE:
                return _draw_on(row)
            observation = self._imagined.buffers.privileged[0]
        edge = search(self._network, self._sheet, self._tree, self._effort, self._seed, observation)
        return self._tree.lines[0, edge, : self._tree.lengths[0, edge]].tolist() if edge >= 0 else _draw_on(row)

    def action_values(
        self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_], samples: int
    ) -> ActionValues:
        """Returns the probability of a win after each move: that of the best candidate that it leads to.

        A move that leads to no candidate has 0. `samples` is the number of simulations.
        """
        _check_memory(observation.tolist())
        tree, effort = new_tree(samples), self._effort._replace(simulations=samples, sure=ALWAYS)
        search(self._network, self._sheet, tree, effort, self._seed, observation)
        means, errors = np.where(action_mask, 0.0, np.nan), np.where(action_mask, 0.0, np.nan)
        for edge in range(tree.edges[0]):
            first, visits = tree.lines[0, edge, 0], tree.visits[0, edge]
            mean = tree.sums[0, edge] / visits if visits > 0 else tree.values[0, edge]
            if mean >= means[first]:
                means[first], errors[first] = mean, np.sqrt(mean * (1 - mean) / max(visits, 1))
        return self._calibration.correct_values(ActionValues("chance", means, errors))


def _check_memory(row: list[int]) -> None:
    """Checks that an observation shows all that a player with perfect memory knows.

    Raises:
        ValueError: It does not.
    """
    if UNSEEN in row[_WASTE] or (row[_PASS.start] > 1 and UNSEEN in row[_STOCK]):
        raise ValueError("expected observations of what a player with perfect memory knows (information='memory')")


def _draw_on(row: list[int]) -> list[int]:
    """Returns the moves through the rest of the stock, and the redeal after them if one is left."""
    stock, waste = (STOCK_SIZE - row[slots].count(EMPTY) for slots in (_STOCK, _WASTE))
    redeal = stock + waste > 0 and row[AT.redeals] != 0
    return [DRAW] * -(-stock // row[AT.draw]) + [REDEAL] * redeal
