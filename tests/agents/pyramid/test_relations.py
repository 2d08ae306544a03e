"""What the solver's answers say about each other: they cannot all be right if one of these relations does not hold.

No second solver is needed, so this reaches full deals under every rule set.
"""

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.kit import Status
from solitaire_envs.pyramid_table import POSITION
from tests.agents.pyramid.positions import GOALS, solve, solve_many
from tests.agents.pyramid.test_solver import replay, shuffled_deck, wander
from tests.reference import pyramid_search as oracle

PASSES = (1, 2, 3, 4)
RULES = [(passes, pairs) for passes in PASSES for pairs in (True, False)]
MIRRORED = [POSITION[row, row - column] for row, column in POSITION] + list(range(28, 52))
BONUS = dict(zip(PASSES, (*oracle.BONUS, 0), strict=True))
"""Number of passes -> the least bonus for clearing the pyramid within them."""

Answers = dict[tuple[str, int, bool], NDArray[np.int64]]
"""goal, passes, pairs -> for each deal whether it can be reached, or the score."""


class Relations:
    """Counts of comparisons, and of those that contradict each other."""

    def __init__(self) -> None:
        self.compared, self.wrong = Counter[str](), Counter[str]()

    def note(self, name: str, holds: NDArray[np.bool_] | bool) -> None:
        """Counts one comparison, or one for each deal."""
        self.compared[name] += np.size(holds)
        self.wrong[name] += int(np.size(holds) - np.sum(holds))


def answers_of(decks: NDArray[np.int64]) -> Answers:
    found: Answers = {}
    for passes, pairs in RULES:
        for goal in GOALS:
            rows = solve_many(decks, goal, passes, pairs)
            assert (rows[:, 0] != Status.UNKNOWN).all()
            found[goal, passes, pairs] = rows[:, 1] if goal == "score" else rows[:, 0]
    return found


def renamed(deck: list[int], rng: random.Random) -> list[int]:
    """Returns a deck with the suits of each rank renamed, each rank for itself."""
    suits = [rng.sample(range(4), 4) for _ in range(13)]
    return [13 * suits[card % 13][card // 13] + card % 13 for card in deck]


def compare_deals(relations: Relations, decks: NDArray[np.int64]) -> None:
    """Compares the answers for full deals under all rule sets."""
    found = answers_of(decks)
    for goal in GOALS:
        for pairs in (True, False):
            for fewer, more in pairwise(PASSES):
                relations.note("one more pass", found[goal, fewer, pairs] <= found[goal, more, pairs])
        for passes in PASSES:
            relations.note("pairs of stock and waste", found[goal, passes, False] <= found[goal, passes, True])
    for passes, pairs in RULES:
        everything, cleared, score = (found[goal, passes, pairs] for goal in GOALS)
        relations.note("all 52 cards include the 28", everything <= cleared)
        relations.note("a win's score", (score >= BONUS[passes]) | (everything == 0))
        relations.note("a clearing's score", (score >= BONUS[passes] - 24) | (cleared == 0))
        relations.note("a score without clearing", (score <= -2) | (cleared == 1))
    rng, no_answer = random.Random(0), np.zeros(len(decks), np.int64)
    for name, others in (
        ("suits renamed", np.array([renamed(deck, rng) for deck in decks.tolist()])),
        ("mirrored", np.stack([deck[MIRRORED] for deck in decks])),
    ):
        for key, values in answers_of(others).items():
            relations.note(name, values == found.get(key, no_answer))


def best_from(deck: list[int], state: oracle.State, passes: int, pairs: bool, goal: str) -> float:
    """Returns the answer as a number that is to be as high as possible: score, 0; - infinity: impossible."""
    found = solve(deck, goal, passes, pairs, state)
    assert found.status is not Status.UNKNOWN
    if found.status is Status.IMPOSSIBLE:
        return -np.inf
    return found.value or 0


def compare_moves(
    relations: Relations, deck: list[int], state: oracle.State, passes: int, pairs: bool, goal: str
) -> None:
    """Compares a position with those after its moves: its answer is the best of theirs."""
    best = best_from(deck, state, passes, pairs, goal)
    if not oracle.left(state) if goal == "all" else not state.pyramid and goal != "score":
        relations.note(f"{goal}: the goal reached", best == 0)
        return
    after = [best_from(deck, new, passes, pairs, goal) for _, new in oracle.moves(deck, state, passes, pairs)]
    at_end = state.bonus - oracle.left(state) if goal == "score" else -np.inf
    relations.note(f"{goal}: the best of the moves", best == max(after, default=at_end))


def compare_line(relations: Relations, deck: list[int], passes: int, pairs: bool, goal: str) -> None:
    """Compares the positions on the line of a full deal: each promises what the line reaches."""
    found = solve(deck, goal, passes, pairs)
    state = oracle.START
    for action in found.actions if found.status is Status.SOLVED else ():
        state = replay(deck, [action], state, passes, pairs)
        here = best_from(deck, state, passes, pairs, goal)
        relations.note(f"{goal}: on the line", here == (found.value or 0))


def compare(first: int, deals: int, lines: int) -> None:
    """Compares deals, and positions met in play, under all rule sets; prints the counts."""
    relations = Relations()
    for seed in range(first, first + deals, 50):
        compare_deals(relations, np.array([shuffled_deck(one) for one in range(seed, min(seed + 50, first + deals))]))
    for seed in range(first, first + deals):
        deck = shuffled_deck(seed)
        for number, (passes, pairs) in enumerate(RULES):
            state = wander(deck, passes, pairs, seed)
            for goal in GOALS:
                compare_moves(relations, deck, state, passes, pairs, goal)
            if seed < first + lines:
                compare_line(relations, deck, passes, pairs, GOALS[(seed + number) % 3])
    for name, compared in relations.compared.items():
        print(f"{name}: {relations.wrong[name]} of {compared:,}")
    assert len(relations.compared) == 16
    assert not relations.wrong.total()


def test_answers_agree_with_each_other() -> None:
    compare(0, 16, 2)


@pytest.mark.slow
def test_answers_for_2_000_deals_agree_with_each_other() -> None:
    compare(1_000, 2_000, 200)
