"""What environments, vector environments and wrappers refuse: under its own name, in one line, and nothing changes."""

import re
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import solitaire_envs
from solitaire_envs.cards import deck_of_deal
from solitaire_envs.catalogue import find_entry, find_game
from solitaire_envs.wrappers import MaskInObservation, OneHotObservation
from tests.environments import walk

PYRAMID = "solitaire/Pyramid-v0"
DECK = deck_of_deal(3)
RESET = "expected reset options {'deal': number}, {'deck': text}, or some of 'deals', 'winnable' and 'difficulty'; got "


def single() -> Any:
    env: Any = gymnasium.make(PYRAMID, disable_env_checker=True).unwrapped
    env.reset(seed=1)
    return env


def vector(**arguments: Any) -> Any:
    envs: Any = gymnasium.make_vec(PYRAMID, num_envs=3, **arguments)
    envs.reset(seed=1)
    return envs


def everything(env: Any) -> list[Any]:
    arrays = [array.tobytes() for array in env.engine.arrays]
    return [*arrays, env.np_random_seed, str(env.np_random.bit_generator.state)]


@pytest.mark.parametrize("env_id", walk())
@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_an_unknown_keyword(env_id: str, make: Any) -> None:
    """Libraries try keywords, and look for these words of Python's."""
    expected = "expected options among .*information.*; got an unexpected keyword argument 'frameskip'"
    with pytest.raises(TypeError, match=expected):
        make(env_id, frameskip=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "expected seed to be an integer of 0..2**64 - 1, got -1"),
        ({"seed": 2**64}, "expected seed to be an integer of 0..2**64 - 1, got 18446744073709551616"),
        ({"seed": 1.0}, "expected seed to be an integer of 0..2**64 - 1, got 1.0"),
        ({"seed": True}, "expected seed to be an integer of 0..2**64 - 1, got True"),
        ({"seed": [1]}, "expected seed to be an integer of 0..2**64 - 1, got [1]"),
        *(
            (
                {"seed": 9, "options": options},
                RESET + told,
            )
            for options, told in [
                ({"deal": 1, "deck": "QH"}, "{'deal': 1, 'deck': 'QH'}"),
                ({"cards": 1}, "{'cards': 1}"),
                ([{"deal": 1}], "[{'deal': 1}]"),
                (["deal"], "['deal']"),
                ("deck", "'deck'"),
                (7, "7"),
            ]
        ),
        ({"seed": 9, "options": {"deal": -1}}, "expected a deal number, an integer of 0..2**64 - 1, got -1"),
        ({"seed": 9, "options": {"deal": None}}, "expected a deal number, an integer of 0..2**64 - 1, got None"),
        ({"seed": 9, "options": {"deck": "QH"}}, "expected 52 cards, got 1: nothing at position 2"),
        *(
            (
                {"seed": 9, "options": {"deck": deck}},
                f"expected a deck, 52 cards as text or as card numbers, got {deck!r}",
            )
            for deck in (None, 5, 3.5, True, {"AC"}, np.array(5))
        ),
    ],
)
def test_a_reset_that_is_refused_changes_nothing(arguments: dict[str, Any], message: str) -> None:
    env = single()
    before = everything(env)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        env.reset(**arguments)
    assert everything(env) == before


def one_each(name: str, got: object) -> str:
    return f"expected {name} to be a list, one for each of 3 environments, got {got}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "expected seed to be an integer of 0..2**64 - 3 for 3 environments, got -1"),
        (
            {"seed": 2**64 - 2},
            "expected seed to be an integer of 0..2**64 - 3 for 3 environments, got 184467440737095516",
        ),
        ({"seed": "123"}, one_each("seed", "'123'")),
        ({"seed": 3.5}, "expected seed to be an integer of 0..2**64 - 3 for 3 environments, got 3.5"),
        ({"seed": [1, 2]}, one_each("seed", 2)),
        ({"seed": [1, None, -1]}, "expected seed[2] to be an integer of 0..2**64 - 1, got -1"),
        ({"seed": [1, 2**64, 1]}, "expected seed[1] to be an integer of 0..2**64 - 1, got 18446744073709551616"),
        ({"seed": 9, "options": {"deal": [1, 2]}}, one_each("options['deal']", 2)),
        ({"seed": 9, "options": {"deal": 5}}, one_each("options['deal']", 5)),
        ({"seed": 9, "options": {"deal": np.array(5)}}, one_each("options['deal']", "array(5)")),
        ({"seed": 9, "options": {"deal": {1, 2, 3}}}, one_each("options['deal']", "{1, 2, 3}")),
        ({"seed": 9, "options": {"deal": [1, 2, -1]}}, "expected a deal number, an integer of 0..2**64 - 1, got -1"),
        ({"seed": 9, "options": {"deck": "ACE"}}, one_each("options['deck']", "'ACE'")),
        (
            {"seed": 9, "options": {"deck": [DECK, None, DECK]}},
            "expected a deck, 52 cards as text or as card numbers, got",
        ),
        ({"seed": 9, "options": [1]}, RESET + "[1]"),
        (
            {"seed": 9, "options": {"reset_mask": [True, False, True]}},
            "expected reset_mask to be a bool array of shape",
        ),
        ({"seed": 9, "options": {"reset_mask": np.zeros(3, bool)}}, "expected reset_mask to choose at least one"),
    ],
)
def test_a_vector_reset_that_is_refused_changes_nothing(arguments: dict[str, Any], message: str) -> None:
    envs = vector()
    before = everything(envs)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        envs.reset(**arguments)
    assert everything(envs) == before


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros(2, dtype=int), "expected 3 integer actions"),
        (np.zeros(3), "expected 3 integer actions"),
        (["0", "0", "0"], "expected 3 integer actions"),
        (np.array([0, 0, 285]), r"expected actions of 0\.\.284, got 285"),
        (np.array([0, -1, 0]), r"expected actions of 0\.\.284, got -1"),
        (np.array([0, 2**64 - 1, 0], dtype=np.uint64), r"expected actions of 0\.\.284, got 18446744073709551615"),
    ],
)
def test_actions_that_are_none(actions: Any, message: str) -> None:
    envs = vector()
    before = everything(envs)
    with pytest.raises(ValueError, match=message):
        envs.step(actions)
    assert everything(envs) == before


@pytest.mark.parametrize("dtype", [">i8", ">i4", "<i2", "u1", ">u8"])
def test_actions_of_any_integers(dtype: str) -> None:
    ours, plain = vector(), vector()
    for _ in range(20):
        actions = plain.action_masks().argmax(axis=1)
        observations, *_ = plain.step(actions)
        wide = np.zeros((3, 2), dtype=dtype)
        wide[:, 0] = actions
        assert np.array_equal(ours.step(wide[:, 0])[0], observations)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"autoreset_mode": "never"}, "expected autoreset_mode among NextStep, SameStep, Disabled; got 'never'"),
        ({"autoreset_mode": None}, "expected autoreset_mode among NextStep, SameStep, Disabled; got None"),
        ({"game": 5}, "expected a game among pyramid, .*; got 5"),
        ({"max_episode_steps": 0}, "expected max_episode_steps to be an integer of 1"),
        ({"num_envs": True}, "expected num_envs to be an integer of 1"),
    ],
)
def test_wrong_arguments_of_the_vector_environment(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solitaire_envs.SolitaireVectorEnv(**{"game": "pyramid", **arguments})


def test_names_that_are_no_texts() -> None:
    with pytest.raises(ValueError, match="expected an environment id among .*; got None"):
        find_entry(None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected a game among .*; got None"):
        find_game(None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected a legal move, one of: .*; got 0"):
        single().parse_move(0)


@pytest.mark.parametrize("seed", [5, np.int32(5), 2**64 - 3, 0])
def test_a_seed_is_the_whole_state_of_the_vector_environment(seed: Any) -> None:
    envs, single_env = vector(), single()
    envs.reset(seed=seed)
    single_env.reset(seed=seed)
    assert (envs.np_random_seed, type(envs.np_random_seed)) == (seed, int)
    assert envs.np_random.bit_generator.state == single_env.np_random.bit_generator.state
    assert envs.engine.states.deal[0] == single_env.deal
    envs.reset()
    assert envs.np_random_seed == seed


def test_seeds_of_environments_that_are_not_dealt_are_not_used() -> None:
    """As in Gymnasium's own vector environments."""
    envs, twin = vector(), vector()
    mask = np.array([False, True, False])
    envs.reset(seed=[7, 8, 9], options={"reset_mask": mask})
    twin.reset(seed=[None, 8, None], options={"reset_mask": mask})
    assert everything(envs) == everything(twin)


def test_options_of_a_reset_stay_as_they_are() -> None:
    options = {"reset_mask": np.array([False, True, False]), "deal": [4]}
    vector(autoreset_mode=AutoresetMode.DISABLED).reset(options=options)
    assert options.keys() == {"reset_mask", "deal"}


class _Fewer(gymnasium.ActionWrapper[Any, Any, Any]):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.action_space = gymnasium.spaces.Discrete(2)


def test_wrappers_say_so_when_they_are_built() -> None:
    with pytest.raises(ValueError, match=r"expected an environment of solitaire_envs, got CartPoleEnv"):
        MaskInObservation(gymnasium.make("CartPole-v1"))
    message = r"expected an environment with the observation of the game \(MaskInObservation goes outermost\), got Dict"
    with pytest.raises(ValueError, match=message):
        OneHotObservation(MaskInObservation(single()))
    with pytest.raises(ValueError, match=r"expected .* observation of the game .*, got Box\(-1.0, 1.0"):
        OneHotObservation(OneHotObservation(single()))
    with pytest.raises(ValueError, match=r"expected .* actions of the game, Discrete\(285\), got Discrete\(2\)"):
        MaskInObservation(_Fewer(single()))
