"""Games that are played by tree search, and what a network can learn from them (expert iteration, as in AlphaZero).

The target of the policy are the visits of the search, and that of a candidate's value the mean that the search found.
The candidate that was played has the game's normalised return as target, mixed with the means on the way to it, as in
TD(lambda).
"""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.choices import FORCED, Choices
from solitaire_agents.choosing import kernels_of, new_scratch
from solitaire_agents.network import Network
from solitaire_agents.self_play import play_on, waiting_engine
from solitaire_agents.tree import TreeEffort, mean_value, new_tree, searching
from solitaire_envs.engine import Engine
from solitaire_envs.game import Options


class Decisions(NamedTuple):
    """What some games teach: n choices among up to C candidates."""

    rows: NDArray[np.uint16]
    """[n, size]: the choices, as `choosing` writes them."""
    visits: NDArray[np.float32]
    """[n, C]: each candidate's share of the visits; all 0 where there was no search."""
    targets: NDArray[np.float32]
    """[n, C]: targets of the candidates' values, 0..1."""
    weights: NDArray[np.float32]
    """[n, C]: their weights, of sum 1: the shares of the visits; the one played counts for itself without a search."""

    @classmethod
    def none(cls, choices: Choices, n: int = 0, size: int = 0) -> Self:
        """Returns decisions that are all zeros."""
        return cls(
            np.zeros((n, size), np.uint16), *(np.zeros((n, choices.most_candidates), np.float32) for _ in range(3))
        )

    def at(self, places: slice | NDArray[np.int64]) -> Self:
        """Returns some of the decisions."""
        return self._replace(**{name: array[places] for name, array in self._asdict().items()})


class Searched(NamedTuple):
    """Some games that were played by search."""

    decisions: Decisions
    won: int
    """Number of games that were won."""
    moves: int
    """Number of moves in all games."""

    @property
    def targets(self) -> NDArray[np.float32]:
        """The targets of the decisions."""
        return self.decisions.targets


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
        tree, most = self._tree, self._lines.shape[1]
        visits, means = np.zeros(most, np.float32), np.zeros(most, np.float32)
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
    decisions = Decisions.none(choices, len(made), max((len(choice.row) for choice in made), default=2))
    for place in range(len(made) - 1, -1, -1):
        choice, (row, visits, targets, weights) = made[place], (array[place] for array in decisions)
        row[: len(choice.row)] = choice.row
        visits[:], targets[:], weights[:] = choice.visits, choice.means, choice.visits
        targets[choice.played] = target[choice.game] / discounts[place]
        weights[choice.played] += 1 - choice.visits.sum()
        value = choice.best * discounts[place]
        target[choice.game] = value + td_lambda * (target[choice.game] - value)
    return Searched(decisions, int(outcomes["won"].sum()), moves)
