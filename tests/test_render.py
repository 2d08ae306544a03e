"""Tables as text."""

import re

import gymnasium
import numpy as np
import pytest

import solitaire_envs
from solitaire_agents.uniform import UniformAgent
from solitaire_envs.catalogue import GAMES
from solitaire_envs.engine import Engine
from solitaire_envs.render import WIDTH, render_ansi


@pytest.mark.parametrize("name", GAMES)
def test_every_position_of_a_game_can_be_drawn(name: str) -> None:
    game = GAMES[name]
    engine, agent = Engine(game, game.options(max_moves=150), 1), UniformAgent()
    engine.deal_numbers([3])
    while not engine.states.ended[0]:
        text = render_ansi(engine, 0)
        *table, moves = text.splitlines()
        assert max(map(len, table)) <= WIDTH + 20
        for action in engine.legal_actions(0):
            assert engine.move_text(0, action) in moves
        assert re.sub(r"\033\[\d+m", "", render_ansi(engine, 0, color=True)) == text
        engine.step(agent.act(engine.buffers.observations, engine.buffers.action_masks))
    assert "pass" in render_ansi(engine, 0)


@pytest.mark.parametrize("name", ["pyramid", "tour_infernale"])
def test_the_undrawn_stock_is_not_shown(name: str) -> None:
    game = GAMES[name]
    engine = Engine(game, game.options(), 2)
    deck = np.arange(52, dtype=np.uint8)
    other = deck.copy()
    other[30:] = other[30:][::-1]
    engine.deal_decks([deck, other])
    assert render_ansi(engine, 0) == render_ansi(engine, 1)


@pytest.mark.parametrize("env_id", solitaire_envs.CATALOGUE)
def test_render_mode_ansi(env_id: str) -> None:
    env = gymnasium.make(env_id, render_mode="ansi")
    env.reset(seed=0)
    picture = env.render()
    assert isinstance(picture, str)
    assert "moves: draw" in picture
