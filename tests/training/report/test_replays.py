"""The games on the page."""

import json
import re
from pathlib import Path

from solitaire_training.evaluation.agent_specs import find_agent_specs
from solitaire_training.evaluation.env_spec import make_env_spec
from solitaire_training.report.replays import Replayer
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
