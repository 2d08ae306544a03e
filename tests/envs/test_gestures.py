"""Moves by hand."""

import numpy as np
import pytest

from solitaire_envs import klondike, pyramid, pyramid_table, tour_infernale
from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.engine import Engine
from solitaire_envs.game import make_options
from solitaire_envs.layout import Gesture
from tests.environments import walk
from tests.envs.gestures import check_gestures


@pytest.mark.parametrize("env_id", walk())
@pytest.mark.parametrize("deal", range(3))
def test_each_move_has_gestures_of_its_own(env_id: str, deal: int) -> None:
    entry = CATALOGUE[env_id]
    check_gestures(entry.game, make_options(entry.game.options, dict(entry.preset)), deal)


def test_gestures_with_other_options() -> None:
    check_gestures(pyramid.GAME, pyramid.PyramidOptions(passes=5, stock_waste_pairs=False), 4)
    check_gestures(tour_infernale.GAME, tour_infernale.TourInfernaleOptions(piles=5, information="table"), 4)
    check_gestures(klondike.GAME, klondike.KlondikeOptions(draw=1, information="table"), 4)


def gestures_of(game: str, deal: int, move: str) -> list[Gesture]:
    engine = Engine(CATALOGUE[game].game, CATALOGUE[game].game.options(), 1)
    engine.deal_numbers([deal])
    return list(engine.game.gestures(engine.states[0], engine.parse_move(0, move)))


def test_a_pair_is_dropped_either_way_and_the_stock_is_touched() -> None:
    assert gestures_of("solitaire/Pyramid-v0", 0, "draw") == [Gesture("stock")]
    assert gestures_of("solitaire/TourInfernale-v0", 0, "draw") == [Gesture("stock")]
    for action, (first, second) in enumerate(pyramid_table.ACTIONS[2:], start=2):
        found = list(pyramid_table.gestures(None, action))
        if second != pyramid_table.NO_PLACE:
            assert found[0] == found[1][::-1]
        else:  # a king: on the stock a touch draws
            assert (Gesture(pyramid_table.PLACES[first]) in found) == (first != pyramid_table.STOCK)


def test_cards_that_move_as_one_are_taken_by_the_undermost() -> None:
    engine = Engine(klondike.GAME, klondike.KlondikeOptions(), 1)
    engine.deal_numbers([16])
    for move, source in (("6D>7S", "pile 4"), ("7S>8H", "pile 2, card 2")):
        action = engine.parse_move(0, move)
        assert engine.game.gestures(engine.states[0], action)[0].source == source
        engine.step(np.array([action]))
