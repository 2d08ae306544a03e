"""Copies of environments: independent of the original, and they go on exactly as it does."""

import copy
import os
import pickle
import signal
import threading
from collections.abc import Callable
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import solitaire_envs
from solitaire_agents.uniform import UniformAgent
from solitaire_envs import tour_infernale
from solitaire_envs.catalogue import GAMES
from solitaire_envs.engine import Engine
from solitaire_training.sb3_vec_env import SolitaireVecEnv
from tests.environments import QUICK, walk

COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "cloudpickle": lambda env: pickle.loads(cloudpickle.dumps(env)),
}
IDS = walk()
ways = st.sampled_from(list(COPIES))
ids = st.sampled_from(QUICK)


def single(env: Any, rng: np.random.Generator) -> list[Any]:
    """Plays a random legal action; returns all that is seen of it."""
    masks = env.action_masks()
    if not masks.any():
        return [*env.reset()[:1], env.render()]
    seen = env.step(int(rng.choice(np.flatnonzero(masks))))
    return [*seen[:4], env.action_masks(), env.render(), env.outcome()]


def vector(env: Any, rng: np.random.Generator) -> list[Any]:
    actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in env.action_masks()])
    return [*env.step(actions)[:4], env.action_masks(), env.render()]


def sb3(env: Any, rng: np.random.Generator) -> list[Any]:
    actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in env.action_masks()])
    return [*env.step(actions)[:3], env.action_masks()]


def same(one: list[Any], other: list[Any]) -> bool:
    return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in zip(one, other, strict=True))


def check(env: Any, play: Callable[[Any, np.random.Generator], list[Any]], way: str, steps: int, seed: int) -> None:
    before = np.random.default_rng(seed)
    for _ in range(steps):
        play(env, before)
    twin = COPIES[way](env)
    after, twins = np.random.default_rng(seed + 1), np.random.default_rng(seed + 1)
    kept = [play(env, after) for _ in range(60)]
    assert all(same(seen, play(twin, twins)) for seen in kept)  # the original's steps have not moved the copy


@settings(max_examples=12)
@given(ids, ways, st.integers(0, 80), st.integers(0, 10**6))
def test_a_copied_environment_goes_on_as_the_original(env_id: str, way: str, steps: int, seed: int) -> None:
    env: Any = gymnasium.make(env_id, render_mode="ansi").unwrapped
    env.reset(seed=seed)
    check(env, single, way, steps, seed)


@settings(max_examples=12)
@given(ids, ways, st.integers(1, 3), st.integers(0, 80), st.integers(0, 10**6))
def test_a_copied_vector_environment(env_id: str, way: str, threads: int, steps: int, seed: int) -> None:
    envs: Any = gymnasium.make_vec(env_id, num_envs=3, threads=threads, render_mode="ansi").unwrapped
    envs.reset(seed=seed)
    check(envs, vector, way, steps, seed)


@settings(max_examples=15)
@given(ids, ways, st.integers(0, 80), st.integers(0, 10**6))
def test_a_copied_sb3_environment(env_id: str, way: str, steps: int, seed: int) -> None:
    entry = solitaire_envs.CATALOGUE[env_id]
    env = SolitaireVecEnv(entry.game, entry.game.options(**entry.preset), 3)
    env.seed(seed)
    env.reset()
    check(env, sb3, way, steps, seed)


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_deals_what_it_is_asked_for(way: str) -> None:
    env: Any = gymnasium.make(IDS[0], render_mode="ansi").unwrapped
    env.reset(seed=0)
    twin = COPIES[way](env)
    firsts = [e.reset(seed=seed)[0].tobytes() for e in (env, twin) for seed in range(20)]
    assert firsts[:20] == firsts[20:]
    assert len(set(firsts)) == 20
    for each in (env, twin):
        each.reset(options={"deal": 7})
    assert twin.render() == env.render()
    assert np.array_equal(twin.deck, env.deck)


def test_a_copy_of_a_game_is_the_game() -> None:
    """Nothing of a game ever changes, and the compiled engine belongs to it."""
    for game in GAMES.values():
        assert copy.deepcopy(game) is game
        assert pickle.loads(pickle.dumps(game)) is game


# --- Threads and forks ------------------------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [1, 2])
def test_threads_that_step_one_engine_at_once_do_no_harm(threads: int) -> None:
    engine = Engine(
        tour_infernale.GAME, tour_infernale.TourInfernaleOptions(), 64, autoreset="same_step", threads=threads
    )
    engine.seed(range(64))
    engine.deal_next()

    def play(seed: int) -> None:
        agent = UniformAgent(seed)
        for _ in range(300):
            engine.step(agent.act(engine.buffers.observations, engine.buffers.action_masks.copy()))

    players = [threading.Thread(target=play, args=(seed,)) for seed in range(3)]
    for player in players:
        player.start()
    for player in players:
        player.join()
    state = engine.states[0]
    piles = tour_infernale.stock_cards(state) + tour_infernale.waste_cards(state)
    tableau = [int(card) - 1 for card in state.tableau.ravel() if card]
    assert len(piles) + len(tableau) + int(state.foundations.sum()) == 52


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_after_a_step_of_threads_does_not_hang() -> None:
    envs: Any = gymnasium.make_vec(IDS[0], num_envs=4, threads=2).unwrapped
    envs.reset(seed=0)
    actions = np.zeros(4, np.int64)
    envs.step(actions)
    child = os.fork()
    if child == 0:  # no test framework in here
        signal.alarm(20)
        envs.step(actions)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_a_step_before_a_reset_is_refused() -> None:
    envs: Any = gymnasium.make_vec(IDS[0], num_envs=2).unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros(2, np.int64))
