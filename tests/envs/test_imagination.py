"""Imagined games: for every game and every option set, they look like the true one, and go on as it might."""

from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

from solitaire_envs.catalogue import GAMES
from solitaire_envs.engine import Engine
from solitaire_envs.imagination import imagine_games, sample_from, sample_games
from solitaire_envs.render import render_ansi
from tests.environments import QUICK_GAMES, few
from tests.envs import imagining

CASES: list[tuple[str, dict[str, Any]]] = [
    ("pyramid", {}),
    ("pyramid", {"passes": 1, "goal": "pyramid"}),
    ("pyramid", {"passes": 5, "stock_waste_pairs": False, "objective": "win", "max_moves": 40}),
    ("pyramid_par", {"games": 3}),
    ("pyramid_par", {"games": 2, "passes": 1, "max_moves": 70}),
    ("tour_infernale", {}),
    ("tour_infernale", {"passes": 1}),
    ("tour_infernale", {"passes": 2, "piles": 5, "objective": "score", "max_moves": 100}),
    ("tour_infernale_sprint", {"budget": 150}),
    ("tour_infernale_sprint", {"passes": 1, "piles": 5, "budget": 400}),
    ("klondike", {}),
    ("klondike", {"draw": 1, "passes": 2, "returns": False}),
    ("klondike", {"passes": 1, "objective": "score", "max_moves": 60}),
    ("freecell", {"cells": 2}),
    ("canfield", {}),
    ("canfield", {"draw": 1, "passes": 2, "whole_piles": True, "objective": "score", "max_moves": 60}),
    ("spiderette", {}),
    ("golf", {}),
]
OTHERS = [pytest.param(name, {}, marks=pytest.mark.slow) for name in GAMES if name not in QUICK_GAMES]
every_case = pytest.mark.parametrize(("name", "case"), [*CASES, *OTHERS], ids=str)
every_information = pytest.mark.parametrize("information", few(["memory", "table", "open"], 2))


@every_information
@every_case
def test_it_looks_the_same(name: str, case: dict[str, Any], information: str) -> None:
    game = GAMES[name]
    imagining.check_that_it_looks_the_same(game, game.options(information=information, **case))


@every_information
@every_case
def test_with_the_true_cards_it_goes_on_as_the_true_game(name: str, case: dict[str, Any], information: str) -> None:
    game = GAMES[name]
    moves = imagining.check_that_it_goes_on_as_the_true_game(game, game.options(information=information, **case))
    assert moves > 1_000


@every_information
@every_case
def test_unseen_cards_stay_unseen(name: str, case: dict[str, Any], information: str) -> None:
    game = GAMES[name]
    moves = imagining.check_that_unseen_cards_stay_unseen(game, game.options(information=information, **case))
    assert moves > 1_000


# --- Sampling: every order of the hidden cards, each as often as any other --------------------------------------------

HIDDEN = 4  # cards; most orders of so many are few
SAMPLES = 24_000


def start(name: str, deal: int, **options: Any) -> Any:
    engine = Engine(GAMES[name], GAMES[name].options(**options), 1, privileged=True)
    engine.deal_numbers([deal])
    return engine


def play_until_few_are_hidden(engine: Any, rng: np.random.Generator, most: int = HIDDEN) -> list[int]:
    """Plays moves that turn up cards where it can, until few are hidden; returns the moves."""
    moves = []
    while not engine.states.ended[0] and engine.buffers.observations[0, engine.game.unseen].sum() > most:
        legal = engine.legal_actions(0)
        draws = legal[0] == 0 and (rng.random() < 0.7 or len(legal) == 1)
        moves.append(0 if draws else int(rng.choice(legal)))
        engine.step(np.array(moves[-1:]))
    return moves


def few_hidden(name: str, **options: Any) -> Any:
    """Returns a game with few hidden cards, and the moves so far."""
    for deal in range(1_000):
        engine = start(name, deal, **options)
        moves = play_until_few_are_hidden(engine, np.random.default_rng(deal))
        if engine.buffers.observations[0, engine.game.unseen].sum() == HIDDEN and not engine.states.ended[0]:
            return engine, moves
    raise AssertionError(name)


def truths(games: Engine) -> NDArray[np.int16]:
    """Returns the open observations of games, [B, O]."""
    open_eyed = Engine(games.game, games.options, games.num_envs, privileged=True)
    for index in range(games.num_envs):
        open_eyed.set_state(index, games.get_state(index))
    return open_eyed.buffers.privileged


SMALL = [
    ("pyramid", {}),
    ("pyramid_par", {}),
    ("tour_infernale", {"piles": 5}),
    ("tour_infernale_sprint", {}),
    ("klondike", {"draw": 1}),
    ("klondike", {}),
    ("golf", {}),
]
small_cases = pytest.mark.parametrize(("name", "case"), SMALL, ids=str)


@small_cases
def test_every_order_is_equally_likely(name: str, case: dict[str, Any]) -> None:
    engine, _ = few_hidden(name, **case)
    places = imagining.hidden_places(engine.game, engine.buffers.observations[0])
    found = Counter(map(tuple, truths(sample_from(engine, SAMPLES, seed=1))[:, places].tolist()))
    cards = engine.buffers.privileged[0, places].tolist()
    assert set(found) == set(permutations(cards))
    expected = SAMPLES / len(found)
    distance = sum((count - expected) ** 2 / expected for count in found.values())
    assert distance < chi2.ppf(1 - 1e-6, len(found) - 1)


@small_cases
def test_every_sample_could_be_the_true_game(name: str, case: dict[str, Any]) -> None:
    """With the hidden cards dealt as they were sampled, the same moves lead to the same position."""
    engine, moves = few_hidden(name, **case)
    deck, true = engine.states[0].deck.copy(), engine.buffers
    places = imagining.hidden_places(engine.game, true.observations[0])
    in_deck = engine.game.hidden(engine.states[0])
    ranks = engine.game.root.name == "pyramid"  # its hidden places lie in the order of the deck
    if not ranks:
        in_deck = [deck.tolist().index(card - 1) for card in true.privileged[0, places]]
    sampled = sample_from(engine, 50, seed=2)
    assert len({row.tobytes() for row in truths(sampled)}) > 10
    for index, truth in enumerate(truths(sampled)):
        other, pool = deck.copy(), deck[in_deck].tolist()
        for place, shown in zip(in_deck, truth[places].tolist(), strict=True):
            card = next(card for card in pool if card % 13 == shown - 1) if ranks else shown - 1
            pool.remove(card)
            other[place] = card
        game = Engine(engine.game, engine.options, 1, privileged=True)
        game.deal_decks([other])
        for move in moves:
            game.step(np.array([move]))
        assert np.array_equal(game.buffers.observations, engine.buffers.observations)
        assert np.array_equal(game.buffers.privileged[0], truth)
        assert game.outcome(0) == {**sampled.outcome(index), "moves": len(moves)}
        assert sampled.states.moves[index] == len(moves)


@small_cases
def test_samples_depend_on_seed_and_observation_alone(name: str, case: dict[str, Any]) -> None:
    engine, _ = few_hidden(name, **case)
    other = start(name, 0, **case)
    both = np.concatenate([other.buffers.observations, engine.buffers.observations])
    moves = np.concatenate([other.states.moves, engine.states.moves])
    sample = partial(sample_games, engine.game, engine.options, n=3)
    alone, batch = sample(engine.buffers.observations[0], seed=5, moves=moves[1]), sample(both, seed=5, moves=moves)
    assert (alone.states == batch.states[3:]).all()
    assert (sample(both, seed=5, moves=moves).states == batch.states).all()
    assert (sample(both, seed=6, moves=moves).states != batch.states).any()
    assert (sample_from(engine, 3, seed=5).states == alone.states).all()


# --- From environments ------------------------------------------------------------------------------------------------


def make(env_id: str, **options: Any) -> Any:
    return gymnasium.make(env_id, **options).unwrapped


def test_states_for_a_search_look_like_the_game_but_do_not_know_the_stock() -> None:
    env, twin = (make("solitaire/Klondike-v0", max_moves=40) for _ in range(2))
    observation, _ = env.reset(seed=3)
    for _ in range(10):
        observation, *_ = env.step(int(env.action_masks().argmax()))
    states = env.sample_states(5, seed=0)
    assert len(set(states)) == 5
    assert env.get_state() not in states
    for state in states:
        assert np.array_equal(twin.set_state(state)[0], observation)
        assert np.array_equal(twin.action_masks(), env.action_masks())
        assert twin.outcome()["moves"] == 10
        truncated = False
        while not truncated:
            *_, terminated, truncated, _ = twin.step(int(twin.action_masks().argmax()))
            assert not terminated
        assert twin.outcome()["moves"] == 40


def test_under_open_information_the_states_are_the_true_game() -> None:
    env, twin = (make("solitaire/TourInfernaleOnePass-v0", information="open") for _ in range(2))
    env.reset(seed=1)
    twin.set_state(env.sample_states(2, seed=0)[1])
    while not env._ended:
        action = int(env.action_masks().argmax())
        assert env.step(action)[0].tobytes() == twin.step(action)[0].tobytes()
    assert env.outcome() == twin.outcome()


def test_vector_environments_of_samples() -> None:
    envs: Any = gymnasium.make_vec("solitaire/Pyramid-v0", num_envs=3, passes=2).unwrapped
    observations, _ = envs.reset(seed=1)
    worlds = envs.sample_envs(4, seed=9)
    assert worlds.num_envs == 12
    assert np.array_equal(worlds.engine.buffers.observations, np.repeat(observations, 4, axis=0))
    single = make("solitaire/Pyramid-v0", passes=2)
    single.reset(seed=2)  # as the second of the three
    assert [worlds.engine.get_state(4 + i) for i in range(4)] == single.sample_states(4, seed=9)
    total = np.zeros(12)
    for _ in range(150):
        actions = worlds.action_masks().argmax(axis=1)
        _, rewards, _, _, infos = worlds.step(actions)
        total += rewards
    assert worlds.engine.states.ended.all()
    assert (total == infos["score"] + 52).all()


def test_the_pass_in_which_the_pyramid_was_cleared_is_remembered() -> None:
    """No observation shows it, but the player knows it: the score and the reward of a par series depend on it."""
    game, options = GAMES["pyramid_par"], GAMES["pyramid_par"].options(games=1)
    engine = Engine(game, options, 1)
    engine.deal_numbers([0])
    state = engine.states[0]
    state.pyramid = state.available = state.ranks = 0
    state.cleared_in_pass, state.current_pass, state.discarded = 2, 3, 28
    engine.game.observe(options.to_rules()[0], state, engine.buffers.observations[0])
    sampled = sample_from(engine, 1, seed=0)
    assert (sampled.outcome(0), sampled.outcome(0)["score"]) == (engine.outcome(0), 35 - 24)
    assert sample_games(game, options, engine.buffers.observations, 1, seed=0).outcome(0)["score"] == 20 - 24


def test_a_series_goes_on_with_other_deals() -> None:
    env, twin = (make("solitaire/PyramidPar-v0", games=2) for _ in range(2))
    env.reset(seed=0)
    while env.outcome()["games"] == 0:
        before = env.sample_states(20, seed=0)
        action = int(env.action_masks().argmax())
        env.step(action)
    rows = set()
    for state in before:
        twin.set_state(state)
        rows.add(twin.step(action)[0].tobytes())
        assert twin.outcome()["games"] == 1
    assert len(rows) == 20


def test_what_is_over_stays_over() -> None:
    env = make("solitaire/Pyramid-v0", max_moves=7)
    env.reset(seed=0)
    while not env._ended:
        env.step(int(env.action_masks().argmax()))
    (state,) = env.sample_states(1, seed=0)
    env.set_state(state)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_unseen_cards_are_drawn_as_backs() -> None:
    for name in ("pyramid", "tour_infernale", "klondike"):
        engine = start(name, 7)
        games = imagine_games(engine.game, engine.options, engine.buffers.observations)
        games.step(np.array([0]))
        assert render_ansi(games, 0).count("░░") >= render_ansi(engine, 0).count("░░") + 1
        for action in range(games.num_actions):
            assert games.move_text(0, action)


# --- What is refused --------------------------------------------------------------------------------------------------


def test_nothing_to_search_in_before_a_reset() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) before sample_states\(\)"):
        make("solitaire/Pyramid-v0").sample_states(1, seed=0)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) before sample_envs\(\)"):
        gymnasium.make_vec("solitaire/Pyramid-v0", num_envs=2).unwrapped.sample_envs(1, seed=0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "expected n to be an integer of 1..2147483646, got 0"),
        ({"n": 2.0}, "expected n to be an integer of 1..2147483646, got 2.0"),
        ({"seed": -1}, r"expected seed to be an integer of 0..2\*\*64 - 1, got -1"),
        ({"seed": 2**64}, r"expected seed to be an integer of 0..2\*\*64 - 1, got 18446744073709551616"),
        ({"seed": None}, r"expected seed to be an integer of 0..2\*\*64 - 1, got None"),
        ({"observations": np.zeros(7, np.int16)}, r"expected observations of pyramid, integers \[B, 9"),
        ({"observations": np.zeros((2, 91))}, "expected observations of pyramid, integers .*; got float64 of"),
        ({"observations": np.full(91, 99, np.int16)}, "expected observations of pyramid, within its bounds; got 99"),
        ({"observations": np.zeros(91, np.int16)}, "expected observations that pyramid shows under .*, got another"),
        ({"moves": -1}, "expected moves to be a number of moves, or one for each of 1; got -1"),
        ({"moves": [1, 2]}, r"expected moves to be a number of moves, or one for each of 1; got \[1, 2\]"),
        ({"information": "table"}, "expected information='memory' or 'open', got 'table', which hides what"),
    ],
)
def test_wrong_arguments_of_samples(arguments: dict[str, Any], message: str) -> None:
    engine = start("pyramid", 7)
    given = {"observations": engine.buffers.observations, "n": 1, "seed": 0, "information": "memory", **arguments}
    options = replace(engine.options, information=given.pop("information"))
    with pytest.raises(ValueError, match=f"^{message}"):
        sample_games(engine.game, options, **given)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([[14]], "expected cards of 1..13, as slots show them; got 14"),
        ([[0, 3]], "expected cards of 1..13, as slots show them; got 0"),
        ([[1], [2]], "expected cards for 1 observations, got 2"),
    ],
)
def test_wrong_cards(cards: Any, message: str) -> None:
    engine = start("pyramid", 7)
    with pytest.raises(ValueError, match=f"^{message}"):
        imagine_games(engine.game, engine.options, engine.buffers.observations, cards)


def test_given_cards_lie_where_they_should() -> None:
    engine = start("pyramid", 7)
    cards = imagining.true_cards(engine)
    games = imagine_games(engine.game, engine.options, engine.buffers.observations, cards)
    assert np.array_equal(truths(games), engine.buffers.privileged)
