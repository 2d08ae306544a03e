"""The trained agents that come with the package: strong, described, and at home in series of their game."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import KITS, choices_of, find_agent
from solitaire_agents.pyramid.choices import pyramid_choices
from solitaire_agents.trained import CARD, SHIPPED, WEIGHTS
from solitaire_envs import pyramid
from solitaire_envs.cards import draw_deals
from solitaire_envs.catalogue import find_entry
from solitaire_envs.engine import Engine
from solitaire_envs.game import make_options
from solitaire_envs.series import PAR, PyramidParOptions
from solitaire_evaluation.play import play

FOLDERS = [SHIPPED / name for kit in KITS.values() for name in kit.trained]
DEALS = np.arange(2**42, 2**42 + 200, dtype=np.uint64)


def mean_of(field: str, name: str, env: str, deals: Any = DEALS, **own: Any) -> float:
    entry = find_entry(env)
    options = make_options(entry.game.options, {**entry.preset, **own})
    return float(play(find_agent(name, entry.game, options), entry.game, options, deals).column(field).mean())


@pytest.mark.parametrize(
    ("env", "own", "field", "rule", "floor"),
    [
        ("solitaire/Pyramid-v0", {"objective": "win"}, "won", "careful", 0.50),
        ("solitaire/Pyramid-v0", {"objective": "score"}, "score", "careful", 8),
        ("solitaire/Pyramid-v0", {"objective": "win", "passes": 2}, "won", "careful", 0.22),
        ("solitaire/Pyramid-v0", {"objective": "win", "passes": 9, "goal": "pyramid"}, "won", "careful", 0.58),
        ("solitaire/Pyramid-v0", {"passes": 1, "stock_waste_pairs": False}, "score", "careful", -24),
        ("solitaire/TourInfernaleOnePass-v0", {}, "won", "thrifty", 0.84),
        ("solitaire/TourInfernale-v0", {"piles": 5, "passes": 2}, "won", "thrifty", 0.97),
        ("solitaire/Klondike-v0", {}, "won", "careful", 0.29),
        ("solitaire/KlondikeDrawOne-v0", {}, "won", "careful", 0.60),
    ],
)
def test_the_best_beats_the_rules(env: str, own: dict[str, Any], field: str, rule: str, floor: float) -> None:
    assert mean_of(field, "best", env, **own) > max(floor, mean_of(field, rule, env, **own))


def test_the_best_plays_series_of_its_game() -> None:
    assert mean_of("won", "best", "solitaire/PyramidPar-v0", DEALS[:30]) > 0.5
    assert mean_of("score", "best", "solitaire/TourInfernaleSprint-v0", DEALS[:8]) > 6.5


def test_the_best_plays_the_deals_of_a_series_as_any_others() -> None:
    """It follows its lines there too; one that chose anew after each move could go in circles."""
    sprint, single = find_entry("solitaire/TourInfernaleSprint-v0"), find_entry("solitaire/TourInfernale-v0")
    rules = single.game.options()
    series, alone = Engine(sprint.game, sprint.game.options(), 1), Engine(single.game, rules, 1)
    players = find_agent("best", sprint.game, sprint.game.options()), find_agent("best", single.game, rules)
    series.deal_numbers([5])
    deals, stream, number = 0, np.array([5], np.uint64), np.array([5], np.uint64)
    alone.deal_numbers(number)
    while not series.states.ended[0]:
        action = players[0].choose(series)
        assert action == players[1].choose(alone)
        series.step(action)
        alone.step(action)
        if alone.states.ended[0]:
            deals, number = deals + 1, draw_deals(stream)
            alone.deal_numbers(number)
    assert deals == series.outcome(0)["score"] > 5


@pytest.mark.parametrize("name", ["best", "planner"])
def test_where_no_agent_has_learned_the_rules_it_says_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KITS, "klondike", replace(KITS["klondike"], trained=("klondike",)))
    with pytest.raises(
        ValueError, match=f"expected rules for {name} that a trained agent of klondike has learned, .*; got draw=1, ret"
    ):
        mean_of("score", name, "solitaire/Klondike-v0", draw=1, passes=2)


def test_where_every_deal_is_won_the_best_takes_few_moves() -> None:
    env, own = "solitaire/TourInfernale-v0", {"deals": DEALS[:60]}
    assert mean_of("won", "best", env, **own) == 1
    assert mean_of("moves", "best", env, **own) < min(145, mean_of("moves", "thrifty", env, **own) - 4)


def test_options_that_the_choices_do_not_know_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a new option of the rules that nobody has told the choices."""
    forgetful = replace(KITS["pyramid"], choices=lambda options: replace(pyramid_choices(options), rules={}))
    monkeypatch.setitem(KITS, "pyramid", forgetful)
    assert choices_of(pyramid.GAME, pyramid.PyramidOptions(objective="win", max_moves=50))
    assert choices_of(PAR, PyramidParOptions(games=3))
    with pytest.raises(ValueError, match="expected passes=3 for trained agents; got 2"):
        choices_of(pyramid.GAME, pyramid.PyramidOptions(passes=2))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_has_a_model_card_and_is_small(folder: Any) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    for word in ("recipe", "training", "deals", "command", "result"):
        assert f"| {word} |" in text
    assert (folder / CARD).exists()
    assert (folder / WEIGHTS).stat().st_size < 4_500_000


def test_no_other_folder_is_there() -> None:
    assert sorted(SHIPPED.iterdir()) == sorted(FOLDERS)


def test_klondike_is_lost_only_where_nothing_is_left_to_gain() -> None:
    """Lines may lead through one position in both directions: older ones must not be followed, in circles."""
    entry = find_entry("solitaire/KlondikeDrawOne-v0")
    options = make_options(entry.game.options, {**entry.preset, "max_moves": 1_000})
    agent, engine = find_agent("best", entry.game, options), Engine(entry.game, options, 200)
    engine.deal_numbers(DEALS[:200])
    playing, actions = np.arange(200), np.zeros(200, np.int64)
    given_up = np.zeros(200, np.bool_)
    while len(playing):
        if engine.states.moves.max() >= 990:
            seen = engine.buffers.observations, engine.buffers.action_masks
            given_up[playing] |= [not len(agent.rate_candidates(seen[0][i], seen[1][i])[0]) for i in playing]
        actions[playing] = agent.choose(engine, playing)
        engine.step(actions)
        playing = np.flatnonzero(~engine.states.ended)
    lost = engine.buffers.outcomes["won"] == 0
    assert lost.sum() > 30
    assert given_up[lost].all()
