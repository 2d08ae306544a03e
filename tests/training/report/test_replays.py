"""The games on the page."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from solitaire_training.evaluation.agent_specs import find_agent_specs
from solitaire_training.evaluation.env_spec import make_env_spec
from solitaire_training.report.replays import Replayer, to_script
from tests.training.comparing import TOUR


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
            chances = [chance for _, chance in frame["chances"]]
            assert chances == sorted(chances, reverse=True)
            assert 0 < sum(chances) <= 1.001
            assert frame["move"] == frame["chances"][0][0]
            assert frame["value"].startswith("expects")


def test_a_game_that_was_won_could_be_won() -> None:
    """Also from positions that the solver leaves open, as the first ones of this deal."""
    env_spec = make_env_spec(TOUR, {})
    (tidy,) = find_agent_specs(["tidy"], env_spec.game, env_spec.options)
    *frames, _ = Replayer(env_spec, tidy).play(1, "won")["frames"]
    assert all(frame["solver"]["winnable"] for frame in frames)


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

    monkeypatch.setattr("solitaire_training.report.replays._verdict", unsettled)
    positions = len(Replayer(env_spec, greedy).play(3, "lost")["frames"]) - 1
    assert positions > 40
    assert len(asked) == 10 + sum(place % 10 == 0 for place in range(10, positions))
