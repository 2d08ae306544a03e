"""Every option of every game is an input of each agent, has no influence on it, or is refused; all of it is tried."""

from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from solitaire_agents.catalogue import choices_of, find_agent, kit_of
from solitaire_agents.network import random_network
from solitaire_agents.trained import write_trained
from solitaire_agents.trained_agent import AS_LEARNED
from solitaire_agents.uses import LEARNED
from solitaire_envs import game as games
from solitaire_envs import klondike, pyramid
from solitaire_envs.catalogue import GAMES
from solitaire_envs.checks import short
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options
from tests.options import OTHERS, PAGE, base_options, declared, names_of, refusal, values_of, with_tables

WALK = [(game, name) for game, one in GAMES.items() for name in names_of(one)]
PLAYED = [(game, name) for game, name in WALK if name not in OTHERS]
QUICK_MOVES, SLOW_MOVES = 90, 2
"""Moves of a game that are compared; of agents that search, and are slow, only the first."""


class Seen(NamedTuple):
    """What an agent saw before a move, and the move."""

    observation: bytes
    mask: bytes
    action: int


@cache
def moves(game: Game, options: Options, name: str) -> list[Seen]:
    """Plays the beginning of a game; an illegal move raises."""
    agent = find_agent(name, game, options)
    engine, seen = Engine(game, agent.shown(options), 1), list[Seen]()
    engine.deal_numbers([2**40])
    shown = slice(game.root.observation_size)  # without what a series adds
    while len(seen) < (QUICK_MOVES if agent.quick else SLOW_MOVES) and not _over(engine):
        actions, buffers = agent.choose(engine), engine.buffers
        seen.append(Seen(buffers.observations[0, shown].tobytes(), buffers.action_masks.tobytes(), int(actions[0])))
        engine.step(actions)
    return seen


def _over(engine: Engine) -> bool:
    """Returns whether the first game is over; in a series the next one may have begun."""
    states = engine.states
    return bool(states.ended[0] or ("games" in states.dtype.names and states.games[0] > 0))


def others(game: Game, name: str, changed: str) -> list[tuple[Any, Options]]:
    """Returns the other values of an option, each with the options that have them."""
    base = base_options(game, name)
    now = getattr(base, changed)
    return [(value, replace(base, **{changed: value})) for value in values_of(game, changed) if value != now]


@pytest.mark.parametrize(("game_name", "name"), WALK)
def test_every_option_is_declared(game_name: str, name: str) -> None:
    game = GAMES[game_name]
    assert {spec.name for spec in fields(game.options)} <= set(declared(game, name))


@pytest.mark.parametrize(("game_name", "name"), WALK)
def test_what_is_declared_to_be_refused_is_refused_in_one_line(game_name: str, name: str) -> None:
    game = GAMES[game_name]
    for option in (spec.name for spec in fields(game.options)):
        use = declared(game, name)[option]
        for value, options in others(game, name, option):
            said, expected = refusal(game, name, options), use.expected(option, options)
            assert bool(said) == bool(expected) or (use == LEARNED and said), (option, value, said)
            if said and name != "labels":
                assert "expected " in said
                assert "\n" not in said
                parts = (option, name) if use == LEARNED else (option, name, short(value))
                assert all(part in said for part in parts), said


@pytest.mark.parametrize(("game_name", "name"), PLAYED)
def test_what_has_no_influence_changes_no_move(game_name: str, name: str) -> None:
    game = GAMES[game_name]
    base = moves(game, base_options(game, name), name)
    assert len(base) >= SLOW_MOVES
    seen_in_one_game = find_agent(name, game, base_options(game, name)).quick and name not in kit_of(game).trained
    for option in (spec.name for spec in fields(game.options)):
        influence, changes = declared(game, name)[option].influence, list[bool]()
        for value, options in others(game, name, option):
            if not refusal(game, name, options):
                found = moves(game, options, name)
                same = [one.action for one in found] == [one.action for one in base[: len(found)]]
                assert influence or same, (option, value)
                changes.append(found != base[: len(found)])
        assert any(changes) or not (influence and seen_in_one_game and changes), option


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
