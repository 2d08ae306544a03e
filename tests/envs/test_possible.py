"""What a whole game can come to: every outcome of a game agrees with itself, and an altered one does not."""

from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import agents_of, find_agent
from solitaire_envs.catalogue import find_entry
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.play import play
from tests.environments import FEW_DECLARED, QUICK, TAUGHT

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "solitaire/Pyramid-v0": [{}, {"goal": "pyramid"}, {"passes": 1}, {"passes": 9}, {"max_moves": 3}],
    "solitaire/TourInfernale-v0": [{"max_moves": 60}, {"passes": 2}],
    "solitaire/TourInfernaleOnePass-v0": [{}, {"piles": 5}],
    "solitaire/Klondike-v0": [{"max_moves": 100}, {"passes": 2}],
    "solitaire/KlondikeDrawOne-v0": [{"passes": 1}],
}


def is_long(env: str, agent: str) -> bool:
    """Returns whether a rule has to be compiled for the declared game, which takes seconds each."""
    name = find_entry(env).game.name
    return agent != "uniform" and name in FEW_DECLARED and name not in TAUGHT


CASES = [
    pytest.param(env, options, agent, marks=[pytest.mark.slow] * is_long(env, agent))
    for env in QUICK
    for options in OPTIONS.get(env, [{}])
    for agent in ("uniform", "careful", "greedy")
    if agent in agents_of(find_entry(env).game)
]


def outcomes_of(env: str, options: dict[str, Any], agent: str = "uniform", deals: int = 60) -> tuple[Any, Any, Any]:
    spec = make_env_spec(env, options)
    played = play(find_agent(agent, spec.game, spec.options), spec.game, spec.options, range(deals))
    return spec.game, spec.options, played.outcomes


@pytest.mark.parametrize(("env", "options", "agent"), CASES)
def test_outcomes_of_games_are_possible(env: str, options: dict[str, Any], agent: str) -> None:
    game, chosen, outcomes = outcomes_of(env, options, agent)
    assert game.possible(chosen, outcomes).all()


@pytest.mark.parametrize(
    ("env", "fields"),
    [
        ("solitaire/Pyramid-v0", ("won", "cleared", "cleared_in_pass", "passes", "moves", "score")),
        ("solitaire/TourInfernaleOnePass-v0", ("won", "passes", "moves")),
        ("solitaire/Klondike-v0", ("won",)),
    ],
)
def test_altered_outcomes_are_not(env: str, fields: tuple[str, ...]) -> None:
    game, options, outcomes = outcomes_of(env, {}, "best")
    assert outcomes["won"].any()
    assert not outcomes["won"].all()
    for name in fields:
        altered = outcomes.copy()
        if game.outcome_dtype[name] == np.bool_:
            altered[name] = ~altered[name]
        else:
            altered[name] = 0 if name == "moves" else altered[name] + 51
        assert not game.possible(options, altered).any(), name
