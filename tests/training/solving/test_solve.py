"""One deal solved, with its line of play."""

from typing import Any

import pytest

from solitaire_agents.kit import Status
from solitaire_envs import pyramid, series, tour_infernale
from solitaire_envs.cards import deck_of_deal
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import PyramidOptions
from solitaire_envs.tour_infernale import TourInfernaleOptions
from solitaire_envs.transcript import Transcript, parse_transcript
from solitaire_evaluation.solving.solve import Answer, solve_deal

DEALS = range(12)


def solved(deal: int, goal: str, options: PyramidOptions, max_nodes: int | None = None) -> Answer:
    return solve_deal(pyramid.GAME, options, deck_of_deal(deal), goal, max_nodes, deal=deal)


def last_position(transcript: Transcript) -> Engine:
    """Replays a transcript; returns the engine after its last move."""
    *_, engine = transcript.replay()
    return engine


@pytest.mark.parametrize("wins", ["all", "pyramid"])
@pytest.mark.parametrize("goal", ["win", "score"])
def test_solutions_replay_to_what_they_claim(goal: str, wins: Any) -> None:
    seen = set()
    for deal in DEALS[:6]:
        answer = solved(deal, goal, PyramidOptions(goal="all" if goal == "score" else wins))
        seen.add(answer.status)
        if answer.transcript is None:
            assert answer.status is Status.IMPOSSIBLE
            continue
        outcome = last_position(parse_transcript(answer.transcript.to_text())).outcome(0)
        assert outcome["won"] or goal == "score"
        if goal != "win":
            assert answer.value == outcome["score" if goal == "score" else "moves"]
    assert Status.SOLVED in seen


def test_the_first_goal_is_the_default() -> None:
    assert solved(7, "", PyramidOptions()) == solved(7, "score", PyramidOptions())


def test_a_limit_gives_unknown_never_a_guess() -> None:
    assert Status.UNKNOWN in {solved(deal, "win", PyramidOptions(), 1).status for deal in DEALS}


def test_wrong_goal() -> None:
    with pytest.raises(ValueError, match="expected a goal among score, win"):
        solved(0, "best", PyramidOptions())
    with pytest.raises(ValueError, match="expected a goal among win; got 'score'"):
        solve_deal(tour_infernale.GAME, TourInfernaleOptions(), deck_of_deal(0), "score")


def test_a_series_has_no_solver() -> None:
    with pytest.raises(
        ValueError,
        match="expected a game with a solver, one of pyramid, tour_infernale, klondike, .* and [0-9]+ more; got",
    ):
        solve_deal(series.PAR, series.PAR.options(), deck_of_deal(0))


@pytest.mark.parametrize("goal", ["all", "pyramid"])
def test_a_line_is_replayed_under_the_goal_that_is_searched_for(goal: Any) -> None:
    answer = solved(7, "win", PyramidOptions(goal=goal))
    assert answer.transcript is not None
    assert last_position(answer.transcript).outcome(0)["cleared"]


@pytest.mark.parametrize(
    ("goal", "options", "message"),
    [
        ("", {"max_moves": 5}, "expected max_moves=None for the solver; got 5"),
        ("score", {"goal": "pyramid"}, "expected goal='all', under which goal 'score' is searched for; got 'pyramid'"),
    ],
)
def test_an_option_is_honoured_or_refused(goal: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solved(7, goal, PyramidOptions(**options))


def test_la_tour_infernale_has_no_limit_of_moves_either() -> None:
    for limit in (1_000, None):
        assert solve_deal(
            tour_infernale.GAME, TourInfernaleOptions(passes=1, max_moves=limit), deck_of_deal(3)
        ).transcript
    with pytest.raises(ValueError, match="expected max_moves=1000 or None for the solver; got 5"):
        solve_deal(tour_infernale.GAME, TourInfernaleOptions(passes=1, max_moves=5), deck_of_deal(3))


def test_la_tour_infernale() -> None:
    answer = solve_deal(tour_infernale.GAME, TourInfernaleOptions(passes=1), deck_of_deal(3))
    assert answer.transcript is not None
    assert answer.transcript.deck is not None  # no deal number was given
    assert last_position(parse_transcript(answer.transcript.to_text())).outcome(0)["won"]


def test_an_answer_as_text() -> None:
    text = solved(7, "score", PyramidOptions()).to_text()
    assert text.startswith("solved, ")
    assert " positions searched)\n\nsolitaire-rl transcript 1\n" in text
    unknown = solved(7, "score", PyramidOptions(), 1)
    assert unknown.to_json() == {"status": "unknown", "value": None, "nodes": unknown.nodes, "moves": None}
