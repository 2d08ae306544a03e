"""What every environment of the catalogue owes to Gymnasium and to stable-baselines3."""

import dataclasses
import warnings
from typing import Any, Literal

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import solitaire_envs
from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.cards import FIRST_RANDOM_DEAL, deck_of_deal, deck_text
from solitaire_envs.catalogue import GAMES
from solitaire_envs.engine import Engine
from solitaire_envs.game import Options, option
from tests.environments import walk

IDS = walk()


def make(env_id: str, **kwargs: Any) -> Any:
    return gymnasium.make(env_id, disable_env_checker=True, **kwargs).unwrapped


def random_legal(mask: Any, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasium_checker(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(env_id), skip_render_check=True)


@pytest.mark.parametrize("env_id", IDS)
def test_sb3_checker(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sb3_check_env(make(env_id))


@pytest.mark.parametrize("env_id", IDS)
def test_masked_episode_to_its_end(env_id: str) -> None:
    env = make(env_id)
    env.action_space.seed(0)
    _, info = env.reset(seed=5)
    moves = 0
    while True:
        assert info["action_mask"].dtype == np.int8
        assert np.array_equal(info["action_mask"], env.action_masks())
        assert env.action_masks().dtype == np.bool_
        action = env.action_space.sample(mask=info["action_mask"])
        observation, _, terminated, truncated, info = env.step(action)
        moves += 1
        assert env.observation_space.contains(observation)
        assert not info["illegal_action"]
        if terminated or truncated:
            break
    assert info["moves"] == moves
    assert {"score", "won"} <= info.keys()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


@pytest.mark.parametrize("env_id", IDS)
def test_same_seed_same_games_and_nothing_aliases(env_id: str) -> None:
    env, twin = make(env_id), make(env_id)
    rng = np.random.default_rng(1)
    kept: list[tuple[Any, Any]] = []
    for episode in range(3):
        seed = 7 if episode == 0 else None
        (observation, info), (other, _) = env.reset(seed=seed), twin.reset(seed=seed)
        for _ in range(40):
            assert np.array_equal(observation, other)
            kept += [(observation, observation.copy()), (info["action_mask"], info["action_mask"].copy())]
            action = random_legal(info["action_mask"], rng)
            observation, reward, terminated, truncated, info = env.step(action)
            other, *rest = twin.step(action)
            assert [reward, terminated, truncated] == rest[:3]
            if terminated or truncated:
                break
        assert env.deal == twin.deal >= FIRST_RANDOM_DEAL
    assert all(np.array_equal(array, copy) for array, copy in kept)


@pytest.mark.parametrize("env_id", IDS)
def test_the_very_deal(env_id: str) -> None:
    env = make(env_id)
    by_number, _ = env.reset(options={"deal": 11})
    assert env.deal == 11
    deck = deck_of_deal(11, env.engine.game.num_cards)
    assert np.array_equal(env.deck, deck)
    by_deck, _ = env.reset(options={"deck": deck_text(deck)})
    assert env.deal is None
    assert np.array_equal(by_number, by_deck)


@pytest.mark.parametrize("env_id", IDS)
def test_illegal_actions_are_ignored_counted_and_bounded(env_id: str) -> None:
    env = make(env_id, max_illegal_actions=3)
    before, info = env.reset(seed=0)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    for count in range(1, 4):
        observation, reward, terminated, truncated, info = env.step(illegal)
        assert np.array_equal(observation, before)
        assert (reward, terminated, truncated, info["illegal_action"]) == (0.0, False, count == 3, True)
    assert info["moves"] == 0


@pytest.mark.parametrize("env_id", IDS)
def test_illegal_action_raises_on_demand_and_names_the_legal_ones(env_id: str) -> None:
    env = make(env_id, illegal_action="raise")
    env.reset(options={"deal": 0})
    legal, illegal = (int(mask.argmax()) for mask in (env.action_masks(), ~env.action_masks()))
    message = f"expected a legal action, one of: {legal} {env.move_text(legal)}.*; got {illegal} "
    with pytest.raises(ValueError, match=message):
        env.step(illegal)
    observation, *_ = env.step(legal)
    assert env.observation_space.contains(observation)


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"max_moves": 0}, r"expected max_moves to be an integer of 1\.\.1000000000.*got 0"),
        ({"max_moves": 1.5}, "expected max_moves"),
        ({"max_moves": True}, "expected max_moves"),
        ({"information": "all"}, "expected information to be 'memory' or 'table' or 'open', got 'all'"),
        ({"objective": "fun"}, "expected objective"),
        ({"render_mode": "3d"}, "expected render_mode"),
        ({"illegal_action": "explode"}, "expected illegal_action to be 'ignore' or 'raise', got 'explode'"),
        ({"max_illegal_actions": 0}, "expected max_illegal_actions"),
    ],
)
def test_wrong_arguments(env_id: str, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solitaire_envs.SolitaireEnv(solitaire_envs.CATALOGUE[env_id].game.name, **wrong)


def test_actions_outside_the_space_raise() -> None:
    env = make(IDS[0])
    env.reset(seed=0)
    for wrong in (-1, env.action_space.n):
        with pytest.raises(ValueError, match=r"expected an action of 0\.\.284"):
            env.step(wrong)
    for no_number in (0.5, "0", None):
        with pytest.raises(TypeError, match=f"expected an action, an integer, got {no_number!r}"):
            env.step(no_number)
    with pytest.raises(ValueError, match=r"expected an action of 0\.\.284, got 285"):
        env.move_text(285)


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_vector_env_equals_gymnasiums_own(env_id: str, mode: AutoresetMode) -> None:
    """The native vector environment and `SyncVectorEnv` over single ones agree in all that they return."""
    size, rng = 5, np.random.default_rng(2)
    options = {"max_moves": 70, "max_illegal_actions": 15}
    ours: Any = gymnasium.make_vec(env_id, num_envs=size, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: make(env_id, **options) for _ in range(size)], autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] is mode
    assert ours.single_action_space == theirs.single_action_space
    assert ours.observation_space == theirs.observation_space
    (observations, infos), (expected, expected_infos) = ours.reset(seed=3), theirs.reset(seed=3)
    assert np.array_equal(observations, expected)
    compare_infos(infos, expected_infos)
    ended = np.zeros(size, dtype=bool)
    for step in range(300):
        if mode is AutoresetMode.DISABLED and ended.any():
            observations, infos = ours.reset(options={"reset_mask": ended})
            expected, expected_infos = theirs.reset(options={"reset_mask": ended})
            assert np.array_equal(observations, expected)
            for key in ("action_mask", "illegal_action", "score", "moves"):
                assert np.array_equal(infos[key][ended], expected_infos[key][ended])
            ended = np.zeros(size, dtype=bool)
        masks = ours.action_masks()
        actions = np.array([random_legal(mask, rng) if mask.any() else 0 for mask in masks])
        if step % 5 == 0:
            actions[step % size] = int(not masks[step % size][1])  # the redeal, which is seldom legal
        if mode is AutoresetMode.NEXT_STEP:
            actions[ended] = 0
        *ours_out, infos = ours.step(actions)
        *theirs_out, expected_infos = theirs.step(actions)
        for array, other in zip(ours_out, theirs_out, strict=True):
            assert np.array_equal(array, other)
            assert array.dtype == other.dtype
        ended = ours_out[2] | ours_out[3]
        compare_infos(infos, expected_infos)
    ours.close()
    theirs.close()


def compare_infos(infos: dict[str, Any], expected: dict[str, Any]) -> None:
    assert infos.keys() == expected.keys()
    for key, values in expected.items():
        if isinstance(values, dict):
            compare_infos(infos[key], values)
            continue
        assert infos[key].dtype == values.dtype
        if values.dtype == object:  # observations, where there are any
            pairs = zip(infos[key], values, strict=True)
            assert all(np.array_equal(ours, theirs) for ours, theirs in pairs)
        else:
            assert np.array_equal(infos[key], values)


def test_vector_env_copies_unless_asked() -> None:
    env: Any = gymnasium.make_vec(IDS[0], num_envs=2, autoreset_mode=AutoresetMode.SAME_STEP)
    first, info = env.reset(seed=0)
    kept = first.copy(), info["action_mask"].copy()
    env.step(np.zeros(2, dtype=int))
    assert np.array_equal(first, kept[0])
    assert np.array_equal(info["action_mask"], kept[1])
    env = gymnasium.make_vec(IDS[0], num_envs=2, copy=False)
    first, _ = env.reset(seed=0)
    second, *_ = env.step(np.zeros(2, dtype=int))
    assert first is second


def test_vector_env_deals_and_decks() -> None:
    env: Any = gymnasium.make_vec(IDS[0], num_envs=3)
    by_number, _ = env.reset(options={"deal": [4, 5, 2**63 + 1]})
    by_deck, _ = env.reset(options={"deck": [deck_of_deal(4), deck_text(deck_of_deal(5)), deck_of_deal(2**63 + 1)]})
    assert np.array_equal(by_number, by_deck)


def test_vector_env_raises_on_illegal_actions_before_anything_moves() -> None:
    env: Any = gymnasium.make_vec(IDS[0], num_envs=2, illegal_action="raise")
    before, _ = env.reset(seed=0)
    with pytest.raises(ValueError, match=r"environment 1: expected a legal action.*got 1 redeal"):
        env.step(np.array([0, 1]))
    assert np.array_equal(env.engine.buffers.observations, before)


def test_max_episode_steps_truncates() -> None:
    env: Any = gymnasium.make_vec(IDS[0], num_envs=2, max_episode_steps=4, autoreset_mode=AutoresetMode.SAME_STEP)
    env.reset(seed=0)
    flags = [env.step(np.zeros(2, dtype=int))[3].tolist() for _ in range(8)]
    assert flags == [[False, False]] * 3 + [[True, True]] + [[False, False]] * 3 + [[True, True]]


def test_registration_on_import_by_name() -> None:
    env = gymnasium.make("solitaire_envs:solitaire/Pyramid-v0")
    assert env.spec is not None
    assert env.spec.id == "solitaire/Pyramid-v0"


def test_unknown_environment_id() -> None:
    from solitaire_envs.catalogue import find_entry, find_game

    for env_id in ("solitaire/Accordion-v0", "solitaire_envs:solitaire/Accordion-v0"):
        with pytest.raises(ValueError, match=rf"expected an environment id among .* got '{env_id}'"):
            find_entry(env_id)
    with pytest.raises(ValueError, match="expected a module to import, got 'no_such_module': ModuleNotFoundError"):
        find_entry("no_such_module:mine/Golf-v0")
    with pytest.raises(ValueError, match="expected a module to import, got 'x.*: ModuleNotFoundError") as raised:
        find_entry(f"{'x' * 5_000}:mine/Golf-v0")
    assert len(str(raised.value)) < 500
    assert find_entry("solitaire_envs:solitaire/Pyramid-v0") is find_entry("solitaire/Pyramid-v0")
    with pytest.raises(ValueError, match=r"expected a game among pyramid, .* \(or module:name, .*\); got 'accordion'"):
        find_game("accordion")
    with pytest.raises(ValueError, match="expected a module to import, got 'no_such_module': ModuleNotFoundError"):
        find_game("no_such_module:golf")
    assert find_game("solitaire_envs:pyramid") is GAMES["pyramid"]


def test_moves_in_words() -> None:
    env: Any = gymnasium.make("solitaire/Pyramid-v0").unwrapped
    env.reset(options={"deal": 0})
    for action in np.flatnonzero(env.action_masks()):
        assert env.parse_move(env.move_text(action)) == action
    with pytest.raises(ValueError, match="expected a legal move"):
        env.parse_move("redeal")


@pytest.mark.parametrize(
    ("options", "settings", "message"),
    [
        (tour_infernale.TourInfernaleOptions(), {}, "expected PyramidOptions for pyramid, got TourInfernaleOptions"),
        (pyramid.PyramidOptions(), {"autoreset": "later"}, "expected autoreset to be 'next_step' or .* got 'later'"),
        (pyramid.PyramidOptions(), {"max_illegal_actions": 0}, "expected max_illegal_actions .* got 0"),
    ],
)
def test_wrong_engine(options: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Engine(pyramid.GAME, options, 1, **settings)


def test_vector_env_seeds_of_some() -> None:
    envs: Any = gymnasium.make_vec("solitaire/Pyramid-v0", num_envs=3).unwrapped
    envs.reset(seed=[None, None, 5])
    first, second, third = envs.engine.states.deal.tolist()
    assert first != second
    single = make("solitaire/Pyramid-v0")
    single.reset(seed=5)
    assert single.engine.states.deal[0] == third


def test_nothing_to_step_in_before_a_reset_nor_after_a_refused_one() -> None:
    env = make("solitaire/Pyramid-v0")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=0)
    while env.action_masks().any():
        env.step(int(env.action_masks().argmax()))
    with pytest.raises(ValueError, match="expected"):
        env.reset(options={"deck": "AC"})
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_unknown_slots() -> None:
    with pytest.raises(KeyError, match="hand"):
        pyramid.GAME.slots("hand")


def test_vector_env_without_a_render_mode_draws_nothing() -> None:
    envs = gymnasium.make_vec("solitaire/Pyramid-v0", num_envs=2)
    envs.reset(seed=0)
    assert envs.render() is None


@pytest.mark.parametrize("env_id", IDS)
def test_threads_change_no_bit(env_id: str) -> None:
    one, three = (gymnasium.make_vec(env_id, num_envs=7, threads=threads).unwrapped for threads in (1, 3))
    for envs in (one, three):
        envs.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(150):
        actions = np.array([random_legal(mask, rng) if mask.any() else 0 for mask in one.action_masks()])
        first, second = one.step(actions), three.step(actions)
        for a, b in zip(first[:4], second[:4], strict=True):
            assert np.array_equal(a, b)
    assert (one.engine.states == three.engine.states).all()


def test_a_name_that_is_taken_is_not_registered_again() -> None:
    twin = dataclasses.replace(pyramid.GAME, options=tour_infernale.TourInfernaleOptions)
    with pytest.raises(ValueError, match="expected a name that no other game has, got 'pyramid'"):
        solitaire_envs.register_game(twin, {})
    mine = dataclasses.replace(pyramid.GAME, name="mine")
    with pytest.raises(ValueError, match="expected an environment id that no other game has, got 'solitaire/Pyr"):
        solitaire_envs.register_game(mine, {"solitaire/Pyramid-v0": {}})
    with pytest.raises(ValueError, match="expected passes"):
        solitaire_envs.register_game(mine, {"mine/Pyramid-v0": {"passes": 0}})
    with pytest.raises(ValueError, match=r"expected mine to have the outcomes score \(mean\) and won \(share\), got"):
        solitaire_envs.register_game(dataclasses.replace(mine, outcome=mine.outcome[:1]), {})
    assert "mine" not in GAMES
    solitaire_envs.register_game(pyramid.GAME, {"solitaire/Pyramid-v0": {}})  # the same once more does no harm


@dataclasses.dataclass(frozen=True, kw_only=True)
class DrawOptions(Options):
    """An option of numbers to choose from, as Klondike has."""

    draw: Literal[1, 3] = option(1, "Cards drawn at a time.")


def test_numbers_to_choose_from() -> None:
    assert DrawOptions(draw=3).to_rules()["draw"][0] == 3
    for wrong in (2, True, "1", None, 1.0):
        with pytest.raises(ValueError, match=f"expected draw to be 1 or 3, got {wrong!r}"):
            DrawOptions(draw=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", walk(GAMES))
def test_every_outcome_says_what_it_is(name: str) -> None:
    game = GAMES[name]
    kinds = {one.name: one.kind for one in game.outcome_fields}
    assert len(kinds) == len(game.outcome_fields)
    assert (kinds["score"], kinds["won"], kinds["moves"]) == ("mean", "share", "count")
    assert all(one.doc for one in game.outcome_fields)
    assert kinds[game.aim(game.options())] in ("mean", "share")
    limited = {spec.metadata["limits"] for spec in dataclasses.fields(game.options)}
    assert limited <= {"", *kinds}
    assert all(kinds[block.field] == "mean" for block in game.blocks)


def test_a_series_names_its_game() -> None:
    assert {name: game.root.name for name, game in GAMES.items() if game.base} == {
        "pyramid_par": "pyramid",
        "tour_infernale_sprint": "tour_infernale",
    }
