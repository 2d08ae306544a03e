"""Environments with their options."""

from dataclasses import asdict

import pytest

from solitaire_evaluation.env_spec import make_env_spec, options_not_preset
from tests.training.comparing import PYRAMID, TOUR


def test_options_replace_those_of_the_environment() -> None:
    assert options_not_preset(TOUR, asdict(make_env_spec(TOUR, {}).options)) == {}
    changed = make_env_spec(TOUR, {"passes": 2})
    assert changed.game.name == "tour_infernale"
    assert options_not_preset(TOUR, asdict(changed.options)) == {"passes": 2}


def test_unknown_environments_and_options() -> None:
    with pytest.raises(ValueError, match="expected an environment id among"):
        make_env_spec("solitaire/Chess-v0", {})
    with pytest.raises(ValueError, match="expected options among"):
        make_env_spec(PYRAMID, {"colour": "red"})
