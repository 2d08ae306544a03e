"""Tables as text, as pictures and in a window."""

import re
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordVideo

import solitaire_envs
from solitaire_agents.uniform import UniformAgent
from solitaire_envs import tour_infernale
from solitaire_envs.cards import deck_of_deal
from solitaire_envs.catalogue import GAMES
from solitaire_envs.engine import Engine
from solitaire_envs.layout import BACK, STOCK_NAME, WASTE_NAME
from solitaire_envs.render import layout_of, render_ansi
from tests.environments import walk

PYRAMID_AT_THE_START = """\
  [K♣]     ·               9♥                      ·
 stock   waste         7♣      3♦              discarded
   24      0       6♦      3♠      T♦              0
               T♠      9♣      Q♠      5♥
           4♦      7♦      A♦      3♣      6♠
       2♠      4♠      Q♥      5♠      8♣      A♥
  [J♦]    [T♣]    [T♥]    [4♥]    [2♣]    [2♥]    [K♦]

  pass 1 of 3   move 0   score -52
  moves: draw, KD, KC, JD+2C, JD+2H"""

TOUR_INFERNALE_AFTER_SOME_MOVES = """\
   ░░      T♠  9♣ [Q♠]     ♣       ♦       ♥       ♠
 stock   waste
   43      3

       ·      [7♣]    [3♦]    [6♦]    [3♠]     T♦
                                              [9♥]

  pass 1   move 4   score 0
  moves: draw, QS>empty, 6D>7C, 9H>empty"""


def play(name: str, moves: list[str], deal: int = 7, **options: Any) -> Engine:
    engine = Engine(GAMES[name], GAMES[name].options(**options), 1)
    engine.deal_numbers([deal])
    for move in moves:
        engine.step(np.array([engine.parse_move(0, move)]))
    return engine


def picture_of(engine: Engine, index: int = 0) -> Any:
    pytest.importorskip("PIL")
    from solitaire_envs.picture import render_rgb

    return render_rgb(engine, index)


def uncoloured(text: str) -> str:
    return re.sub(r"\033\[\d+m", "", text)


# --- Text -------------------------------------------------------------------------------------------------------------


def test_tables_as_they_look() -> None:
    assert render_ansi(play("pyramid", []), 0) == PYRAMID_AT_THE_START
    moved = play("tour_infernale", ["9H>TD", "draw", "draw", "draw"])
    assert render_ansi(moved, 0) == TOUR_INFERNALE_AFTER_SOME_MOVES


@pytest.mark.parametrize("name", walk(GAMES))
def test_every_position_of_a_game_fits(name: str) -> None:
    game = GAMES[name]
    engine, agent = Engine(game, game.options(max_moves=150), 1), UniformAgent()
    engine.deal_numbers([3])
    while not engine.states.ended[0]:
        text = render_ansi(engine, 0)
        *lines, moves = text.splitlines()
        assert max(map(len, lines)) <= (60 if layout_of(engine, 0).columns <= 7 else 80)
        for action in engine.legal_actions(0):
            assert engine.move_text(0, action) in moves
        assert uncoloured(render_ansi(engine, 0, color=True)) == text
        table = layout_of(engine, 0)
        cards = [(spot.card, spot.copy) for spot in table.spots if spot.card not in (None, BACK)]
        assert len(set(cards)) == len(cards)  # the page tells cards apart that look alike
        assert all(0 <= spot.x <= table.columns - 1 and 0 <= spot.y <= table.height - 1 for spot in table.spots)
        engine.step(agent.act(engine.buffers.observations, engine.buffers.action_masks))
    assert render_ansi(engine, 0).endswith("moves: none, the game is over")


def test_tallest_pile_fits() -> None:
    engine = play("tour_infernale", [])
    state = engine.states[0]
    state.tableau[0] = np.arange(13, 0, -1)
    spots, height = layout_of(engine, 0).spots, layout_of(engine, 0).height
    assert sum(spot.x == 0.5 for spot in spots) == tour_infernale.NUM_RANKS
    assert all(spot.y <= height - 1 for spot in spots)


def test_brackets_and_glow_tell_what_may_be_played() -> None:
    spots = layout_of(play("pyramid", []), 0).spots
    assert sum(spot.available for spot in spots) == 7 + 1
    assert {spot.card for spot in spots if spot.playable} == {12, 25, 23, 1, 27}  # KC, KD, JD, 2C, 2H


@pytest.mark.parametrize("name", ["klondike", "trigon"])
def test_of_stock_and_waste_only_the_top_of_the_waste_glows(name: str) -> None:
    engine, glows = play(name, ["draw"]), set[bool]()
    for _ in range(40):
        spots = layout_of(engine, 0).spots
        *others, top = [spot for spot in spots if spot.place in (STOCK_NAME, WASTE_NAME)]
        assert not any(spot.playable for spot in others)
        glows.add(top.playable)
        engine.step(engine.buffers.action_masks.argmax(axis=1))  # a draw, or else a redeal
    assert glows == {False, True}


def test_red_suits_are_red() -> None:
    assert "\033[91m9♥\033[0m" in render_ansi(play("pyramid", []), 0, color=True)


def test_redeal_is_shown() -> None:
    text = render_ansi(play("pyramid", ["draw"] * 24), 0)
    assert text.startswith("   ○      [8♦]")
    assert "moves: redeal" in text


# --- Nothing hidden is shown ------------------------------------------------------------------------------------------


def two_orders(name: str, places: Any, draws: int, information: str) -> Engine:
    """Two games alike but for the order of the cards at some places of the deck."""
    engine = Engine(GAMES[name], GAMES[name].options(information=information), 2)
    deck = deck_of_deal(1, GAMES[name].num_cards)
    other = deck.copy()
    other[places] = deck[places][::-1]
    engine.deal_decks([deck, other])
    for _ in range(draws):
        engine.step(np.zeros(2, dtype=np.int64))
    return engine


@pytest.mark.parametrize("information", ["memory", "table", "open"])
@pytest.mark.parametrize("name", walk(GAMES))
def test_order_of_hidden_cards_is_not_drawn(name: str, information: str) -> None:
    """Not even where the observation shows it: a drawing is what a person at the table sees."""
    drawn = play(name, [], deal=1)
    for _ in range(5):
        drawn.step(np.zeros(1, np.int64))
    hidden = GAMES[name].hidden(drawn.states[0])
    engine = two_orders(name, hidden, 5, information)
    assert render_ansi(engine, 0) == render_ansi(engine, 1)
    assert np.array_equal(picture_of(engine, 0), picture_of(engine, 1))


def test_waste_below_its_top_is_shown_to_memory_only() -> None:
    memory, table = (two_orders("tour_infernale", [6, 7], 3, information) for information in ("memory", "table"))
    assert render_ansi(memory, 0) != render_ansi(memory, 1)
    assert render_ansi(table, 0) == render_ansi(table, 1)
    assert np.array_equal(picture_of(table, 0), picture_of(table, 1))


# --- Pictures and the window ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", walk(GAMES))
def test_pictures_differ_by_position_and_have_one_size_good_for_video(name: str) -> None:
    dealt = play(name, [])
    before, after = picture_of(dealt), picture_of(play(name, [dealt.move_text(0, dealt.legal_actions(0)[0])]))
    assert before.dtype == np.uint8
    assert before.shape == after.shape
    assert before.shape[0] % 16 == before.shape[1] % 16 == 0
    assert not np.array_equal(before, after)
    before[:] = 0  # the caller's own


@pytest.mark.parametrize("env_id", walk())
def test_gymnasium_checker_in_every_render_mode(env_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(solitaire_envs.SolitaireEnv.metadata, "render_fps", 1_000)
    check_env(gymnasium.make(env_id, disable_env_checker=True, render_mode="rgb_array").unwrapped)


def test_window_shows_each_reset_and_step(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env: Any = gymnasium.make("solitaire/Pyramid-v0", render_mode="human").unwrapped

    def shown() -> Any:
        return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)

    env.reset(seed=0)
    assert np.array_equal(shown(), picture_of(env.engine))
    env.step(0)
    assert np.array_equal(shown(), picture_of(env.engine))
    assert env.render() is None
    env.close()
    assert not pygame.display.get_init()
    env.close()
    env.reset()  # opens it again
    env.close()


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_vector_env_draws_each_game(mode: str) -> None:
    envs: Any = gymnasium.make_vec("solitaire/Pyramid-v0", num_envs=3, render_mode=mode)
    envs.reset(seed=5)
    for index, drawing in enumerate(envs.render()):
        env = gymnasium.make("solitaire/Pyramid-v0", render_mode=mode)
        env.reset(seed=5 + index)
        assert np.array_equal(drawing, env.render())


def test_collected_pictures() -> None:
    pytest.importorskip("PIL")
    env: Any = gymnasium.make("solitaire/Pyramid-v0", render_mode="rgb_array_list")
    env.reset(seed=0)
    env.step(0)
    assert len(env.render()) == 2


def test_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    image = pytest.importorskip("PIL.Image")
    env: Any = gymnasium.make("solitaire/TourInfernale-v0").unwrapped
    assert env._repr_png_() is None
    env.reset(seed=0)
    assert np.array_equal(np.asarray(image.open(BytesIO(env._repr_png_()))), picture_of(env.engine))
    monkeypatch.delitem(sys.modules, "solitaire_envs.picture")
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert env._repr_png_() is None


def test_video(tmp_path: Path) -> None:
    env = RecordVideo(gymnasium.make("solitaire/Pyramid-v0", render_mode="rgb_array"), str(tmp_path / "videos"))
    env.reset(seed=0)
    for _ in range(8):
        env.step(0)
    env.close()
    assert [file.suffix for file in (tmp_path / "videos").iterdir()] == [".mp4"]


@pytest.mark.parametrize(("missing", "mode"), [("PIL", "rgb_array"), ("PIL", "human"), ("pygame", "human")])
def test_missing_library_is_named(missing: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "solitaire_envs.picture", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(gymnasium.error.DependencyNotInstalled, match=r'pip install "solitaire-rl\[render\]"'):
        gymnasium.make("solitaire/Pyramid-v0", render_mode=mode).reset()


def test_without_a_render_mode_nothing_is_drawn() -> None:
    env: Any = gymnasium.make("solitaire/Pyramid-v0").unwrapped
    with pytest.warns(UserWarning, match="expected a render_mode"):
        assert env.render() is None
