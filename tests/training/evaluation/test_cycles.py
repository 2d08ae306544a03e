"""Games that repeat themselves are cut short without a change of their outcomes."""

from typing import Any

import numpy as np
import pytest

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import find_agent
from solitaire_envs.engine import Engine
from solitaire_envs.tour_infernale import DRAW, GAME, REDEAL, TourInfernaleOptions
from solitaire_training.evaluation.cycles import STRIDE, CycleDetector
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


def test_every_position_that_returns_is_found() -> None:
    """Whatever memory holds between the fields of a state."""
    engine = Engine(GAME, TourInfernaleOptions(passes=1), 1_000)
    detector = CycleDetector(engine, 1_000, {})
    for _ in range(STRIDE):  # nobody moves: each position is the one before
        detector.skip_cycles(np.arange(0))
        engine.states["moves"] += 1
        junk = [np.full(size, 255, np.uint8) for size in (100, 1_000, 10_000, 100_000, 1_000_000)]
        del junk
    for _ in range(STRIDE):
        detector.skip_cycles(np.arange(1_000))
        engine.states["moves"] += 1
    assert (engine.states["moves"] > 900).all()


class Drawer(Agent):
    """Draws and redeals until pass ``patience``, then plays the first legal move."""

    name, memoryless = "drawer", True

    def __init__(self, patience: int, saturates: dict[str, int]) -> None:
        self._patience, self.saturates, self.calls = patience, saturates, 0

    def act(self, observations: Any, action_masks: Any) -> Any:
        self.calls += 1
        waits = observations[:, GAME.slots("pass").start] < self._patience
        moves = np.where(np.arange(action_masks.shape[1]) > REDEAL, action_masks, False)
        playing = ~waits & moves.any(axis=1)
        return np.where(playing, moves.argmax(axis=1), np.where(action_masks[:, DRAW], DRAW, REDEAL))


@pytest.mark.parametrize(
    ("patience", "saturates", "most_calls"), [(10**6, {"pass": 0}, 250), (10**6, {}, 1_000), (12, {"pass": 12}, 1_000)]
)
def test_passes_without_limit_make_no_difference_to_those_who_do_not_count_them(
    patience: int, saturates: dict[str, int], most_calls: int
) -> None:
    """47 moves are a lap for who only draws; the passes go on being counted in the outcome."""
    options, outcomes = TourInfernaleOptions(), []
    for memoryless in (True, False):
        agent = Drawer(patience, saturates)
        agent.memoryless = memoryless
        outcomes.append(play(agent, GAME, options, DEALS[:30]).outcomes)
        assert agent.calls <= (most_calls if memoryless else 1_000)
    assert (outcomes[0] == outcomes[1]).all()
    assert (outcomes[0]["passes"] >= 12).all()
