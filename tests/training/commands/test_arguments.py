"""Arguments that several commands share."""

import argparse

import pytest

from solitaire_envs import pyramid, tour_infernale
from solitaire_training.commands.arguments import (
    add_game_arguments,
    add_jobs_argument,
    chosen_game,
    parse_int,
    parse_options,
)


@pytest.mark.parametrize(("text", "number"), [("12", 12), ("1_000", 1_000), ("2e6", 2_000_000), ("-1", -1)])
def test_whole_numbers(text: str, number: int) -> None:
    assert parse_int(text) == number


@pytest.mark.parametrize("text", ["1.5", "many", ""])
def test_other_numbers(text: str) -> None:
    with pytest.raises(ValueError, match="expected a whole number|could not convert"):
        parse_int(text)


def test_options_are_read_as_their_kind() -> None:
    texts = ["passes=1e1", "stock_waste_pairs=False", "goal=pyramid", "max_moves=None", "information=open"]
    assert parse_options(pyramid.GAME, texts) == {
        "passes": 10,
        "stock_waste_pairs": False,
        "goal": "pyramid",
        "max_moves": None,
        "information": "open",
    }
    assert parse_options(pyramid.GAME, ["colour=3"]) == {"colour": "3"}  # the game's options know no such name


def test_a_chosen_game_has_its_preset_options() -> None:
    parser = argparse.ArgumentParser()
    add_game_arguments(parser)
    add_jobs_argument(parser)
    chosen = parser.parse_args(["--env", "solitaire/TourInfernaleOnePass-v0", "--option", "piles=5"])
    assert chosen_game(chosen) == (tour_infernale.GAME, tour_infernale.TourInfernaleOptions(passes=1, piles=5))
    assert chosen.jobs >= 1
    assert "solitaire/PyramidPar-v0" in parser.format_help()
