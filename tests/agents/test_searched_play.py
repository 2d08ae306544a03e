"""What games that are played by tree search teach, found again game by game with searches of the test's own."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.catalogue import choices_of, folder_of
from solitaire_agents.choices import Choices
from solitaire_agents.choosing import kernels_of, new_scratch
from solitaire_agents.network import Network, random_network
from solitaire_agents.searched_play import Searched, play_searched
from solitaire_agents.trained import read_network
from solitaire_agents.tree import TreeEffort, new_tree, searching
from solitaire_envs.catalogue import find_entry
from solitaire_envs.engine import Engine
from solitaire_envs.game import Options
from tests.environments import few

SEED, SIMULATIONS = 5, 24


def made_by(env: str, trained: str | None, discount: float = 1.0, **options: Any) -> tuple[Options, Choices, Network]:
    entry = find_entry(env)
    rules = entry.game.options(**{**entry.preset, **options})
    choices = replace(choices_of(entry.game, rules), discount=discount)
    if trained is None:
        return rules, choices, random_network(choices.inputs, (8, 4), 1)
    return rules, choices, read_network(folder_of(trained, entry.game), entry.game, choices)


CASES = [
    made_by("solitaire/Pyramid-v0", None),
    made_by("solitaire/Klondike-v0", "klondike"),
    made_by("solitaire/Klondike-v0", "klondike", discount=0.9),
    made_by("solitaire/Pyramid-v0", "pyramid-win", objective="win"),
    made_by("solitaire/Golf-v0", None),
]


def candidates_in(row: NDArray[np.uint16]) -> list[list[int]]:
    """Returns the inputs of each candidate of a row."""
    number, shared = int(row[0]), int(row[1])
    ends = np.cumsum([2 + number, shared, *row[2 : 2 + number].tolist()])
    common = row[ends[0] : ends[1]].tolist()
    return [sorted(common + row[start:end].tolist()) for start, end in pairwise(ends[1:])]


class Replayed:
    """One game, played again by searches, with what each choice should have taught but for the played candidate."""

    def __init__(self, options: Options, choices: Choices, network: Network, deal: int) -> None:
        engine, tree = Engine(choices.game, options, 1), new_tree(choices, SIMULATIONS)
        scratch, search = new_scratch(choices, network), searching(choices).search
        self.taught: list[tuple[list[list[int]], dict[int, float], dict[int, float]]] = []
        """The candidates' inputs; candidate -> its visits; candidate -> its mean, by all edges of the root."""
        self.played: list[int] = []
        self.moves_before: list[int] = []
        engine.deal_numbers([deal])
        while not engine.states.ended[0]:
            row, mask = engine.buffers.observations[0].copy(), engine.buffers.action_masks[0].copy()
            edge = search(network, scratch, tree, TreeEffort(SIMULATIONS), np.uint64(SEED), row)
            if edge < 0:
                break
            if tree.edges[0] > 1:
                self._note(choices, network, row, mask, tree, edge)
                self.moves_before.append(int(engine.states.moves[0]))
            for move in tree.lines[0, edge, : tree.lengths[0, edge]]:
                engine.step(np.array([move]))
        engine.buffers.outcomes[:] = np.array(
            [tuple(engine.outcomes()[0])], engine.buffers.outcomes.dtype
        )  # also of a game that was given up
        self.worth = float(choices.normalised_returns(engine.buffers.outcomes)[0])
        self.won, self.moves = bool(engine.buffers.outcomes["won"][0]), int(engine.states.moves[0])

    def _note(self, choices: Choices, network: Network, row: Any, mask: Any, tree: Any, edge: int) -> None:
        scratch, firsts = new_scratch(choices, network), np.zeros(choices.most_candidates, np.int64)
        number = kernels_of(choices).rate(network, 0, scratch, row, mask, firsts)
        lines = []
        for k in range(number):
            length = choices.moves(scratch.storage, k, scratch.line)
            lines.append(scratch.line[:length].tolist())
        visits, means = dict[int, float](), dict[int, float]()
        for each in range(tree.edges[0]):
            k = lines.index(tree.lines[0, each, : tree.lengths[0, each]].tolist())
            visits[k] = int(tree.visits[0, each])
            means[k] = (tree.sums[0, each] + tree.values[0, each]) / (1 + visits[k])
            if each == edge:
                self.played.append(k)
        choices.count(scratch.storage, row, mask)
        on, described = np.zeros(choices.most_on, np.int64), []
        for k in range(number):
            described.append(sorted(on[: choices.describe(scratch.storage, k, on)].tolist()))
        self.taught.append((described, visits, means))


def taught(case: tuple[Options, Choices, Network], deals: list[int], td_lambda: float) -> Searched:
    return play_searched(*case, np.array(deals, np.uint64), simulations=SIMULATIONS, td_lambda=td_lambda, seed=SEED)


@pytest.mark.parametrize(
    "case", few([(case,) for case in CASES], 3), ids=["pyramid-score", "klondike", "discounted", "pyramid-win", "golf"]
)
@pytest.mark.parametrize("td_lambda", few([0.7, 0.0, 1.0]))
def test_the_lessons_are_those_of_the_searches(case: tuple[Options, Choices, Network], td_lambda: float) -> None:
    for deal in (3, 4):
        (got, *counts), game = taught(case, [deal], td_lambda), Replayed(*case, deal)
        assert (*counts, len(got)) == (game.won, game.moves, len(game.taught))
        discount, then = case[1].discount, game.moves
        target = game.worth / discount**game.moves
        for place in range(len(game.taught) - 1, -1, -1):
            described, visits, means = game.taught[place]
            played, total = game.played[place], sum(visits.values())
            target, then = target * discount ** (then - game.moves_before[place]), game.moves_before[place]
            assert candidates_in(got[place].row) == described
            for k in range(len(described)):
                share = visits.get(k, 0) / max(total, 1)
                assert got[place].visits[k] == pytest.approx(share, abs=1e-6)
                assert got[place].weights[k] == pytest.approx(share if total else float(k == played), abs=1e-6)
                expected = target if k == played else means.get(k, 0.0)
                assert got[place].targets[k] == pytest.approx(expected, abs=1e-5)
            assert len(got[place].visits) == len(described)
            target = means[played] + td_lambda * (target - means[played])


def test_games_side_by_side_teach_what_each_teaches_alone() -> None:
    case, deals = CASES[1], [1, 2, 3, 4]
    together, alone = taught(case, deals, 1.0), [taught(case, [deal], 1.0) for deal in deals]
    assert together.won == sum(one.won for one in alone)
    assert together.moves == sum(one.moves for one in alone)

    def lessons(one: Searched) -> list[tuple[Any, ...]]:
        return [(candidates_in(row), *(part.tobytes() for part in rest)) for row, *rest in one.decisions]

    assert sorted(lessons(together)) == sorted(lesson for one in alone for lesson in lessons(one))
