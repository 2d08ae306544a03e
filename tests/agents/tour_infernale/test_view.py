"""What the network sees of La tour infernale, computed once more in plain Python."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from solitaire_agents.catalogue import find_agent
from solitaire_agents.tour_infernale.position import Position
from solitaire_agents.tour_infernale.view import TourInfernaleView
from solitaire_envs.engine import Engine
from solitaire_envs.tour_infernale import GAME, STOCK_SIZE, TourInfernaleOptions

NUMBERS = ("empty", "ready", "distance", "height", "alone", "bases", "guests", "lowest")
FIRST_NUMBER = 14 + 5 + 7  # behind rank, suit, and place


@cache
def observations() -> tuple[Any, list[Position]]:
    """Returns positions at every stage of some games, as they are observed, and as they are."""
    engine, seen, positions = Engine(GAME, TourInfernaleOptions(passes=2, information="open"), 8), [], []
    agent = find_agent("tidy", GAME, engine.options)
    engine.deal_numbers(range(8))
    for _ in range(90):
        seen.append(engine.buffers.observations.copy())
        positions.append([Position.of_observation(row) for row in seen[-1].tolist()])
        engine.step(agent.act(seen[-1], engine.buffers.action_masks))
        assert not engine.states.ended.any()
    return np.concatenate(seen[::6]), [position for each in positions[::6] for position in each]


def tops_of(position: Position) -> list[int | None]:
    """Returns the tops of the piles and of the waste."""
    return [*(pile[-1] if pile else None for pile in position.tableau), *(position.waste[:1] or [None])]


def fits(card: int | None, base: int | None) -> bool:
    return card is not None and base is not None and base % 13 == card % 13 + 1


def numbers_of(position: Position, place: int) -> dict[str, float]:
    tops, columns = tops_of(position), [*position.tableau, position.waste]
    top, column = tops[place], columns[place]
    ranks = [card % 13 for card in column] if place < 6 else [0]
    distance = 0 - 20 if top is None else top % 13 + 1 - position.foundations[top // 13]
    return {
        "empty": top is None,
        "ready": distance == 1,
        "distance": distance / 13,
        "height": len(column) / 13,
        "alone": len(column) == 1,
        "bases": sum(fits(top, other) for other in tops),
        "guests": sum(fits(other, top) for other in tops),
        "lowest": min(ranks, default=13) / 13,
    }


@pytest.mark.parametrize("name", NUMBERS)
def test_each_place_is_seen_as_it_is(name: str) -> None:
    seen, positions = observations()
    places, _, _ = TourInfernaleView(45)(torch.as_tensor(seen))
    found = places[:, :7, FIRST_NUMBER + NUMBERS.index(name)].tolist()
    expected = [[float(numbers_of(position, place)[name]) for place in range(7)] for position in positions]
    assert found == [pytest.approx(values) for values in expected]
    assert len({value for values in expected for value in values}) > 1


def test_a_place_knows_which_one_it_is() -> None:
    seen, _ = observations()
    places, _, _ = TourInfernaleView(45)(torch.as_tensor(seen))
    assert places[:, :7, 14 + 5 : FIRST_NUMBER].tolist() == [np.eye(7).tolist()] * len(seen)
    assert not places[:, 7].any()  # the foundations


def test_relations_say_what_goes_on_what() -> None:
    seen, positions = observations()
    _, _, relations = TourInfernaleView(45)(torch.as_tensor(seen))
    for position, found in zip(positions, relations.tolist(), strict=True):
        tops = [*tops_of(position), None]
        for one in range(8):
            for other in range(8):
                said = [relation[other] for relation in found[one]]
                assert said == [fits(tops[one], tops[other]), fits(tops[other], tops[one])]


def test_each_card_is_where_it_is() -> None:
    seen, positions = observations()
    _, table, _ = TourInfernaleView(45)(torch.as_tensor(seen))
    for position, found in zip(positions, table[:, 4 * 14 : 4 * 14 + 52 * 6].reshape(-1, 52, 6), strict=True):
        expected = np.zeros((52, 6))
        for pile in position.tableau:
            for depth, card in enumerate(pile):
                expected[card, :2] = 1, depth / 13
        for depth, card in enumerate(position.waste):
            expected[card, 2:4] = 1, depth / STOCK_SIZE
        for depth, card in enumerate(position.stock):
            expected[card, 4] = 1 - depth / STOCK_SIZE
        assert found[:, :5].numpy() == pytest.approx(expected[:, :5])


def test_the_piles_that_are_empty_are_counted() -> None:
    seen, positions = observations()
    _, table, _ = TourInfernaleView(45)(torch.as_tensor(seen))
    assert table[:, -2].tolist() == [sum(not pile for pile in position.tableau) for position in positions]
