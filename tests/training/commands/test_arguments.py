"""Arguments that several commands share."""

import argparse

import pytest

from solitaire_envs import pyramid, tour_infernale
from solitaire_training.commands.arguments import (
    add_game_arguments,
    add_jobs_argument,
    chosen_env_spec,
    parse_options,
)
from solitaire_training.commands.main import main


def test_options_are_read_as_their_kind() -> None:
    texts = ["passes=2", "stock_waste_pairs=False", "goal=pyramid", "max_moves=None", "information=open"]
    assert parse_options(pyramid.GAME, texts) == {
        "passes": 2,
        "stock_waste_pairs": False,
        "goal": "pyramid",
        "max_moves": None,
        "information": "open",
    }
    assert parse_options(pyramid.GAME, ["colour=3"]) == {"colour": "3"}  # the game's options know no such name


@pytest.mark.parametrize("text", ["٣", "3_0", "1e1", "03", " 3", "1.5", "9" * 5_000])
def test_what_is_no_number_of_an_option(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--deal", "7", "--option", f"passes={text}"]) == 2
    assert "expected passes to be an integer of 1..10000, got" in capsys.readouterr().err


def test_an_option_is_given_once() -> None:
    with pytest.raises(ValueError, match="expected each option once, got 'passes' twice"):
        parse_options(pyramid.GAME, ["passes=2", "passes=3"])


def test_a_chosen_game_has_its_preset_options() -> None:
    parser = argparse.ArgumentParser()
    add_game_arguments(parser)
    add_jobs_argument(parser)
    chosen = parser.parse_args(["--env", "solitaire/TourInfernaleOnePass-v0", "--option", "piles=5"])
    env_spec = chosen_env_spec(chosen.env, chosen.options)
    assert env_spec.game is tour_infernale.GAME
    assert env_spec.options == tour_infernale.TourInfernaleOptions(passes=1, piles=5)
    assert chosen.jobs >= 1
    assert "solitaire-rl envs" in parser.format_help()
