"""Games that repeat themselves are cut short without a change of their outcomes."""

import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_training.evaluation.env_spec import make_env_spec
from solitaire_training.evaluation.play import play
from tests.training.comparing import DEALS, TOUR


@pytest.mark.parametrize("agent", ["foundation-only", "greedy", "tidy"])
def test_games_that_repeat_themselves_end_as_they_would(agent: str) -> None:
    env_spec = make_env_spec(TOUR, {})
    chosen = find_agent(agent, env_spec.game, env_spec.options)
    cut = play(chosen, env_spec.game, env_spec.options, DEALS)
    chosen.memoryless = False
    assert (play(chosen, env_spec.game, env_spec.options, DEALS).outcomes == cut.outcomes).all()
    assert (cut.outcomes["moves"] == 1_000).any()
