"""Games that are played by tree search, and what a network can learn from them (expert iteration, as in AlphaZero).

The target of the policy are the visits of the search, and that of a candidate's value the mean that the search found.
The candidate that was played has the game's normalised return as target, mixed with the means on the way to it, as in
TD(lambda).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.choices import FORCED, Choices
from solitaire_agents.choosing import kernels_of, new_scratch
from solitaire_agents.network import Network
from solitaire_agents.self_play import play_on, waiting_engine
from solitaire_agents.tree import TreeEffort, mean_value, new_tree, searching
from solitaire_envs.engine import Engine
from solitaire_envs.game import Options


class Decision(NamedTuple):
    """What a choice among C candidates teaches."""

    row: NDArray[np.uint16]
    """[size]: the choice, as `choosing` writes it."""
    visits: NDArray[np.float32]
    """[C]: each candidate's share of the visits; all 0 where there was no search."""
    targets: NDArray[np.float32]
    """[C]: targets of the candidates' values, 0..1."""
    weights: NDArray[np.float32]
    """[C]: their weights, of sum 1: the shares of the visits; the one played counts for itself without a search."""


class Searched(NamedTuple):
    """What some games teach that were played by search."""

    decisions: list[Decision]
    won: int
    """Number of games that were won."""
    moves: int
    """Number of moves in all games."""


class _Choice(NamedTuple):
    """A choice in one game."""

    game: int
    row: NDArray[np.uint16]
    played: int
    best: float
    moves: int
    """Number of moves before it."""
    visits: NDArray[np.float32]
    means: NDArray[np.float32]


def play_searched(
    options: Options,
    choices: Choices,
    network: Network,
    deals: NDArray[np.uint64],
    *,
    simulations: int,
    td_lambda: float,
    seed: int,
) -> Searched:
    """Plays games side by side; several threads may do so at a time.

    Args:
        options: The options of the games, those of the choices but for ``max_moves``.
        choices: The choices.
        network: The network that guides the search.
        deals: Deal numbers, [n].
        simulations: Most simulations for each decision.
        td_lambda: The lambda of TD(lambda), 0..1.
        seed: Seed of the searches.
    """
    engine = waiting_engine(choices.game, options, len(deals))
    engine.deal_numbers(deals)
    searcher, made = _Searcher(choices, network, simulations, seed), list[_Choice]()
    lines, lengths = np.zeros((len(deals), choices.most_moves), np.int16), np.zeros(len(deals), np.int64)

    def choose(playing: NDArray[np.int64]) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        lengths[:] = 0
        for game in playing.tolist():
            line, choice = searcher.choose(engine, game)
            lines[game, : len(line)], lengths[game] = line, len(line)
            made.extend([choice] if choice else [])
        return lines, lengths

    moves = play_on(engine, choose)
    return _lessons(made, choices, engine.buffers.outcomes, td_lambda, moves)


class _Searcher:
    """Searches in one game after another."""

    def __init__(self, choices: Choices, network: Network, simulations: int, seed: int) -> None:
        most = choices.most_candidates
        self._network, self._effort, self._seed = network, TreeEffort(simulations), np.uint64(seed)
        self._scratch, self._tree = new_scratch(choices, network), new_tree(choices, simulations)
        self._search, self._write = searching(choices).search, kernels_of(choices).write
        self._row, self._count = np.zeros((1, 2 + most + most * choices.most_on), np.uint16), np.zeros(1, np.int64)
        self._lines, self._lengths = np.zeros((1, most, choices.most_moves), np.int16), np.zeros((1, most), np.int64)

    def choose(self, engine: Engine, game: int) -> tuple[NDArray[np.int16], _Choice | None]:
        """Returns the moves to the best candidate, none where nothing is left to gain; and the choice, if it is one."""
        tree, observation = self._tree, engine.buffers.observations[game]
        edge = self._search(self._network, self._scratch, tree, self._effort, self._seed, observation)
        if edge < 0:
            return tree.lines[0, 0, :0], None
        line = tree.lines[0, edge, : tree.lengths[0, edge]].copy()
        if tree.edges[0] <= FORCED:
            return line, None
        masks = engine.buffers.action_masks[game : game + 1]
        looked_at = self._network, self._scratch, np.zeros(1, np.int64), observation[None], masks
        needed = self._write(*looked_at, self._row, self._count, self._lines, self._lengths)
        return line, self._choice(game, int(engine.states.moves[game]), self._row[0, :needed].copy(), edge)

    def _choice(self, game: int, moves: int, row: NDArray[np.uint16], edge: int) -> _Choice:
        tree, number = self._tree, int(row[0])
        visits, means = np.zeros(number, np.float32), np.zeros(number, np.float32)
        for each in range(tree.edges[0]):
            candidate = tree.candidates[0, each]
            visits[candidate], means[candidate] = tree.visits[0, each], mean_value(tree, 0, each)
        visits /= max(visits.sum(), 1)
        best = float(mean_value(tree, 0, edge))
        return _Choice(game, row, int(tree.candidates[0, edge]), best, moves, visits, means)


def _lessons(
    made: list[_Choice], choices: Choices, outcomes: NDArray[np.void], td_lambda: float, moves: int
) -> Searched:
    """Returns the lessons of some games; targets are computed from the last choice back to the first."""
    target, discounts = choices.normalised_returns(outcomes), choices.discounts(np.array([one.moves for one in made]))
    decisions = list[Decision]()
    for choice, discount in zip(reversed(made), reversed(discounts), strict=True):
        targets, weights = choice.means.copy(), choice.visits.copy()
        targets[choice.played] = target[choice.game] / discount
        weights[choice.played] += 1 - choice.visits.sum()
        decisions.append(Decision(choice.row, choice.visits, targets, weights))
        value = choice.best * discount
        target[choice.game] = value + td_lambda * (target[choice.game] - value)
    return Searched(decisions[::-1], int(outcomes["won"].sum()), moves)
