"""The networks."""

import torch

from solitaire_agents.catalogue import kit_of
from solitaire_agents.network_config import NetworkConfig
from solitaire_agents.networks import build_network
from solitaire_envs import pyramid
from solitaire_envs.engine import Engine


def test_network_starts_close_to_uniform() -> None:
    torch.manual_seed(0)
    engine = Engine(pyramid.GAME, pyramid.PyramidOptions(), 64)
    engine.deal_numbers(range(64))
    network = build_network(kit_of(pyramid.GAME), pyramid.NUM_ACTIONS, NetworkConfig())
    logits, values = network(torch.as_tensor(engine.buffers.observations))
    assert logits.shape == (64, 285)
    assert values.shape == (64,)
    assert logits.std() < 0.2
