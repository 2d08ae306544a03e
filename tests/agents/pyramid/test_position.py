"""Positions: the conversions against the engine, and against each other."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from solitaire_agents.pyramid.position import (
    from_observation,
    from_state,
    imagine,
    play_all,
    show,
)
from solitaire_agents.pyramid.solver.api import Position, new_memory, solve
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import CLEARED_BONUS, GAME, PyramidOptions

MEMORY = new_memory(16)
SHOWN = GAME.slots("pass").stop
"""Slots that tell a position with the stock open."""


def played(seed: int, **options: Any) -> Iterator[Engine]:
    """Yields the positions of a game at random, one kind of moves more often than others."""
    rng, engine = np.random.default_rng(seed), Engine(GAME, PyramidOptions(**options), 1, autoreset="disabled")
    engine.deal_numbers([2**41 + seed])
    while True:
        yield engine
        if engine.states.ended[0]:
            return
        legal = np.flatnonzero(engine.buffers.action_masks[0])
        engine.step(rng.choice(legal[-2:] if rng.random() < seed / 20 else legal, 1))


def shown(engine: Engine) -> list[int]:
    row: list[int] = engine.buffers.observations[0, :SHOWN].tolist()
    return row


@pytest.mark.parametrize("seed", range(20))
def test_states_and_observations_agree(seed: int) -> None:
    for engine in played(seed, information="open", passes=4):
        deck, position = from_observation(engine.buffers.observations[0].tolist())
        assert sorted(deck) == list(range(52))
        assert show(deck, position) == shown(engine)
        state = engine.states[0]
        assert show(state.deck.tolist(), from_state(state)) == shown(engine)
        assert position.bonus == 0


@pytest.mark.parametrize("seed", range(20))
def test_a_position_is_played_on_as_the_game_is(seed: int) -> None:
    """From the state as it is, gaps in the stock and all, and from the observation, where there are none."""
    games = played(seed, information="open", passes=4)
    engine = next(games)
    while not engine.states.ended[0]:
        decks, positions = imagine(engine.buffers.observations)
        decks, positions = np.r_[decks, engine.states.deck], np.r_[positions, [from_state(engine.states[0])]]
        masks = engine.buffers.action_masks[0].copy()
        before = engine.states.copy()
        for action in np.flatnonzero(masks):
            after = positions.copy()
            play_all(np.array([action, action]), after)
            engine.states[:] = before
            engine.buffers.action_masks[0] = masks
            engine.step(np.array([action]))
            for deck, row in zip(decks, after, strict=True):
                assert show(deck.tolist(), Position(*row.tolist())) == shown(engine)
        engine.states[:] = before
        engine.buffers.action_masks[0] = masks
        next(games)


def test_the_bonus_is_part_of_a_state() -> None:
    engine = Engine(GAME, PyramidOptions(goal="all", information="open"), 1, autoreset="disabled")
    bonuses = set()
    for deal in range(2**41, 2**41 + 40):
        engine.deal_numbers([deal])
        deck = engine.states[0].deck.tolist()
        actions = solve(deck, goal="pyramid", memory=MEMORY).actions
        for action in actions:
            assert from_state(engine.states[0]).bonus == 0
            engine.step(np.array([action]))
        if actions:
            bonuses.add(from_state(engine.states[0]).bonus)
            assert from_state(engine.states[0]).bonus == CLEARED_BONUS[engine.states.current_pass[0] - 1]
    assert bonuses == set(CLEARED_BONUS.tolist())


@pytest.mark.parametrize("information", ["memory", "table"])
def test_expects_the_order_of_the_stock(information: Any) -> None:
    engine = next(played(0, information=information))
    with pytest.raises(ValueError, match="expected observations that show the order of the stock"):
        from_observation(engine.buffers.observations[0].tolist())


def test_the_hidden_cards_fill_the_stock() -> None:
    for engine in played(3):
        decks, positions = imagine(engine.buffers.observations)
        position, truth = Position(*positions[0].tolist()), from_state(engine.states[0])
        assert sorted(decks[0]) == list(range(52))
        assert (position.pyramid, position.pass_number) == (truth.pyramid, truth.pass_number)
        assert position.stock.bit_count() == truth.stock.bit_count()
        left = {place for place in range(28) if truth.pyramid >> place & 1}
        assert all(decks[0, i] % 13 == engine.states[0].deck[i] % 13 for i in left)
