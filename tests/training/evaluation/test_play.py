"""Playing a list of deals."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_agents.uniform import UniformAgent
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.play import play
from solitaire_evaluation.record import record_game
from tests.training.comparing import DEALS, PYRAMID, TOUR


@pytest.mark.parametrize("passes", [1, None])
@pytest.mark.parametrize("agent", ["greedy", "uniform"])
def test_games_that_need_not_end_are_refused(agent: str, passes: int | None) -> None:
    env_spec = make_env_spec(TOUR, {"passes": passes, "max_moves": None})
    with pytest.raises(ValueError, match="expected max_moves, since games of tour_infernale may go on for ever"):
        play(find_agent(agent, env_spec.game, env_spec.options), env_spec.game, env_spec.options, DEALS)


def test_an_illegal_action_is_an_error() -> None:
    class Cheat(UniformAgent):
        def act(self, observations: Any, action_masks: Any) -> Any:
            return np.argmin(action_masks, axis=1)

    env_spec = make_env_spec(PYRAMID, {})
    with pytest.raises(ValueError, match="expected a legal action from Cheat, got .* in deal 7"):
        play(Cheat(), env_spec.game, env_spec.options, [7, 8])


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (lambda n: np.full(n, 0.7), r"expected integers of shape \(2,\) from odd, got float64 of shape \(2,\)"),
        (lambda n: ["0"] * n, r"expected integers of shape \(2,\) from odd, got <U1 of shape \(2,\)"),
        (lambda n: np.ones(n, np.bool_), r"expected integers of shape \(2,\) from odd, got bool"),
        (lambda n: [None] * n, r"expected integers of shape \(2,\) from odd, got object"),
        (lambda n: 0, r"expected integers of shape \(2,\) from odd, got int64 of shape \(\)"),
        (lambda n: np.zeros((n, 1), int), r"expected integers of shape \(2,\) from odd, got int64 of shape \(2, 1\)"),
        (lambda n: np.zeros(1, int), r"expected integers of shape \(2,\) from odd, got int64 of shape \(1,\)"),
        (lambda n: [[0], [0, 1]], "expected actions from odd, got: .*inhomogeneous"),
        (
            lambda n: np.full(n, 2**64 - 1, np.uint64),
            "a legal action from odd, got 18446744073709551615 in deal 7",
        ),
        (lambda n: np.full(n, -1), "expected a legal action from odd, got -1 in deal 7"),
    ],
)
def test_actions_of_another_kind_are_refused(actions: Any, message: str) -> None:
    class Odd(UniformAgent):
        name = "odd"

        def act(self, observations: Any, action_masks: Any) -> Any:
            return actions(len(observations))

    env_spec = make_env_spec(PYRAMID, {})
    with pytest.raises(ValueError, match=message):
        play(Odd(), env_spec.game, env_spec.options, [7, 8])
    with pytest.raises(ValueError, match="expected (integers|actions|a legal action).* from odd, got|the truth value"):
        record_game(env_spec, Odd(), 7)


def test_small_integers_are_actions() -> None:
    class Narrow(UniformAgent):
        def act(self, observations: Any, action_masks: Any) -> Any:
            return action_masks.argmax(axis=1).astype(">i2")

    env_spec = make_env_spec(PYRAMID, {})
    assert len(play(Narrow(), env_spec.game, env_spec.options, [7, 8]).outcomes) == 2


def test_an_agent_does_not_choose_what_it_is_shown() -> None:
    class Mixed:
        def shown(self, options: Any) -> Any:
            return replace(options, information="open")

    with pytest.raises(TypeError, match="expected `fair = False` of Peeping, to see more; got a method `shown`"):

        class Peeping(Mixed, UniformAgent):  # type: ignore[misc]
            pass


def test_the_same_call_gives_the_same_outcomes() -> None:
    env_spec = make_env_spec(PYRAMID, {})
    agent = UniformAgent()
    played = [play(agent, env_spec.game, env_spec.options, DEALS[:50], seed=seed).outcomes for seed in (3, 3, 4)]
    assert (played[0] == played[1]).all()
    assert (played[0] != played[2]).any()
