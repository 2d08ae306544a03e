"""What the odds are counted from agrees with one question at a time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from solitaire_agents.kit import OPEN, WINNABLE
from solitaire_agents.tour_infernale import odds
from solitaire_agents.tour_infernale.odds import RULES, TourInfernaleOdds
from solitaire_agents.tour_infernale.solver.api import IMPOSSIBLE, SOLVED, UNKNOWN, new_memory, solve
from solitaire_envs.cards import decks_of_deals

DEALS = np.arange(1_000_000_000, 1_000_000_010, dtype=np.uint64)


def test_odds_are_those_of_each_question_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odds, "ODDS_NODES", 10_000)
    found = TourInfernaleOdds().label(DEALS)
    assert (found[:, 0] == DEALS).all()
    memory = new_memory()
    for column, (piles, passes) in enumerate(RULES.values(), start=1):
        for deck, answer in zip(decks_of_deals(DEALS), found[:, column], strict=True):
            assert answer in (WINNABLE, OPEN)
            if answer == WINNABLE:
                assert solve(deck, piles=piles, passes=passes, max_nodes=2_000_000, memory=memory).status == "solved"
    assert (found[:, 1] == OPEN).any()
    assert (found[:, 1] == WINNABLE).any()
    assert (found[:, 4] >= found[:, 1:4].max(axis=1)).all()


@pytest.mark.parametrize(
    ("won", "answers"),
    [
        ((5, 1), [1, 1, 1, 1]),
        ((5, 2), [-1, 1, 0, 1]),
        ((6, 1), [-1, -1, 1, 1]),
        ((6, 2), [-1, -1, 0, 1]),
        (None, [-1, -1, 0, -1]),
    ],
)
def test_a_win_of_a_harder_game_is_a_win(
    won: tuple[int, int] | None, answers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(decks: Sequence[object], *, piles: int, passes: int, **rest: object) -> np.ndarray[Any, Any]:
        lost = IMPOSSIBLE if (piles, passes) == (6, 1) else UNKNOWN
        return np.full((len(decks), 3), SOLVED if (piles, passes) == won else lost)

    monkeypatch.setattr(odds, "solve_many", answer)
    assert TourInfernaleOdds().label(DEALS[:1]).tolist() == [[DEALS[0], *answers]]


def test_shares_of_wins_and_of_open_deals() -> None:
    summary = TourInfernaleOdds().summary(np.array([[0, -1, 1, 1, 1], [1, 1, 1, 1, 1]]))
    assert summary["five piles one pass, winnable"].mean() == summary["five piles one pass, open"].mean() == 0.5
    assert summary["six piles two passes, winnable"].all()
