"""Conversions of a position of La tour infernale: they agree with the environment and with each other."""

from collections.abc import Iterator

import numpy as np
import pytest

from solitaire_agents.tour_infernale.bitboard import (
    DRAWN,
    ON_BOTTOM,
    REDEALT,
    TO_FOUNDATION,
    bit_of,
    board_seen,
)
from solitaire_agents.tour_infernale.position import spell_out, start_of
from solitaire_envs.cards import deck_of_deal
from solitaire_envs.engine import Engine
from solitaire_envs.tour_infernale import ACTIONS, DRAW, FOUNDATION, GAME, REDEAL, WASTE, TourInfernaleOptions
from tests.agents.tour_infernale.positions import Position


def random_play(piles: int, deal: int, moves: int = 400) -> Iterator[tuple[Engine, int]]:
    """Yields a game and the random action to be played next."""
    engine, rng = Engine(GAME, TourInfernaleOptions(piles=piles, information="open"), 1), np.random.default_rng(deal)
    engine.deal_numbers([deal])
    for _ in range(moves):
        legal = engine.legal_actions(0)
        if not legal:
            return
        moving = [action for action in legal if action > REDEAL]
        action = int(rng.choice(moving if moving and rng.random() < 0.7 else legal))
        yield engine, action
        engine.step(np.array([action]))


def move_of(position: Position, action: int) -> int:
    """Returns an action as a move."""
    if action in (DRAW, REDEAL):
        return bit_of(position.stock[0]) << 3 | DRAWN if action == DRAW else REDEALT
    source, target = ACTIONS[action]
    card = position.waste[0] if source == WASTE else position.tableau[source][-1]
    if target == FOUNDATION:
        kind = TO_FOUNDATION
    else:
        pile = position.tableau[target]
        kind = pile[-1] // 13 if pile else ON_BOTTOM
    return bit_of(card) << 3 | kind


def test_bits_of_cards() -> None:
    assert sorted(bit_of(card) for card in range(52)) == list(range(52))
    assert bit_of(0) == 0
    assert bit_of(13) == 1  # the aces come first
    assert bit_of(51) == 51


@pytest.mark.parametrize("piles", [5, 6])
def test_all_forms_agree_in_play(piles: int) -> None:
    seen = set()
    for deal in range(4):
        followed = Position.dealt(deck_of_deal(deal), piles)
        for engine, action in random_play(piles, deal):
            observation, state = engine.buffers.observations[0], engine.states[0]
            position, start = Position.of_state(state, piles), start_of(state, engine.options)
            assert position == followed
            assert np.array_equal(position.observation(-1, is_open=True), observation)
            assert position.start.board == start.board == tuple(board_seen(observation))
            assert start.order.tolist() == [bit_of(card) for card in (*reversed(position.waste), *position.stock)]
            assert (start.drawn, start.pass_number, start.piles) == (len(position.waste), position.pass_number, piles)
            check_move(position, engine, action)
            followed = position.after(action)
            seen.add(action)
    assert len(seen) == GAME.num_actions(TourInfernaleOptions(piles=piles))


def check_move(position: Position, engine: Engine, action: int) -> None:
    """An action, as a move, is that action again, or an equal one: to another empty pile."""
    move = move_of(position, action)
    (found,) = spell_out(engine.states[0], engine.options, [move])
    assert engine.buffers.action_masks[0, found]
    if move & 7 == ON_BOTTOM:
        assert not position.tableau[ACTIONS[found][1]]
    elif position.after(found) != position.after(action):  # two tops of the same rank and suit there are not
        raise AssertionError(f"{action} became {found}")


def test_a_line_is_spelled_out_and_followed() -> None:
    actions = [action for _, action in random_play(6, 11, 60)]
    start = Position.dealt(deck_of_deal(11))
    positions = start.along(actions)
    moves = [move_of(position, action) for position, action in zip(positions, actions, strict=False)]
    spelled = spell_out(start.state, start.options(None), moves)
    assert len(spelled) == 60
    assert start.along(spelled)[-1].bitboard() == positions[-1].bitboard()  # piles may have changed places
