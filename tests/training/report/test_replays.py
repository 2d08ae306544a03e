"""The games on the page."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from solitaire_evaluation.agent_specs import AgentSpec, find_agent_specs
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.report.replays import Replayer, deals_to_show, ranked_agents, to_script
from tests.training.comparing import PYRAMID, TOUR


def test_games_on_the_page(trained: Path) -> None:
    page = (trained / "r" / "report.html").read_text(encoding="utf-8")
    scripts = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    pyramid_games, tour_games = (json.loads(script) for script in scripts)
    assert pyramid_games
    assert tour_games
    for game in pyramid_games:
        *frames, last = game["frames"]
        assert last["move"] is None
        assert all(place < len(game["spots"]) for frame in game["frames"] for place in frame["spots"])
        if game["agent"] not in ("ppo#1", "ppo#2"):
            continue
        bests = [frame["solver"]["best"] for frame in frames]
        assert bests == sorted(bests, reverse=True)  # no move makes the optimum better
        outlook = [frame["solver"]["winnable"] for frame in frames]
        assert outlook == sorted(outlook, reverse=True)
        for frame in frames:
            chances = [one["chance"] for one in frame["chances"]]
            assert chances == sorted(chances, reverse=True)
            assert 0 < sum(chances) <= 1.001
            assert frame["move"] == frame["chances"][0]["move"]
            assert frame["value"].startswith("expects")


def test_a_game_that_was_won_could_be_won() -> None:
    """Also from positions that the solver leaves open, as the first ones of this deal."""
    env_spec = make_env_spec(TOUR, {})
    (thrifty,) = find_agent_specs(["thrifty"], env_spec.game, env_spec.options)
    *frames, _ = Replayer(env_spec, thrifty).play(1, "won")["frames"]
    assert all(frame["solver"]["winnable"] for frame in frames)


def specs(*names: str) -> dict[str, AgentSpec]:
    env_spec = make_env_spec(PYRAMID, {})
    return {spec.name: spec for spec in find_agent_specs(names, env_spec.game, env_spec.options)}


def test_fair_agents_that_play_the_same_again_are_offered_first() -> None:
    agents = specs("uniform", "pyramid-first", "careful", "oracle")
    scores = {"oracle": 9.0, "uniform": 8.0, "careful": 3.0, "pyramid-first": 1.0}
    outcomes = pd.DataFrame({"agent": list(scores), "score": list(scores.values())})
    ranked = [agent.name for agent in ranked_agents(outcomes, agents)]
    assert ranked == ["careful", "pyramid-first", "uniform", "oracle"]


def test_a_win_a_loss_that_need_not_be_and_the_largest_regret_are_shown() -> None:
    labels = pd.DataFrame({"deal": range(5), "winnable": [0, 1, 1, 1, 1], "best_score": [-8.0, 20, 35, 35, 20]})
    outcomes = pd.DataFrame(
        {"agent": "a", "deal": range(5), "won": [False, False, True, False, True], "score": [-20, 4, 35, -30, 20]}
    )
    assert list(deals_to_show(outcomes, labels, "a").items()) == [
        (2, "the first deal won"),
        (1, "the first deal lost that could be won"),
        (3, "the deal with the largest regret"),
    ]


def test_no_text_ends_the_script_of_the_page() -> None:
    script = to_script([{"agent": "</script><b>", "frames": []}])
    assert "<" not in script
    assert json.loads(script)[0]["agent"] == "</script><b>"


def test_spots_are_written_once() -> None:
    spot, other = [0.0, 1.0, 5, 3, "", ""], [1.0, 1.0, 6, 0, "", ""]
    game = {"frames": [{"spots": [spot, other]}, {"spots": [other]}]}
    assert json.loads(to_script([game])) == [{"frames": [{"spots": [0, 1]}, {"spots": [1]}], "spots": [spot, other]}]


def test_the_solver_is_asked_seldom_where_it_settles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    env_spec = make_env_spec(TOUR, {})
    (greedy,) = find_agent_specs(["greedy"], env_spec.game, env_spec.options)
    asked: list[bool] = []

    def unsettled(engine: Any, *, lost: bool) -> dict[str, Any]:
        asked.append(lost)
        return {"winnable": None, "best": None}

    monkeypatch.setattr("solitaire_evaluation.report.replays._verdict", unsettled)
    positions = len(Replayer(env_spec, greedy).play(3, "lost")["frames"]) - 1
    assert positions > 40
    assert len(asked) == 10 + sum(place % 10 == 0 for place in range(10, positions))


def test_what_a_language_model_said_stands_beside_its_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "examples"))
    env_spec = make_env_spec(PYRAMID, {})
    (agent,) = find_agent_specs(["text_agent:FirstDiscard"], env_spec.game, env_spec.options)
    *frames, last = Replayer(env_spec, agent).play(1, "lost")["frames"]
    assert frames
    assert all(frame["said"] == frame["move"] for frame in frames)
    assert "said" not in last
