"""The games on the page."""

import json
import re
from pathlib import Path

import pandas as pd

from solitaire_training.evaluation.agent_specs import AgentSpec, find_agent_specs
from solitaire_training.evaluation.env_spec import make_env_spec
from solitaire_training.report.replays import Replayer, choose_agent, choose_deals, to_script
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


def specs(*names: str) -> dict[str, AgentSpec]:
    env_spec = make_env_spec(PYRAMID, {})
    return {spec.name: spec for spec in find_agent_specs(names, env_spec.game, env_spec.options)}


def test_the_best_fair_agent_that_plays_the_same_again_is_shown() -> None:
    agents = specs("uniform", "pyramid-first", "careful", "oracle")
    scores = {"oracle": 9.0, "uniform": 8.0, "careful": 3.0, "pyramid-first": 1.0}
    outcomes = pd.DataFrame({"agent": list(scores), "score": list(scores.values())})
    assert choose_agent(outcomes, agents).name == "careful"
    assert choose_agent(outcomes[:2], agents).name == "uniform"
    assert choose_agent(outcomes[:1], agents).name == "oracle"


def test_a_win_a_loss_that_need_not_be_and_the_largest_regret_are_shown() -> None:
    labels = pd.DataFrame({"deal": range(5), "winnable": [0, 1, 1, 1, 1], "best_score": [-8.0, 20, 35, 35, 20]})
    outcomes = pd.DataFrame(
        {"agent": "a", "deal": range(5), "won": [False, False, True, False, True], "score": [-20, 4, 35, -30, 20]}
    )
    assert list(choose_deals(outcomes, labels, "a")) == [
        (2, "the first deal won"),
        (1, "the first deal lost that could be won"),
        (3, "the deal with the largest regret"),
    ]


def test_no_text_ends_the_script_of_the_page() -> None:
    script = to_script([{"agent": "</script><b>"}])
    assert "<" not in script
    assert json.loads(script) == [{"agent": "</script><b>"}]
