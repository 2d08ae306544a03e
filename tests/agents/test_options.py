"""Every option of every game is an input of each agent, has no influence on it, or is refused; all of it is tried."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

from solitaire_agents.catalogue import choices_of, find_agent
from solitaire_agents.network import random_network
from solitaire_agents.trained import write_trained
from solitaire_agents.trained_agent import AS_LEARNED
from solitaire_envs import game as games
from solitaire_envs import klondike, pyramid
from solitaire_envs.catalogue import GAMES
from tests.environments import FEW_DECLARED, QUICK_GAMES, TAUGHT
from tests.options import (
    OTHERS,
    PAGE,
    base_options,
    check_declared,
    check_moves,
    check_refusals,
    names_of,
    with_tables,
)

WALK = [(game, name) for game, one in GAMES.items() if game in QUICK_GAMES for name in names_of(one)]
LONG = ("oracle", "planner", "best")
"""Agents whose moves are compared in the slow tests only, four minutes in all."""


def is_long(game_name: str, name: str) -> bool:
    root = GAMES[game_name].root
    return name in LONG or (root.name in FEW_DECLARED and root.name not in TAUGHT)


PLAYED = [pytest.param(*each, marks=[pytest.mark.slow] * is_long(*each)) for each in WALK if each[1] not in OTHERS]


@pytest.mark.parametrize(("game_name", "name"), WALK)
def test_every_option_is_declared(game_name: str, name: str) -> None:
    check_declared(GAMES[game_name], name)


@pytest.mark.parametrize(("game_name", "name"), WALK)
def test_what_is_declared_to_be_refused_is_refused_in_one_line(game_name: str, name: str) -> None:
    check_refusals(GAMES[game_name], name)


@pytest.mark.parametrize(("game_name", "name"), PLAYED)
def test_what_has_no_influence_changes_no_move(game_name: str, name: str) -> None:
    check_moves(GAMES[game_name], name)


@dataclass(frozen=True, kw_only=True)
class OptionsToCome(pyramid.PyramidOptions):
    """Options with one that no agent has declared."""

    jokers: int = games.option(0, "Cards that go with any other.", minimum=0)


@pytest.mark.parametrize("name", [name for name in names_of(pyramid.GAME) if name not in OTHERS])
def test_an_option_that_is_not_declared_is_refused(name: str) -> None:
    to_come = replace(pyramid.GAME, options=OptionsToCome)
    base = OptionsToCome(**asdict(base_options(pyramid.GAME, name)))
    assert find_agent(name, to_come, base)
    with pytest.raises(ValueError, match=f"expected jokers=0 for {name}; got 2"):
        find_agent(name, to_come, replace(base, jokers=2))


@pytest.mark.parametrize(("limit", "plays"), [(30, True), (29, False), (None, True)])
def test_an_agent_plays_under_the_limit_of_its_training(tmp_path: Path, limit: int | None, plays: bool) -> None:
    game, trained = klondike.GAME, klondike.KlondikeOptions(max_moves=30)
    choices = choices_of(game, trained)  # learners learn under any limit
    network = random_network(choices.inputs, (8, 4), 0)
    write_trained(tmp_path / "run", game, trained, [choices.rules], [AS_LEARNED], {}, network)
    options = klondike.KlondikeOptions(max_moves=limit)
    if plays:
        assert find_agent(str(tmp_path / "run"), game, options)
    else:
        with pytest.raises(ValueError, match="expected max_moves of 30 or more, or None, for .*run; got 29"):
            find_agent(str(tmp_path / "run"), game, options)


def test_the_tables_of_the_docs_are_current() -> None:
    """Otherwise: `python -m tests.options`."""
    text = PAGE.read_text(encoding="utf-8")
    assert with_tables(text) == text
