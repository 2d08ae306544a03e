"""What a newcomer is told before the first table."""

import re

import pytest

from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.engine import Engine
from solitaire_envs.instructions import instructions
from solitaire_envs.render import layout_of
from tests.environments import walk


def dealt(env_id: str, **options: object) -> Engine:
    entry = CATALOGUE[env_id]
    engine = Engine(entry.game, entry.game.options(**{**entry.preset, **options}), 1)
    engine.deal_numbers([7])
    return engine


def kind_of(move: str) -> str:
    """Returns a move without its cards: what has to be explained once."""
    return re.sub("[A2-9TJQK][CDHS](:[0-9]+)?", "card", move)


@pytest.mark.parametrize("env_id", walk())
def test_every_kind_of_move_and_every_place_is_explained(env_id: str) -> None:
    engine = dealt(env_id)
    text = instructions(engine)
    explained = {kind_of(move) for move in re.findall("`([^`]*)`", text)}
    possible = {kind_of(engine.move_text(0, action)) for action in range(engine.num_actions)}
    never = {"redeal"} if getattr(engine.options, "passes", None) == 1 else set()
    assert {kind for kind in possible if "(" not in kind} - never <= explained  # '(nothing)' is no move
    first = [spot for spot in layout_of(engine, 0).spots if spot.line == 0]
    assert [spot.place for spot in first if spot.place.replace(", ", " ") not in text] == []
    assert all(rule in text for rule in engine.game.words.rules)


def test_cards_that_look_alike_are_named_with_their_piles() -> None:
    assert "`9S:3>TH:5`" in instructions(dealt("solitaire/SpiderOneSuit-v0"))
    assert "9S:3" not in instructions(dealt("solitaire/Spiderette-v0"))


def test_moves_that_a_game_does_not_have_are_not_explained() -> None:
    assert "redeal" not in instructions(dealt("solitaire/FreeCell-v0")).partition("How to write")[2]
    for one_pass in (dealt("solitaire/TourInfernaleOnePass-v0"), dealt("solitaire/Pyramid-v0", passes=1)):
        assert "redeal" not in instructions(one_pass).partition("How to write")[2]
    assert ">cell" not in instructions(dealt("solitaire/Klondike-v0"))
    assert "`AC>F`" not in instructions(dealt("solitaire/Spiderette-v0"))  # whole runs go up


def test_the_rules_in_play_are_told() -> None:
    assert "Passes through the stock: one pass" in instructions(dealt("solitaire/TourInfernale-v0", passes=1))
    assert "Passes through the stock: no limit" in instructions(dealt("solitaire/TourInfernale-v0"))
