"""The fair planner for any game with choices: tree search guided by a trained network, and exact play once it can be.

The network rates candidates. The search (`tree`) looks further ahead, in sampled orders of the hidden cards. As soon as
at most one card is hidden, a game's solver may take over.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionValues
from solitaire_agents.choices import Choices
from solitaire_agents.choosing import new_scratch
from solitaire_agents.kit import FINISH_NODES, SIMULATIONS, Solver
from solitaire_agents.line_follower import LineFollower
from solitaire_agents.network import Network
from solitaire_agents.trained_agent import AS_LEARNED, Calibration
from solitaire_agents.tree import ALWAYS, TreeEffort, new_tree, searching


class TreePlanner(LineFollower):
    """Searches over sampled orders of the hidden cards.

    A plan depends only on the seed and the observation, which give the random numbers. It does not depend on hidden
    cards or on the other games of the batch.

    Args:
        choices: The choices, under the options of the games to play.
        network: The network that guides the search with both of its heads.
        simulations: Most simulations for each decision.
        solver: Plays on once at most one card is hidden, as of `Kit.finisher`; None: the search goes on to the end.
        calibration: Of the means of its searches; it changes no move.
        seed: Seed of the random numbers.
        folder: The folder that the network was loaded from.

    Raises:
        ValueError: There are no simulations, or the observations hide what a player has seen.
    """

    name = "planner"
    fair = True

    def __init__(
        self,
        choices: Choices,
        network: Network,
        *,
        simulations: int = SIMULATIONS,
        solver: Solver | None = None,
        calibration: Calibration = AS_LEARNED,
        seed: int = 0,
        folder: Path | None = None,
    ) -> None:
        if simulations < 1:
            raise ValueError(f"expected at least one simulation, got {simulations}")
        if choices.options.information == "table":
            raise ValueError("expected information='memory' or 'open', got 'table', which hides what a player has seen")
        super().__init__(choices.game, choices.options, seed)
        self.folder, self._choices, self._network, self._calibration = folder, choices, network, calibration
        self.effort, self._solver = TreeEffort(simulations), solver
        self._search = searching(choices).search
        self._scratch, self._tree = new_scratch(choices, network), new_tree(choices, simulations)

    @property
    def modules(self) -> tuple[str, ...]:
        """Names of this module, and of those of the choices and the exact play."""
        exact = {type(self._solver).__module__} if self._solver else set()
        return __name__, *sorted(exact | self._choices.modules)

    def _best_line(self, observation: NDArray[np.int16]) -> Sequence[int]:
        """Returns moves of the exact play, or else to the best candidate; none where there is nothing left to gain."""
        state, seen = self._imagine(observation), self._without_series(observation)
        if self._solver is not None and self._knows_all(observation):
            line = self._solver.finish(state, self._choices.options)
            if line is not None:
                return line
            seen = self._imagined.buffers.privileged[0].copy()
        edge = self._search(self._network, self._scratch, self._tree, self.effort, self._seed, seen)
        moves: list[int] = self._tree.lines[0, edge, : self._tree.lengths[0, edge]].tolist() if edge >= 0 else []
        return moves

    def action_values(
        self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_], samples: int
    ) -> ActionValues:
        """Returns the value of each move: that of the best candidate that it leads to.

        A move that leads to no candidate has NaN. `samples` is the number of simulations. Once at most one card is
        hidden, chances are 0 or 1 as far as the solver tells.
        """
        tree, effort = new_tree(self._choices, samples), self.effort._replace(simulations=samples, sure=ALWAYS)
        self._search(self._network, self._scratch, tree, effort, self._seed, observation)
        means, errors = np.full(len(action_mask), np.nan), np.full(len(action_mask), np.nan)
        edges = tree.edges[0]
        visits, firsts = tree.visits[0, :edges], tree.lines[0, :edges, 0]
        found = np.where(visits > 0, tree.sums[0, :edges] / np.maximum(visits, 1), tree.values[0, :edges])
        spread = _spread(tree.squares[:edges].sum(), visits, found)
        for first, mean, number in zip(firsts, found, visits, strict=True):
            if not mean < means[first]:
                means[first], errors[first] = mean, spread / np.sqrt(max(number, 1))
        means, errors = self._calibration.correct_values(means, errors)
        if self._choices.chance and self._knows_all(observation):
            for action in np.flatnonzero(~np.isnan(means)).tolist():
                answer = self._answer_after(observation, action)
                if answer is not None:
                    means[action], errors[action] = answer, 0.0
        return self._choices.judge(means, errors)

    def _knows_all(self, observation: NDArray[np.int16]) -> bool:
        return bool(observation[self._choices.game.unseen].sum() <= 1)

    def _answer_after(self, observation: NDArray[np.int16], action: int) -> bool | None:
        """Returns whether a game in which all is known can be won after a move, however many moves that takes.

        None: the solver does not tell.
        """
        if self._solver is None:
            return None
        self._imagine(observation)
        self._imagined.step(np.array([action]))
        state, options = self._imagined.states[0], self._choices.options
        return self._solver.solve(state, options, max_nodes=FINISH_NODES, memory=self._solver.memory).status.answer


def _spread(squares: float, visits: NDArray[np.int64], means: NDArray[np.float64]) -> float:
    """Returns the standard deviation of the values of simulations through one edge; if each has one, of all of them."""
    if visits.max(initial=0) < 2:
        visits, means = visits.sum(keepdims=True), np.array([visits @ means / max(visits.sum(), 1)])
    surplus, degrees = squares - visits @ means**2, (visits - 1).clip(0).sum()
    return float(np.sqrt(max(surplus, 0.0) / max(degrees, 1)))
