"""What games tell people who play: titles, options in words, why a card may not be put somewhere."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from solitaire_envs.cards import card_text
from solitaire_envs.catalogue import GAMES
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game
from solitaire_envs.layout import PIPS
from solitaire_envs.words import LANGUAGES, Said, Words, read_catalogue
from tests.environments import walk


def dealt(name: str, number: int, *moves: str, **options: object) -> Engine:
    game = GAMES[name]
    engine = Engine(game, game.options(**options), 1)
    engine.deal_numbers([number])
    for move in moves:
        engine.step(np.array([engine.parse_move(0, move)]))
    return engine


def why_not(engine: Engine, source: str, target: str) -> str:
    spots = {spot.place: spot for spot in engine.game.layout(engine.states[0], engine.options, []).spots}
    return engine.game.words.why_not(spots[source], spots[target])


OURS = [game for game in GAMES.values() if game.options.__module__.startswith("solitaire_envs.")]


@pytest.mark.parametrize("game", OURS, ids=lambda game: game.name)
def test_a_game_has_a_title_and_words_for_its_options(game: Game) -> None:
    assert game.words.title
    assert game.words.about.endswith(".")
    assert {spec.name for spec in fields(game.options)} <= set(game.words.options)
    titles = [other.words.title for other in OURS]
    assert titles.count(game.words.title) == 1


def top(engine: Engine, place: str) -> str:
    """Returns the rank of the top card of a place, as people write it."""
    spots = engine.game.layout(engine.states[0], engine.options, []).spots
    card = [spot.card for spot in spots if spot.place == place][-1]
    assert card is not None
    return ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"][card % 13]


def test_pyramid_says_why_two_cards_are_no_pair() -> None:
    engine = dealt("pyramid", 7)
    first, second = "row 7, card 1", "row 7, card 3"
    ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
    total = sum(ranks.index(top(engine, place)) + 1 for place in (first, second))
    told = why_not(engine, first, second)
    assert told == f"{top(engine, first)} and {top(engine, second)} make {total}; a pair makes 13."
    assert why_not(engine, first, "discard pile") == "Only a king is discarded alone."


def test_pyramid_says_why_a_pair_that_makes_13_is_not_taken() -> None:
    """In some of 60 deals the stock's top makes 13 with a covered card, in others with the waste's top."""
    told = set[str]()
    for deal in range(60):
        engine = dealt("pyramid", deal, "draw", stock_waste_pairs=False, information="open")
        told |= {why_not(engine, "stock", place) for place in ("row 2, card 1", "waste")}
    assert any(text.endswith(" is covered.") for text in told)
    assert "Under these rules stock and waste are never paired." in told


def test_la_tour_infernale_says_where_a_card_goes() -> None:
    engine = dealt("tour_infernale", 1)
    shown = {spot.place: spot.card for spot in engine.game.layout(engine.states[0], engine.options, []).spots}
    card = shown["pile 2"] or 0
    below = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q"][card % 13 - 1]
    assert why_not(engine, "pile 1", "pile 2") == f"On {card_text(card)} goes any {below}."
    assert why_not(engine, "pile 1", "foundation ♦") == "The next card there is AD."
    assert why_not(engine, "stock", "pile 1") == ""


def test_klondike_says_what_goes_on_a_card() -> None:
    engine = dealt("klondike", 1, "draw")
    tops = [spot for spot in engine.game.layout(engine.states[0], engine.options, []).spots if spot.place[:4] == "pile"]
    for pile in (spot for spot in tops if "," not in spot.place):
        assert pile.card is not None
        rank, red = pile.card % 13, pile.card // 13 in (1, 2)
        told = why_not(engine, "waste", pile.place)
        if rank == 0:
            assert told == "Nothing goes on an ace."
        else:
            below = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q"][rank - 1]
            assert told.endswith(f" goes a {'black' if red else 'red'} {below}.")
    assert why_not(engine, "pile 1", "foundation ♦") == "The next card there is AD."
    assert why_not(engine, "pile 1", "waste") == why_not(engine, "pile 1", "stock") == ""
    engine.states["heights"][0, 0] = engine.states["tops"][0, 0] = 0
    assert why_not(engine, "pile 2", "pile 1") == "Only a king goes on an empty pile."


def test_a_game_of_another_package_speaks_english_or_more(tmp_path: Path) -> None:
    assert read_catalogue(Words(title="Golf").languages, "de") == {}
    (tmp_path / "nl.json").write_text('{"draw": "trek", "pile {1}": "stapel {1}"}')
    words = Words(title="Golf", languages=(tmp_path, LANGUAGES / "common"))
    assert read_catalogue(words.languages, "nl") == {"draw": "trek", "pile {1}": "stapel {1}"}
    assert read_catalogue(words.languages, "de")["draw"] == "aufdecken"
    (tmp_path / "nl.json").write_text('{"draw": 1}')
    with pytest.raises(ValueError, match="expected a JSON object of texts"):
        read_catalogue(words.languages, "nl")


def test_what_is_said_keeps_its_values() -> None:
    said = Said("{card} is covered.", card="TD")
    assert (said, said.text, said.values) == ("TD is covered.", "{card} is covered.", {"card": "TD"})


WRITTEN = ("{}", "`{}`", "**{}**", "[{}]", " {} .", "*{}*")


@pytest.mark.parametrize("env_id", walk())
def test_moves_as_tables_and_chats_write_them(env_id: str) -> None:
    base: Any = gymnasium.make(env_id, disable_env_checker=True).unwrapped
    for deal in range(4):
        base.reset(options={"deal": deal})
        for _ in range(12):
            actions = base.engine.legal_actions(0)
            move = base.move_text(actions[-1])
            pretty = move
            for suit, pip in PIPS.items():
                pretty = re.sub(f"(?<=[A2-9TJQK]){suit}", pip, pretty)
            forms = [form.format(text) for form in WRITTEN for text in (move, pretty)]
            forms += [pretty.replace(">", sign) for sign in ("->", " -> ", " → ", " to ", " TO ", "-->")]
            forms.append(">".join(f"[{part}]" for part in pretty.split(">")))
            for text in forms:
                assert base.move_text(base.parse_move(text)) == move, text
            if base.step(base.parse_move(forms[-1]))[2]:
                break
