"""Tables as text, as pictures and in a window."""

import re
import sys
from itertools import pairwise

import gymnasium
import numpy as np
import pytest

import solitaire_envs
from solitaire_agents.uniform import UniformAgent
from solitaire_envs.catalogue import GAMES
from solitaire_envs.engine import Engine
from solitaire_envs.picture import HEIGHT, render_picture
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
    assert np.array_equal(render_picture(engine, 0), render_picture(engine, 1))


@pytest.mark.parametrize("env_id", solitaire_envs.CATALOGUE)
def test_render_mode_ansi(env_id: str) -> None:
    env = gymnasium.make(env_id, render_mode="ansi")
    env.reset(seed=0)
    picture = env.render()
    assert isinstance(picture, str)
    assert "moves: draw" in picture


@pytest.mark.parametrize("env_id", solitaire_envs.CATALOGUE)
def test_render_mode_rgb_array_shows_each_change(env_id: str) -> None:
    env = gymnasium.make(env_id, render_mode="rgb_array")
    _, info = env.reset(seed=0)
    pictures = []
    for _ in range(30):
        pictures.append(np.asarray(env.render()))
        _, _, _, _, info = env.step(env.action_space.sample(mask=info["action_mask"]))
    assert pictures[0].shape[0] == HEIGHT
    assert pictures[0].dtype == np.uint8
    assert all(not np.array_equal(a, b) for a, b in pairwise(pictures))


def test_frames_can_be_collected_and_vector_environments_drawn() -> None:
    env = gymnasium.wrappers.RenderCollection(gymnasium.make("solitaire/Pyramid-v0", render_mode="rgb_array"))
    env.reset(seed=0)
    env.step(0)
    assert len(env.render()) == 2
    envs = gymnasium.make_vec("solitaire/TourInfernale-v0", num_envs=3, render_mode="rgb_array")
    envs.reset(seed=0)
    pictures = envs.render()
    assert pictures is not None
    assert len(pictures) == 3


def test_a_window_opens_and_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gymnasium.make("solitaire/Pyramid-v0", render_mode="human", disable_env_checker=True)
    env.unwrapped.metadata = {**env.unwrapped.metadata, "render_fps": 1000}
    env.reset(seed=0)
    env.step(0)
    assert env.render() is None
    env.close()
    env.close()


@pytest.mark.parametrize(("mode", "module"), [("rgb_array", "PIL"), ("human", "pygame")])
def test_a_missing_library_is_named(mode: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    env = gymnasium.make("solitaire/Pyramid-v0", render_mode=mode, disable_env_checker=True).unwrapped
    with pytest.raises(gymnasium.error.DependencyNotInstalled, match=r"solitaire-rl\[render\]"):  # noqa: PT012
        env.reset(seed=0)
        env.render()
