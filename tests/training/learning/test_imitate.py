"""The warm start."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import find_agent
from solitaire_agents.policy import PolicyAgent
from solitaire_agents.uniform import UniformAgent
from solitaire_envs import pyramid
from solitaire_envs.engine import Engine
from solitaire_training.learning import imitate as imitate_module
from solitaire_training.learning.checkpoint_file import CHECKPOINT
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.imitate import LEAST_SHARE, REPORTS, Window, _fit, _policy_loss, _shares, imitate
from solitaire_training.learning.model import TaughtPPO, build_model
from solitaire_training.learning.train import train
from tests.training.learning.runs import TINY


def test_the_teacher_and_the_network_see_the_same_games() -> None:
    class Witness(UniformAgent):
        fair = False

        def rate(self, observations: Any, action_masks: Any) -> Any:
            seen = envs[0].engine.buffers if envs else None
            if seen is None or len(observations) < len(seen.observations):
                return super().rate(observations, action_masks)
            assert np.array_equal(seen.observations[:, :28], observations[:, :28])
            assert np.array_equal(seen.action_masks, action_masks)
            hidden = seen.observations == pyramid.UNSEEN
            hidden_cards.append(int(hidden.sum()))
            assert not (observations[hidden] == pyramid.UNSEEN).any()
            return super().rate(observations, action_masks)

    config = TrainConfig(teacher_steps=6_000, **TINY)
    envs: list[Any] = []
    model, hidden_cards = build_model(config, Witness()), []
    envs.append(model.env)
    imitate(model, config, lambda text: None)
    assert sum(hidden_cards) > 0


class Watched:
    """Imitates for one window without learning; keeps the window and what the environments have said in it."""

    def __init__(self, config: TrainConfig, teacher: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
        self.model: TaughtPPO = build_model(config, teacher)
        self.actions: list[Any] = []
        self.rewards: list[Any] = []
        self.dones: list[Any] = []
        windows: list[Window] = []
        network, step = self.model.policy.network, self.model.env.step
        network.value.weight.data.zero_()
        network.value.bias.data.fill_(VALUE)  # of every position

        def watched(actions: Any) -> Any:
            found = step(actions)
            for seen, new in ((self.actions, actions), (self.rewards, found[1]), (self.dones, found[2])):
                seen.append(new.copy())
            return found

        monkeypatch.setattr(self.model.env, "step", watched)
        monkeypatch.setattr(imitate_module, "_fit", lambda policy, window, *_: windows.append(window) or 1.0)
        imitate(self.model, config, lambda text: None)
        self.window = windows[0]


VALUE = 3.0


@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize(("env", "max_moves"), [("Pyramid-v0", None), ("Pyramid-v0", 7), ("TourInfernale-v0", 7)])
def test_a_return_is_what_its_own_game_still_brings(
    env: str, max_moves: int | None, gamma: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value beyond is added where the window ends; where a game was cut off, too, but not at gamma 1."""
    settings = {**TINY, "env": f"solitaire/{env}", "options": {"max_moves": max_moves}, "n_steps": 100}
    config = TrainConfig(teacher_steps=1, gamma=gamma, **settings)
    watched = Watched(config, UniformAgent(), monkeypatch)
    returns, to_come = [], np.full(16, VALUE)
    for rewards, dones in zip(reversed(watched.rewards), reversed(watched.dones), strict=True):
        beyond = 0.0 if gamma == 1 or max_moves is None else VALUE
        to_come = rewards + gamma * np.where(dones, beyond, to_come)
        returns.append(to_come)
    assert np.sum(watched.dones) >= 16
    found = watched.window.returns.numpy().reshape(100, 16)
    assert found == pytest.approx(np.array(returns[::-1]), abs=1e-4)


@pytest.mark.parametrize("own", [0, 5, 16])
def test_the_network_plays_the_games_that_are_its_own(own: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Last(Agent):
        def act(self, observations: Any, action_masks: Any) -> Any:
            return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)

    play = imitate_module.Lessons.play
    monkeypatch.setattr(imitate_module.Lessons, "play", lambda self, own: play(self, own=chosen))
    chosen = own
    watched = Watched(TrainConfig(teacher_steps=1, **TINY), Last(), monkeypatch)
    by_teacher = Last().act(None, watched.window.action_masks.numpy()).reshape(8, 16)
    same = (np.array(watched.actions) == by_teacher).all(axis=0)
    assert same[own:].all()
    assert same[:own].sum() <= own // 3


def test_the_loss_weighs_each_choice_by_what_is_at_stake() -> None:
    """Half of what could be gained is got in the first row, three quarters of half as much in the second."""
    nothing = torch.zeros(2, 1)
    masks = torch.tensor([[True, True, False], [True, True, False]])
    ratings = torch.tensor([[1.0, 0.0, 0.0], [0.75, 0.25, 0.0]])
    logits = torch.tensor([[0.0, 0.0, -1e9], [np.log(3.0), 0.0, -1e9]])
    window = Window(nothing, masks, ratings, nothing)
    loss = _policy_loss(logits, window)
    assert float(loss) == pytest.approx((np.log(2) + np.log(4 / 3)) / 2, abs=1e-4)
    assert _shares(window).tolist() == [1, 0.5]


def test_where_little_is_at_stake_a_quarter_is_learned_from_with_less_weight() -> None:
    nothing = torch.zeros(3, 1)
    masks = torch.tensor([[True, True], [True, True], [True, False]])
    ratings = torch.tensor([[1.0, 0.0], [0.8, 0.7], [0.3, 0.0]])
    window = Window(nothing, masks, ratings, nothing)
    assert _shares(window).tolist() == [1, LEAST_SHARE, LEAST_SHARE]
    logits = torch.tensor([[0.0, 0.0], [np.log(3.0), 0.0], [0.0, -1e9]])
    weight = 0.1 / LEAST_SHARE
    expected = (np.log(2) + weight * np.log(4 / 3)) / (1 + weight)
    assert float(_policy_loss(logits, window)) == pytest.approx(expected, abs=1e-4)


def test_positions_are_drawn_by_what_is_at_stake(monkeypatch: pytest.MonkeyPatch) -> None:
    config = TrainConfig(**TINY)
    model, learned = build_model(config), []
    judge = model.policy.judge
    monkeypatch.setattr(model.policy, "judge", lambda seen: learned.append(seen[:, 0].numpy()) or judge(seen))
    count = 4_000
    ratings = torch.zeros(count, 285)
    ratings[:, 0] = torch.arange(count) % 2 * 0.5 + 0.5  # of two moves one is worth all, or half as much
    masks = torch.zeros(count, 285, dtype=torch.bool)
    masks[:, :2] = True
    observations = torch.zeros(count, 91, dtype=torch.int16)
    observations[:, 0] = torch.arange(count) % 2
    _fit(model.policy, Window(observations, masks, ratings, torch.zeros(count)), config, np.random.default_rng(0))
    kinds = np.bincount(np.concatenate(learned))
    assert kinds[1] == 2_000
    assert abs(kinds[0] - 1_000) <= 80


def test_every_other_time_a_window_is_seen_in_a_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Window] = []
    monkeypatch.setattr(imitate_module, "_fit", lambda policy, window, *_: seen.append(window) or 1.0)
    config = TrainConfig(teacher_steps=1, teacher_epochs=3, **TINY)
    model = build_model(config, UniformAgent())
    imitate(model, config, lambda text: None)
    first, second, third = seen
    slots, actions = model.policy.network.view.mirror
    assert not torch.equal(first.observations, second.observations)
    assert torch.equal(first.observations[:, slots], second.observations)
    assert torch.equal(first.action_masks[:, actions], second.action_masks)
    assert torch.equal(first.ratings[:, actions], second.ratings)
    assert torch.equal(first.returns, second.returns)
    assert torch.equal(first.observations, third.observations)


def test_the_learning_rate_falls_to_a_tenth() -> None:
    class Witness(UniformAgent):
        def rate(self, observations: Any, action_masks: Any) -> Any:
            seen.append(models[0].policy.optimizer.param_groups[0]["lr"])
            return super().rate(observations, action_masks)

    seen: list[float] = []
    config = TrainConfig(teacher_steps=128 * 50, teacher_learning_rate=0.002, **TINY)
    models: list[TaughtPPO] = []
    models.append(build_model(config, Witness()))
    imitate(models[0], config, lambda text: None)
    rates = seen[2:]  # the first two are of the deals
    assert rates == sorted(rates, reverse=True)
    assert (rates[0], rates[-1]) == pytest.approx((0.002, 0.002 * (1 - 0.9 * 49 / 50)))


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


@pytest.mark.parametrize(("teacher", "steps"), [("pyramid-first", 16_000), ("hindsight", 16_000), ("oracle", 2_048)])
def test_imitation_plays_more_like_its_teacher(teacher: str, steps: int) -> None:
    sizes = {"token_width": 16, "trunk_width": 32, "num_envs": 64}
    config = TrainConfig(teacher=teacher, teacher_steps=steps, **{**TINY, **sizes})
    agent = find_agent(config.teacher, config.game(), config.game_options())
    model, said, marked = build_model(config, agent), [], []
    network = PolicyAgent(model.policy.network, "imitator")
    before = what_is_lost(network, agent, config)
    imitate(model, config, said.append, lambda: marked.append(model.taught))
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
