"""Wrappers."""

import re
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from solitaire_envs.layout import PIPS
from solitaire_envs.wrappers import MaskInObservation, OneHotObservation, TextGame
from tests.environments import walk

pytestmark = pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")  # that is their purpose


@pytest.mark.parametrize("env_id", walk())
def test_mask_in_observation(env_id: str) -> None:
    env = MaskInObservation(gymnasium.make(env_id, disable_env_checker=True))
    check_env(env, skip_render_check=True)
    observation, info = env.reset(seed=0)
    for _ in range(30):
        assert np.array_equal(observation["action_mask"], info["action_mask"])
        action = env.action_space.sample(mask=observation["action_mask"])
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            observation, info = env.reset()


@pytest.mark.parametrize("env_id", walk())
def test_one_hot_observation_loses_nothing(env_id: str) -> None:
    plain = gymnasium.make(env_id, disable_env_checker=True)
    env = OneHotObservation(plain)
    check_env(env, skip_render_check=True)
    rng, seen = np.random.default_rng(0), {}
    _, info = env.reset(seed=0)
    for _ in range(60):
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        observation, _, terminated, truncated, info = env.step(action)
        assert env.observation_space.contains(observation)
        original = plain.unwrapped.engine.buffers.observations[0].tobytes()  # type: ignore[attr-defined]
        assert seen.setdefault(observation.tobytes(), original) == original
        if terminated or truncated:
            _, info = env.reset()


def test_one_hot_observation_of_another_environment() -> None:
    with pytest.raises(ValueError, match="expected an environment of solitaire_envs, got CartPoleEnv"):
        OneHotObservation(gymnasium.make("CartPole-v1"))


@pytest.mark.parametrize("env_id", walk())
def test_a_game_through_text_is_the_same_game(env_id: str) -> None:
    """Random legal moves, told as words, with an answer now and then that is no move."""
    plain = gymnasium.make(env_id, disable_env_checker=True)
    env = TextGame(gymnasium.make(env_id, disable_env_checker=True))
    check_env(env, skip_render_check=True)
    rng = np.random.default_rng(0)
    plain.reset(seed=3)
    text, info = env.reset(seed=3)
    for _ in range(100):
        assert env.observation_space.contains(text)
        moves = text.rpartition("moves: ")[2].split(", ")
        if rng.random() < 0.1:
            before, masks = text.rpartition("\n\n   ")[2], info["action_mask"]
            text, reward, terminated, truncated, info = env.step("I would take the king.")
            assert (reward, terminated, truncated, info["illegal_action"]) == (0, False, False, 1)
            assert text.startswith(f"expected a legal move, one of: {moves[0]}")
            assert text.endswith(before)
            assert (info["action_mask"] == masks).all()
        move = str(rng.choice(moves))
        expected = plain.step(plain.unwrapped.parse_move(move))  # type: ignore[attr-defined]
        text, reward, terminated, truncated, info = env.step(move)
        assert (reward, terminated, truncated) == expected[1:4]
        assert all((info[key] == value).all() for key, value in expected[4].items())
        if terminated or truncated:
            break


def test_a_game_through_text_without_the_moves() -> None:
    env = TextGame(gymnasium.make("solitaire/Pyramid-v0"), tell_moves=False, max_illegal_actions=2)
    text, _ = env.reset(options={"deal": 7})
    assert "moves:" not in text
    text, *_ = env.step("take it")
    assert text.startswith("expected a legal move\n")
    assert "moves:" not in text
    _, _, terminated, truncated, info = env.step("")
    assert (terminated, truncated, info["illegal_action"], info["score"]) == (False, True, 1, -52)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step("draw")
    text, info = env.reset(options={"deal": 7})
    assert info["illegal_action"] == 0
    assert env.step("draw")[4]["moves"] == 1
    with pytest.raises(TypeError, match="expected a move in words, got 3"):
        env.step(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected max_illegal_actions to be an integer of 1..2147483646, got 0"):
        TextGame(gymnasium.make("solitaire/Pyramid-v0"), max_illegal_actions=0)


WRITTEN = ("{}", "`{}`", "**{}**", "[{}]", " {} .", "*{}*")


@pytest.mark.parametrize("env_id", walk())
def test_moves_as_tables_and_chats_write_them(env_id: str) -> None:
    env = TextGame(gymnasium.make(env_id, disable_env_checker=True))
    base: Any = env.unwrapped
    for deal in range(4):
        env.reset(options={"deal": deal})
        for _ in range(12):
            actions = base.engine.legal_actions(0)
            move = base.move_text(actions[-1])
            pretty = move
            for suit, pip in PIPS.items():
                pretty = re.sub(f"(?<=[A2-9TJQK]){suit}", pip, pretty)
            forms = [form.format(text) for form in WRITTEN for text in (move, pretty)]
            forms += [pretty.replace(">", sign) for sign in ("->", " -> ", " → ", " to ", " TO ", "-->")]
            forms.append(">".join(f"[{part}]" for part in pretty.split(">")))
            for text in forms:
                assert base.move_text(base.parse_move(text)) == move, text
                assert env.action_space.contains(text), text
            if env.step(forms[-1])[2]:
                break
