"""What the solver's answers say about each other: they cannot all be right if one of these relations does not hold.

No second solver is needed. Nearly no deal is proved lost, so the positions are late ones.

Six piles never win less than five with the same deck: the sixth card, which lies there alone, may stay until the line
for five piles plays it from the waste, where it is the lowest card. But so early nearly nothing is proved lost. So five
piles are compared with the same five and an empty one.
"""

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from solitaire_agents.tour_infernale.solver.api import new_memory, solve
from tests.agents.tour_infernale.positions import Position
from tests.agents.tour_infernale.test_solver import after, met_in_play, replay
from tests.reference import tour_infernale_search as oracle

MEMORY = new_memory(64)
MAX_NODES = 60_000
PASSES = (1, 2, 3)


class Relations:
    """Counts of comparisons, and of those that contradict each other; what is not settled is not compared."""

    def __init__(self) -> None:
        self.compared, self.wrong, self.answers = Counter[str](), Counter[str](), Counter[str]()

    def answer(self, position: Position, passes: int | None) -> bool | None:
        """Returns whether a position can be won; None: not settled."""
        status = solve(position.state, position.options(passes), max_nodes=MAX_NODES, memory=MEMORY).status
        self.answers[str(status)] += 1
        return status.answer

    def note(self, name: str, one: bool | None, other: bool | None, *, at_most: bool = False) -> None:
        """Compares two answers, which have to be equal, or the first is at most the second."""
        if one is None or other is None:
            return
        self.compared[name] += 1
        self.wrong[name] += one > other if at_most else one != other


def renamed(position: Position, rng: random.Random) -> Position:
    """Returns a position with its suits renamed and its piles in another order."""
    suits = rng.sample(range(4), 4)

    def rename(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(13 * suits[card // 13] + card % 13 for card in cards)

    foundations = [0] * 4
    for suit, height in zip(suits, position.foundations, strict=True):
        foundations[suit] = height
    return replace(
        position,
        tableau=tuple(rename(pile) for pile in rng.sample(position.tableau, len(position.tableau))),
        stock=rename(position.stock),
        waste=rename(position.waste),
        foundations=tuple(foundations),
    )


def compare_position(relations: Relations, position: Position, rng: random.Random) -> None:
    """Compares a position under several numbers of passes with each other, and with what it may become."""
    answers = [relations.answer(position, passes) for passes in PASSES]
    for fewer, more in pairwise(answers):
        relations.note("one more pass", fewer, more, at_most=True)
    last = relations.answer(replace(position, pass_number=PASSES[-1]), PASSES[-1])
    relations.note("the last pass, whatever its number", answers[0], last)
    passes = rng.choices(PASSES, (8, 1, 1))[0]
    here = answers[passes - 1]
    relations.note("suits renamed", here, relations.answer(renamed(position, rng), passes))
    if len(position.tableau) == 5:
        wider = replace(position, tableau=(*position.tableau, ()))
        relations.note("one more empty pile", here, relations.answer(wider, passes), at_most=True)
    compare_moves(relations, position, passes, here)
    if here:
        line = solve(position.state, position.options(passes), max_nodes=MAX_NODES, memory=MEMORY).actions
        assert oracle.won(replay(position, line, passes))
        on_line = position.along(line)[:-1]
        for one in rng.sample(on_line, min(3, len(on_line))):
            relations.note("on the line", relations.answer(one, passes), True)


def compare_moves(relations: Relations, position: Position, passes: int, here: bool | None) -> None:
    """Compares a position with those after its moves: it can be won if one of them can."""
    found = [(one, relations.answer(one, passes)) for one in after(position, passes)]
    if sum(position.foundations) < 52 and None not in [answer for _, answer in found]:
        relations.note("the best of the moves", here, any(answer for _, answer in found))
    for one, answer in found:
        relations.note("a position before", answer, here, at_most=True)
        if (one.waste, one.stock, one.foundations) == (position.waste, position.stock, position.foundations):
            relations.note("a move that can be undone", answer, here)


def compare(first: int, deals: int) -> None:
    """Compares the answers for positions from deals with five and six piles; prints the counts."""
    relations = Relations()
    for deal in range(first, first + deals):
        for piles in (5, 6):
            rng = random.Random(deal)
            compare_position(relations, met_in_play(deal, piles, rng), rng)
    print(dict(relations.answers))
    for name, compared in relations.compared.items():
        print(f"{name}: {relations.wrong[name]} of {compared:,}")
    assert len(relations.compared) == 8
    assert not relations.wrong.total()
    assert relations.answers["impossible"] > relations.answers.total() / 20
    assert relations.answers["unknown"] < relations.answers.total() / 2


def test_answers_agree_with_each_other() -> None:
    compare(0, 12)


@pytest.mark.slow
def test_answers_for_2_000_deals_agree_with_each_other() -> None:
    compare(1_000, 2_000)
