"""Agents of declared games are trained with no recipe, play in comparisons, and guide a planner."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import choices_of, find_agent
from solitaire_agents.network import random_network
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_agents.tree_planner import TreePlanner
from solitaire_envs.catalogue import find_entry
from solitaire_evaluation.agent_specs import find_agent_spec, make_agent
from solitaire_evaluation.play import play
from solitaire_training.config import TrainConfig
from tests.training.learning.runs import quiet_train

DEALS = np.arange(2**42, 2**42 + 300, dtype=np.uint64)
SMALL: dict[str, Any] = {"width": 32, "second_width": 8, "eval_deals": 20}


def test_self_play_learns_golf_in_seconds(tmp_path: Path) -> None:
    game = find_entry("solitaire/Golf-v0").game
    options = game.options(objective="score")
    config = TrainConfig(
        env="solitaire/Golf-v0",
        options={"objective": "score"},
        algorithm="self-play",
        games=3_000,
        games_per_update=500,
        **SMALL,
    )
    quiet_train(config, tmp_path)
    choices = choices_of(game, options)
    untrained = TrainedAgent(choices, random_network(choices.inputs, (32, 8), 0), "untrained")
    trained = find_agent(str(tmp_path), game, options)
    scores = [play(agent, game, options, DEALS).column("score").mean() for agent in (untrained, trained)]
    assert scores[1] > scores[0] + 3
    spec = find_agent_spec(f"{tmp_path}@search", game, options)
    planner = make_agent(spec, game, options)
    assert isinstance(planner, TreePlanner)
    assert play(planner, game, options, DEALS[:4]).column("score").mean() > scores[0]


@pytest.mark.slow
@pytest.mark.parametrize("env", ["solitaire/FreeCell-v0", "solitaire/Canfield-v0"])
def test_ppo_learns_by_the_same_choices(tmp_path: Path, env: str) -> None:
    config = TrainConfig(env=env, total_steps=1_024, num_envs=32, n_steps=16, batch_size=128, **SMALL)
    assert quiet_train(config, tmp_path) >= config.total_steps
    game = find_entry(env).game
    agents = [
        find_agent(str(tmp_path), game, game.options()),
        find_agent_spec(f"{tmp_path}@search", game, game.options()),
    ]
    assert play(agents[0], game, game.options(), DEALS[:20]).column("moves").min() > 0
    assert (
        play(make_agent(agents[1], game, game.options()), game, game.options(max_moves=10), DEALS[:1]).column("moves")
        > 0
    )
