"""What follows planned lines: it plans as seldom as it can, alike for equal games, and forgets in time."""

from collections.abc import Hashable, Iterator

import numpy as np
import pytest

from solitaire_agents import line_follower
from solitaire_agents.line_follower import LineFollower

MASK = np.array([False, True, True, True])


class _Counter(LineFollower):
    """Plays on numbers; a line goes from a number to the next multiple of ten, and says 3 on its way."""

    name, action = "counter", 3

    def __init__(self) -> None:
        super().__init__()
        self.planned: list[int] = []

    def _key(self, row: list[int]) -> Hashable:
        return row[0]

    def _best_line(self, row: list[int]) -> Iterator[tuple[Hashable, int]]:
        self.planned.append(row[0])
        return ((number, self.action) for number in range(row[0], -(-row[0] // 10) * 10))


def act(agent: LineFollower, *numbers: int) -> list[int]:
    observations = np.array(numbers, np.int16)[:, None]
    return agent.act(observations, np.tile(MASK, (len(numbers), 1))).tolist()


def test_plans_once_a_line() -> None:
    agent = _Counter()
    assert [act(agent, number) for number in range(5, 12)] == [[3]] * 5 + [[1], [3]]  # no line starts at ten
    assert agent.planned == [5, 10, 11]


def test_the_newest_line_through_a_position_counts() -> None:
    """Or a game that comes back to a position might follow an older line to where it was before, and so on for ever."""
    agent = _Counter()
    assert act(agent, 5) == [3]
    agent.action = 2
    assert act(agent, 4) == [2]
    assert act(agent, 5) == [2]
    assert not agent.memoryless


def test_equal_games_follow_one_line() -> None:
    agent = _Counter()
    assert act(agent, 5, 5) == act(agent, 6, 6) == act(agent, 9, 7) == [3, 3]
    assert agent.planned == [5]


def test_a_new_seed_forgets_all_lines() -> None:
    agent = _Counter()
    act(agent, 5)
    agent.seed(1)
    act(agent, 6)
    assert agent.planned == [5, 6]


def test_a_line_that_is_asked_for_again_is_not_planned_again() -> None:
    agent = _Counter()
    for _ in range(2):
        agent.seed(0)
        assert act(agent, 5) == [3]
    agent.seed(1)
    act(agent, 5)
    assert agent.planned == [5, 5]


def test_the_oldest_lines_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_follower, "CAPACITY", 10)
    agent = _Counter()
    for start in (0, 11, 21, 31):
        act(agent, start)  # at ten no line starts; nine positions each from the others
    assert act(agent, 32, 29) == [3, 3]
    assert agent.planned == [0, 11, 21, 31]
    act(agent, 12)
    assert agent.planned == [0, 11, 21, 31, 12]
