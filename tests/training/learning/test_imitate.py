"""The warm start."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import find_agent
from solitaire_agents.policy import PolicyAgent
from solitaire_agents.uniform import UniformAgent
from solitaire_envs import pyramid
from solitaire_envs.engine import Engine
from solitaire_training.learning.checkpoint import CHECKPOINT
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.imitate import REPORTS, imitate
from solitaire_training.learning.model import build_model
from solitaire_training.learning.train import train
from tests.training.learning.runs import TINY


@pytest.mark.parametrize(("teacher", "steps"), [("pyramid-first", 40_000), ("hindsight", 40_000), ("oracle", 4_096)])
def test_imitation_plays_more_like_its_teacher(teacher: str, steps: int) -> None:
    config = TrainConfig(teacher=teacher, teacher_steps=steps, **{**TINY, "trunk_width": 32, "num_envs": 64})
    model, said, marked = build_model(config), [], []
    agent = find_agent(config.teacher, config.game(), config.game_options())
    network = PolicyAgent(model.policy.network, "imitator")
    before = what_is_lost(network, agent, config)
    imitate(model, agent, config, said.append, lambda state: marked.append(model.taught))
    assert what_is_lost(network, agent, config) < 0.9 * before
    assert len(said) == min(REPORTS, steps // (64 * 8))
    assert marked == list(range(0, model.taught + 1, 64 * 8))
    assert model.taught == steps // (64 * 8) * (64 * 8)


def what_is_lost(agent: PolicyAgent, teacher: Agent, config: TrainConfig) -> float:
    """Returns how far the agent's moves fall behind in the teacher's eyes, in games that someone else plays."""
    player, lost = UniformAgent(), 0.0
    seen, shown = (
        Engine(pyramid.GAME, options, 64) for options in (config.game_options(), teacher.shown(config.game_options()))
    )
    for engine in (seen, shown):
        engine.deal_numbers(range(64))
    for _ in range(30):
        masks = seen.buffers.action_masks.copy()
        ratings = teacher.rate(shown.buffers.observations, masks)
        chosen = agent.act(seen.buffers.observations, masks)
        lost += float((ratings.max(axis=1) - ratings[np.arange(64), chosen]).sum())
        actions = player.act(seen.buffers.observations, masks)
        for engine in (seen, shown):
            engine.step(actions)
    return lost


def test_the_teacher_and_the_network_see_the_same_games() -> None:
    class Witness(UniformAgent):
        fair = False

        def rate(self, observations: Any, action_masks: Any) -> Any:
            seen = env.engine.buffers
            asked = np.flatnonzero(seen.action_masks.sum(axis=1) > 1)
            own = seen.observations[asked]
            assert np.array_equal(own[:, :28], observations[:, :28])
            assert np.array_equal(seen.action_masks[asked], action_masks)
            hidden = own == pyramid.UNSEEN
            hidden_cards.append(int(hidden.sum()))
            assert not (observations[hidden] == pyramid.UNSEEN).any()
            return super().rate(observations, action_masks)

    config = TrainConfig(teacher_steps=6_000, **TINY)
    model, hidden_cards = build_model(config), []
    env = model.env
    imitate(model, Witness(), config, lambda text: None)
    assert sum(hidden_cards) > 0


def test_imitation_goes_on_where_it_stopped(tmp_path: Path) -> None:
    config = TrainConfig(total_steps=1, teacher="careful", teacher_steps=4_000, **TINY)

    def stop(text: str) -> None:
        if "as good" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "run", say=stop, progress_bar=False)
    taught = int(load_file(tmp_path / "run" / CHECKPOINT)["taught"])
    assert 0 < taught < 4_000
    said: list[str] = []
    train(config, tmp_path / "run", resume=True, say=said.append, progress_bar=False)
    assert int(re.search(r"([\d,]+) steps with careful", said[0])[1].replace(",", "")) > taught  # type: ignore[index]
