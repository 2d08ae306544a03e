"""The networks."""

import torch

from solitaire_agents.catalogue import kit_of
from solitaire_agents.network_config import NetworkConfig
from solitaire_agents.networks import MessagePassing, PlaceNetwork, build_network
from solitaire_envs import pyramid
from solitaire_envs.engine import Engine


def made(seed: int = 0) -> tuple[PlaceNetwork, torch.Tensor]:
    """Returns a network that is far from uniform, and some positions."""
    torch.manual_seed(seed)
    engine = Engine(pyramid.GAME, pyramid.PyramidOptions(), 3)
    engine.deal_numbers(range(3))
    network = build_network(
        kit_of(pyramid.GAME),
        pyramid.NUM_ACTIONS,
        NetworkConfig(token_width=4, message_width=3, rounds=2, summary_width=5, trunk_width=8, trunk_layers=1),
    )
    torch.nn.init.normal_(network.query.weight)
    return network, torch.as_tensor(engine.buffers.observations)


@torch.no_grad()
def test_each_place_adds_up_what_the_places_related_to_it_say() -> None:
    passing = MessagePassing(4, 5, 2)
    tokens, relations = torch.randn(1, 3, 4), torch.rand(1, 3, 2, 3)
    found = passing(tokens, relations)[0]
    for place in range(3):
        heard = torch.zeros(5)
        for other in range(3):
            said = passing.say(tokens[0, other]).reshape(2, 5)
            for relation in range(2):
                heard = heard + relations[0, place, relation, other] * said[relation]
        assert torch.allclose(
            found[place], tokens[0, place] + torch.relu(passing.own(tokens[0, place]) + passing.hear(heard)), atol=1e-6
        )


@torch.no_grad()
def test_relations_reach_the_tokens() -> None:
    network, seen = made()
    places, table, relations = network.view(seen)
    tokens, _ = network.encode(seen)
    assert not torch.allclose(tokens, network.token(places))
    network.view.forward = lambda observations: (places, table, 0 * relations)  # type: ignore[method-assign]
    assert not torch.allclose(tokens, network.encode(seen)[0])


@torch.no_grad()
def test_a_logit_comes_from_the_two_places_of_its_action() -> None:
    """The first asks, the second answers; a draw and a redeal are places of their own."""
    network, seen = made()
    tokens, trunk = network.encode(seen)
    found = network.logits(tokens, trunk)
    placed = torch.relu(network.local(tokens) + network.context(trunk)[:, None])
    cards = torch.cat([placed, torch.relu(network.special(trunk).reshape(3, 2, 4))], dim=1)
    for action in range(pyramid.NUM_ACTIONS):
        first, second = int(pyramid.FIRST[action]), int(pyramid.SECOND[action])
        if action in (pyramid.DRAW, pyramid.REDEAL):
            first = second = 30 + action
        asked, answered = network.query(cards[:, first]), network.key(cards[:, first if second < 0 else second])
        assert torch.allclose(found[:, action], (asked * answered).sum(1), atol=1e-4)


def test_network_starts_close_to_uniform() -> None:
    torch.manual_seed(0)
    engine = Engine(pyramid.GAME, pyramid.PyramidOptions(), 64)
    engine.deal_numbers(range(64))
    network = build_network(kit_of(pyramid.GAME), pyramid.NUM_ACTIONS, NetworkConfig())
    logits, values = network(torch.as_tensor(engine.buffers.observations))
    assert logits.shape == (64, 285)
    assert values.shape == (64,)
    assert logits.abs().max() < 0.02
