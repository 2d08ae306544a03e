"""Trained policies as files and as agents."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from solitaire_agents.catalogue import find_agent, kit_of
from solitaire_agents.network_config import NetworkConfig
from solitaire_agents.networks import build_network
from solitaire_agents.policy import PolicyAgent, load_policy, save_policy
from solitaire_agents.trained import CARD, WEIGHTS
from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.engine import Engine
from solitaire_training.evaluation.play import play


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a policy that has learned nothing."""
    torch.manual_seed(0)
    network = build_network(
        kit_of(pyramid.GAME), pyramid.NUM_ACTIONS, NetworkConfig(token_width=4, trunk_width=8, trunk_layers=1)
    )
    path = tmp_path_factory.mktemp("policy")
    save_policy(path, network, pyramid.GAME, pyramid.PyramidOptions(), {"env": "solitaire/Pyramid-v0"})
    return path


def test_greedy_and_sampled_actions_are_legal(folder: Path) -> None:
    agent = load_policy(folder, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS)
    options = pyramid.PyramidOptions()
    greedy = play(agent, pyramid.GAME, options, range(32))
    agent = PolicyAgent(agent.network, agent.name, "sample")
    sampled = play(agent, pyramid.GAME, options, range(32))
    again = play(agent, pyramid.GAME, options, range(32))
    assert not np.array_equal(greedy.outcomes, sampled.outcomes)
    assert np.array_equal(sampled.outcomes, again.outcomes)


def test_moves_are_drawn_by_their_probabilities(folder: Path) -> None:
    network = load_policy(folder, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS).network
    torch.nn.init.normal_(network.query.weight, std=30, generator=torch.Generator().manual_seed(1))
    engine = Engine(pyramid.GAME, pyramid.PyramidOptions(), 1)
    engine.deal_numbers([6])
    masks = np.zeros((4_000, pyramid.NUM_ACTIONS), np.bool_)
    masks[:, :5] = True
    seen = np.tile(engine.buffers.observations, (4_000, 1))
    chances = network(torch.as_tensor(seen[:1]))[0][0, :5].softmax(0).detach().numpy()
    drawn = PolicyAgent(network, "sampled", "sample").act(seen, masks)
    shares = np.bincount(drawn, minlength=5) / 4_000
    assert chances.max() > 2 * chances.min()
    assert abs(shares - chances).max() < 0.035


@pytest.mark.parametrize("mode", ["greedy", "sample"])
def test_the_network_is_asked_only_where_there_is_a_choice(
    mode: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = load_policy(folder, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS).network
    asked: list[int] = []
    encode = network.encode
    monkeypatch.setattr(network, "encode", lambda seen: asked.append(len(seen)) or encode(seen))
    agent, masks = PolicyAgent(network, "counted", mode), np.zeros((3, pyramid.NUM_ACTIONS), np.bool_)
    seen = np.zeros((3, pyramid.GAME.observation_size), np.int16)
    masks[[0, 1, 2], [7, 0, 284]] = True
    assert agent.act(seen, masks).tolist() == [7, 0, 284]
    assert asked == []
    masks[1, 5] = True
    assert agent.act(seen, masks)[[0, 2]].tolist() == [7, 284]
    assert asked == [1]


def test_a_seed_gives_its_own_draws_again(folder: Path) -> None:
    agent = PolicyAgent(load_policy(folder, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS).network, "sampled", "sample")
    drawn = []
    for seed in (1, 2, 1):
        played = play(agent, pyramid.GAME, pyramid.PyramidOptions(), range(16), seed=seed)
        drawn.append(played.outcomes.tobytes())
    assert drawn[0] == drawn[2] != drawn[1]


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        (WEIGHTS, lambda data: data[: len(data) // 2], "expected a whole safetensors file"),
        (WEIGHTS, lambda data: b"", "expected a whole safetensors file"),
        (WEIGHTS, lambda data: b"\x80\x04pickle", "expected a whole safetensors file"),
        (CARD, lambda data: b"{", "expected a policy's description"),
        (CARD, lambda data: b"\xff\xfe", "expected a policy's description"),
        (CARD, lambda data: b"[]", "expected format 'solitaire-rl policy 2', got 'list'"),
        (CARD, lambda data: data.replace(b"policy 2", b"policy 9"), "got 'solitaire-rl policy 9'"),
        (CARD, lambda data: data.replace(b'"trunk_width": 8', b'"trunk_width": 9'), "expected tensor .* of shape"),
        (CARD, lambda data: data.replace(b'"trunk_width": 8', b'"trunk_width": -9'), "expected sizes"),
        (CARD, lambda data: data.replace(b'"game": "pyramid"', b'"game": "golf"'), "expected a policy of pyramid"),
        (CARD, lambda data: data.replace(b'"passes": 3', b'"passes": "x"'), "expected passes"),
    ],
)
def test_damaged_policies(folder: Path, tmp_path: Path, file: str, content: Any, message: str) -> None:
    for name in (WEIGHTS, CARD):
        data = (folder / name).read_bytes()
        (tmp_path / name).write_bytes(content(data) if name == file else data)
    with pytest.raises(ValueError, match=message):
        load_policy(tmp_path, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS)


def test_policy_of_another_game(folder: Path) -> None:
    with pytest.raises(ValueError, match="expected a policy of tour_infernale with 45 actions, got one of pyramid"):
        find_agent(str(folder), tour_infernale.GAME, tour_infernale.TourInfernaleOptions())


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda tensor: tensor * torch.nan, "of finite float32 or float16, got float32 values that are not finite"),
        (lambda tensor: tensor + torch.inf, "of finite float32"),
        (lambda tensor: tensor.double(), "of finite float32 or float16, got float64"),
    ],
)
def test_weights_that_no_training_writes(folder: Path, tmp_path: Path, damage: Any, message: str) -> None:
    weights = load_file(folder / WEIGHTS)
    weights["value.weight"] = damage(weights["value.weight"])
    save_file(weights, tmp_path / WEIGHTS)
    (tmp_path / CARD).write_bytes((folder / CARD).read_bytes())
    with pytest.raises(ValueError, match=message):
        load_policy(tmp_path, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS)


def test_what_does_not_take_the_options_is_no_agent() -> None:
    with pytest.raises(ValueError, match="expected os:unlink to build an Agent from options, got unlink: path should"):
        find_agent("os:unlink", pyramid.GAME, pyramid.PyramidOptions())
