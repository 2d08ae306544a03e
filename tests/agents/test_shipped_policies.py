"""The policies that come with the package: strong, described, and at home in series of their game."""

from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_agents.policy import CARD, SHIPPED, WEIGHTS
from solitaire_envs.catalogue import find_entry
from solitaire_envs.game import make_options
from solitaire_training.evaluate import play

DEALS = np.arange(2**42, 2**42 + 400, dtype=np.uint64)


def won_by(name: str, env: str, deals: Any, field: str = "won") -> float:
    entry = find_entry(env)
    options = make_options(entry.game.options, entry.preset)
    return float(play(find_agent(name, entry.game, options), entry.game, options, deals).column(field).mean())


@pytest.mark.parametrize(
    ("env", "rule", "floor"),
    [("solitaire/Pyramid-v0", "careful", 0.38), ("solitaire/TourInfernaleOnePass-v0", "thrifty", 0.65)],
)
def test_the_best_beats_the_rules(env: str, rule: str, floor: float) -> None:
    assert won_by("best", env, DEALS) > max(floor, won_by(rule, env, DEALS))


def test_a_policy_plays_series_of_its_game() -> None:
    assert won_by("best", "solitaire/PyramidPar-v0", DEALS[:60]) > 0.5
    assert won_by("best", "solitaire/TourInfernaleSprint-v0", DEALS[:10], "score") > 3


@pytest.mark.parametrize("folder", sorted(SHIPPED.iterdir()), ids=lambda folder: folder.name)
def test_each_has_a_model_card_and_is_small(folder: Any) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    for word in ("recipe", "training", "deals", "command", "result"):
        assert f"| {word} |" in text
    assert (folder / CARD).exists()
    assert (folder / WEIGHTS).stat().st_size < 4_000_000
