"""What follows planned lines: it plans as seldom as it can, alike for equal games, and forgets in time."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents import line_follower
from solitaire_agents.line_follower import LineFollower
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.engine import Engine
from solitaire_envs.game import Options, make_options
from solitaire_envs.series import SPRINT
from solitaire_envs.tour_infernale import AT, DRAW, GAME, STOCK_SIZE, stock_cards

OPTIONS = GAME.options(information="open")
OTHER, LAST = 3, 2
"""Actions."""


@cache
def positions() -> NDArray[np.int16]:
    """Returns the observations of one deal after no draw, one draw, and so on."""
    engine, seen = Engine(GAME, OPTIONS, 1), []
    engine.deal_numbers([0])
    for _ in range(40):
        seen.append(engine.buffers.observations[0].copy())
        engine.step(np.array([DRAW]))
    return np.array(seen)


MASK = np.array([False, True, True, True])


class _Counter(LineFollower):
    """Draws cards; a line goes from a number of cards to the next multiple of ten, and then says `last`."""

    name = "counter"

    def __init__(self, options: Options = OPTIONS) -> None:
        super().__init__(GAME, options)
        self.planned: list[int] = []
        self.last: list[int] = []

    def _best_line(self, observation: NDArray[np.int16]) -> Sequence[int]:
        drawn = int((observation[AT.waste : AT.waste + STOCK_SIZE] > 0).sum())
        self.planned.append(drawn)
        return [DRAW] * (-drawn % 10) + self.last


def act(agent: LineFollower, *numbers: int) -> list[int]:
    return agent.act(positions()[list(numbers)], np.tile(MASK, (len(numbers), 1))).tolist()


def test_plans_once_a_line() -> None:
    agent = _Counter()
    assert [act(agent, number) for number in range(5, 12)] == [[DRAW]] * 5 + [[1], [DRAW]]  # no line starts at ten
    assert agent.planned == [5, 10, 11]


def test_the_newest_line_through_a_position_counts() -> None:
    """Or a game that comes back to a position might follow an older line to where it was before, and so on for ever."""
    agent = _Counter()
    for start, last in ((5, OTHER), (4, LAST)):
        agent.last = [last]
        assert act(agent, start) == [DRAW]
        assert act(agent, 10) == [last]
    assert agent.planned == [5, 4]
    assert not agent.memoryless


def test_a_line_goes_on_in_a_series_whose_moves_are_counted() -> None:
    agent, engine = _Counter(), Engine(SPRINT, make_options(SPRINT.options, {"information": "open"}), 1)
    engine.deal_numbers([0])
    for _ in range(9):
        assert agent.choose(engine).tolist() == [DRAW]
        engine.step(np.array([DRAW]))
    assert agent.planned == [0, 1]  # at 0 no line starts


@pytest.mark.parametrize("left", [1, 2])
def test_a_card_that_is_hidden_alone_is_known(left: int) -> None:
    engine, agent = Engine(GAME, GAME.options(), 1), _Counter(GAME.options())
    engine.deal_numbers([0])
    for _ in range(46 - left):
        engine.step(np.array([DRAW]))
    state = agent._imagine(engine.buffers.observations[0])
    assert (NUM_CARDS in stock_cards(state)) == (left > 1)
    assert left > 1 or stock_cards(state) == stock_cards(engine.states[0])


def test_equal_games_follow_one_line() -> None:
    agent = _Counter()
    assert act(agent, 5, 5) == act(agent, 6, 6) == act(agent, 9, 7) == [DRAW] * 2
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
        assert act(agent, 5) == [DRAW]
    agent.seed(1)
    act(agent, 5)
    assert agent.planned == [5, 5]


def test_the_oldest_lines_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_follower, "CAPACITY", 10)
    agent = _Counter()
    for start in (0, 11, 21, 31):
        act(agent, start)  # at ten no line starts; nine positions each from the others
    assert act(agent, 32, 29) == [DRAW] * 2
    assert agent.planned == [0, 11, 21, 31]
    act(agent, 12)
    assert agent.planned == [0, 11, 21, 31, 12]
