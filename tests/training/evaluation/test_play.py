"""Playing a list of deals."""

from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_agents.uniform import UniformAgent
from solitaire_training.evaluation.env_spec import make_env_spec
from solitaire_training.evaluation.play import play
from tests.training.comparing import DEALS, PYRAMID, TOUR


@pytest.mark.parametrize("passes", [1, None])
@pytest.mark.parametrize("agent", ["greedy", "uniform"])
def test_games_that_need_not_end_are_refused(agent: str, passes: int | None) -> None:
    env_spec = make_env_spec(TOUR, {"passes": passes, "max_moves": None})
    with pytest.raises(ValueError, match="expected max_moves, for games of tour_infernale need not end without"):
        play(find_agent(agent, env_spec.game, env_spec.options), env_spec.game, env_spec.options, DEALS)


def test_an_illegal_action_is_an_error() -> None:
    class Cheat(UniformAgent):
        def act(self, observations: Any, action_masks: Any) -> Any:
            return np.argmin(action_masks, axis=1)

    env_spec = make_env_spec(PYRAMID, {})
    with pytest.raises(ValueError, match="expected a legal action from uniform, got .* in deal 7"):
        play(Cheat(), env_spec.game, env_spec.options, [7, 8])


def test_the_same_call_gives_the_same_outcomes() -> None:
    env_spec = make_env_spec(PYRAMID, {})
    agent = UniformAgent()
    played = [play(agent, env_spec.game, env_spec.options, DEALS[:50], seed=seed).outcomes for seed in (3, 3, 4)]
    assert (played[0] == played[1]).all()
    assert (played[0] != played[2]).any()
