"""Saved states: whatever has happened since, an environment put back goes on exactly as it did."""

import pickle
import re
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import solitaire_envs
from solitaire_envs.cards import deck_of_deal, deck_text
from solitaire_envs.engine import Engine

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "solitaire/Pyramid-v0": [{}, {"information": "table", "goal": "pyramid"}, {"information": "open", "max_moves": 20}],
    "solitaire/PyramidPar-v0": [{}, {"games": 2, "passes": 1}],
    "solitaire/TourInfernale-v0": [{"max_moves": 40}, {"information": "table", "piles": 5}],
    "solitaire/TourInfernaleOnePass-v0": [{}, {"objective": "score"}],
    "solitaire/TourInfernaleSprint-v0": [{}, {"passes": 1, "budget": 150}],
    "solitaire/Klondike-v0": [{"max_moves": 90}, {"information": "table", "returns": False, "passes": 3}],
    "solitaire/KlondikeDrawOne-v0": [{"passes": 1, "objective": "score"}],
}
CASES = [(env_id, case) for env_id, cases in OPTIONS.items() for case in cases]
cases = st.sampled_from(CASES)
seeds = st.integers(0, 10**6)


def make(env_id: str, options: dict[str, Any], **more: Any) -> Any:
    return gymnasium.make(env_id, render_mode="ansi", max_illegal_actions=5, **options, **more).unwrapped


def begin(env: Any, seed: int) -> None:
    """Deals one of the games that a reset can ask for."""
    env.reset(seed=seed)
    if seed % 3 == 1:
        env.reset(options={"deal": seed})
    elif seed % 3 == 2:
        env.reset(options={"deck": deck_text(deck_of_deal(seed))})


def seen_of(env: Any) -> list[Any]:
    return [env.action_masks().tolist(), env.render(), env.outcome(), env.deal, env.deck.tolist(), env._ended]


def play(env: Any, seed: int, steps: int) -> list[Any]:
    """Plays random actions, few of them illegal, through the ends of episodes; returns all that is seen."""
    rng, seen = np.random.default_rng(seed), []
    for _ in range(steps):
        masks = env.action_masks()
        if env._ended or not masks.any():
            observation, info = env.reset()
            seen.append([observation.tolist(), info["action_mask"].tolist()])
            continue
        action = rng.integers(len(masks)) if rng.random() < 0.03 else rng.choice(np.flatnonzero(masks))
        observation, *flags, info = env.step(action)
        seen.append([observation.tolist(), flags, info.pop("action_mask").tolist(), info, *seen_of(env)])
    return seen


@settings(max_examples=30)
@given(cases, seeds, st.integers(0, 120), st.integers(0, 120))
def test_an_environment_put_back_goes_on_as_it_did(
    case: tuple[str, dict[str, Any]], seed: int, before: int, after: int
) -> None:
    env = make(*case)
    begin(env, seed)
    play(env, seed, before)
    state, now = env.get_state(), seen_of(env)
    kept = play(env, seed + 1, after)
    observation, info = env.set_state(state)
    assert seen_of(env) == now
    assert info["action_mask"].tolist() == now[0]
    assert env.get_state() == state
    assert play(env, seed + 1, after) == kept
    assert env.set_state(state)[0].tobytes() == observation.tobytes()


@settings(max_examples=20)
@given(cases, seeds, st.integers(0, 120), st.booleans(), st.booleans())
def test_another_environment_goes_on_as_the_first(
    case: tuple[str, dict[str, Any]], seed: int, before: int, used: bool, pickled: bool
) -> None:
    env, other = make(*case), make(*case)
    begin(env, seed)
    play(env, seed, before)
    state = env.get_state()
    kept = play(env, seed + 1, 100)
    if used:
        begin(other, seed + 1)
        play(other, seed + 2, 30)
    other.set_state(pickle.loads(pickle.dumps(state)) if pickled else state)
    assert play(other, seed + 1, 100) == kept


@pytest.mark.parametrize(("env_id", "options"), CASES)
def test_states_of_a_whole_episode_stand_apart(env_id: str, options: dict[str, Any]) -> None:
    """A search holds many states at once: each one leads to the step that followed it, in any order."""
    env, rng = make(env_id, options), np.random.default_rng(0)
    env.reset(seed=3)
    taken = []
    while not env._ended and len(taken) < 400:
        state, action = env.get_state(), int(rng.choice(np.flatnonzero(env.action_masks())))
        observation, reward, *_ = env.step(action)
        taken.append((state, action, observation.tobytes(), reward))
    assert len({state.record for state, *_ in taken}) == len(taken)
    assert len({hash(state) for state, *_ in taken}) == len(taken)
    for index in rng.permutation(len(taken)):
        state, action, observation, reward = taken[index]
        env.set_state(state)
        again, reward_again, *_ = env.step(action)
        assert (again.tobytes(), reward_again) == (observation, reward)


def test_an_episode_that_is_over_stays_over() -> None:
    env = make(*CASES[0])
    env.reset(seed=0)
    while not env._ended:
        env.step(int(env.action_masks().argmax()))
    state = env.get_state()
    env.reset()
    env.set_state(state)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_every_field_of_a_game_is_part_of_it() -> None:
    for entry in solitaire_envs.CATALOGUE.values():
        engine = Engine(entry.game, entry.game.options(**entry.preset), 3)
        engine.states[1] = np.frombuffer(bytes([1]) * entry.game.state.itemsize, dtype=entry.game.state)[0]
        state = engine.get_state(1)
        engine.set_state(2, state)
        assert engine.states[2] == engine.states[1] != engine.states[0]


def test_before_a_reset_there_is_nothing_to_save() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) before get_state\(\)"):
        make(*CASES[0]).get_state()


@pytest.mark.parametrize(
    ("env_id", "options", "message"),
    [
        ("solitaire/TourInfernale-v0", {}, "expected a state of pyramid, got one of tour_infernale"),
        ("solitaire/PyramidPar-v0", {}, "expected a state of pyramid, got one of pyramid_par"),
        ("solitaire/Pyramid-v0", {"passes": 1}, "expected a state of pyramid with passes=3, got passes=1"),
        (
            "solitaire/Pyramid-v0",
            {"information": "open", "max_moves": 9},
            "expected a state of pyramid with information='memory', max_moves=None, "
            "got information='open', max_moves=9",
        ),
    ],
)
def test_a_state_of_another_environment_is_refused(env_id: str, options: dict[str, Any], message: str) -> None:
    env, other = make("solitaire/Pyramid-v0", {}), make(env_id, options)
    env.reset(seed=0)
    other.reset(seed=1)
    before = seen_of(env)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        env.set_state(other.get_state())
    assert seen_of(env) == before


@pytest.mark.parametrize("part", ["record", "action_mask", "observation"])
@pytest.mark.parametrize(("wrong", "got"), [(b"\1", "1 bytes"), (b"", "0 bytes"), (None, "None"), ("x" * 9, "'x+'")])
def test_a_damaged_state_is_refused_before_anything_changes(part: str, wrong: Any, got: str) -> None:
    env = make(*CASES[0])
    env.reset(seed=0)
    state, before = env.get_state(), seen_of(env)
    size = len(getattr(state, part))
    with pytest.raises(ValueError, match=f"^expected a state with {part} of {size} bytes, got {got}$"):
        env.set_state(replace(state, **{part: wrong}))
    assert seen_of(env) == before
    assert env.get_state() == state


@pytest.mark.parametrize("value", [None, 7, b"\0" * 300, {"deal": 7}])
def test_what_is_no_state_is_refused(value: Any) -> None:
    env = make(*CASES[0])
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"expected a state that get_state\(\) returned, got "):
        env.set_state(value)
