"""Games from choice to choice, as a VecEnv of stable-baselines3."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks

from solitaire_agents.catalogue import KITS
from solitaire_agents.choices import Choices, list_legal
from solitaire_agents.kit import Kit
from solitaire_agents.network import VALUE, random_network
from solitaire_agents.pyramid.bounds import make_bounds
from solitaire_agents.pyramid.choices import INPUTS, pyramid_choices
from solitaire_envs.engine import Engine
from solitaire_envs.jit import kernel
from solitaire_envs.pyramid import GAME, PyramidOptions
from solitaire_training.choice_vec_env import ChoiceBuffer, ChoiceVecEnv, widened
from solitaire_training.sb3_policy import ChoicePolicy
from tests.agents.pyramid.test_choices import MIRROR, NETWORK, SCORE, WIN, asked, inputs, symmetric_network
from tests.agents.test_choosing import logit_of, read

PASS = GAME.slots("pass").start


def made(num_envs: int = 8, options: Any = SCORE, seed: int = 0, **more: Any) -> ChoiceVecEnv:
    return ChoiceVecEnv(GAME, [options], num_envs, seed, **more)


def engine_of(env: ChoiceVecEnv, part: int = 0) -> Any:
    return env._games[part].engine


def described(row: NDArray[np.uint16]) -> list[list[int]]:
    shared, own = read(row)
    return [sorted(shared + one) for one in own]


def chosen(env: ChoiceVecEnv, rng: np.random.Generator) -> NDArray[np.int64]:
    masks = env.action_masks()
    return np.asarray((masks * rng.random(masks.shape)).argmax(axis=1))


def test_chosen_deals() -> None:
    env, rng, seen = made(deals=[2**63 + 7, 2**63 + 2]), np.random.default_rng(0), set[int]()
    env.reset()
    for _ in range(300):
        seen |= set(engine_of(env).states.deal.tolist())
        env.step(chosen(env, rng))
    assert seen == {2**63 + 7, 2**63 + 2}
    twin, state = made(deals=[2**63 + 7]), env.state()
    with pytest.raises(ValueError, match="games under way that no run has played"):
        twin.put_back(state)
    twin.set_deals([2**63 + 2, 2**63 + 7])
    twin.put_back(state)
    env.env_method("set_deals", [2**63 + 5])
    for _ in range(300):
        env.step(chosen(env, rng))
    assert set(engine_of(env).states.deal.tolist()) == {2**63 + 5}


def test_observations_are_the_candidates_in_either_image() -> None:
    env, rng = made(), np.random.default_rng(0)
    rows, mirrored, plain = env.reset(), 0, 0
    for _ in range(60):
        seen, masks = engine_of(env).buffers.observations, engine_of(env).buffers.action_masks
        for row, observation, mask, legal in zip(rows, seen, masks, env.action_masks(), strict=True):
            moves = asked(observation, mask)
            one = [inputs(observation, move, SCORE) for move in moves]
            other = [sorted(MIRROR[on].tolist()) for on in one]
            assert len(moves) == legal.sum() > 1
            assert legal[: len(moves)].all()
            assert described(row) in (one, other)
            mirrored, plain = mirrored + (described(row) == other != one), plain + (described(row) == one != other)
        rows = env.step(chosen(env, rng))[0]
    assert 0.4 < mirrored / (mirrored + plain) < 0.6
    assert rows.dtype == np.uint16
    assert env.observation_space.contains(rows[0])


def test_an_action_is_the_number_of_a_candidate_and_forced_moves_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    env, rng, forced, played = made(), np.random.default_rng(1), 0, list[list[int]]()
    env.reset()
    engine = engine_of(env)
    step = engine.step
    monkeypatch.setattr(engine, "step", lambda actions: played.append(actions.tolist()) or step(actions))
    for _ in range(80):
        before, actions = engine.states.moves.copy(), chosen(env, rng)
        rows = zip(engine.buffers.observations, engine.buffers.action_masks, actions, strict=True)
        moves = [asked(observation, mask)[action] for observation, mask, action in rows]
        played.clear()
        dones = env.step(actions)[2]
        assert played[0] == moves
        more = (engine.states.moves - before)[~dones]
        assert (more >= 1).all()
        forced += (more - 1).sum()
    assert forced > 20


@pytest.mark.parametrize("options", [WIN, SCORE])
def test_rewards_are_the_worth_at_the_end_and_infos_hold_the_outcome(options: PyramidOptions) -> None:
    env, rng, ended, moves = made(options=options), np.random.default_rng(2), 0, 0
    choices = pyramid_choices(options)
    env.reset()
    for _ in range(150):
        _, rewards, dones, infos = env.step(chosen(env, rng))
        outcomes = engine_of(env).buffers.outcomes
        for i in range(8):
            if not dones[i]:
                assert (rewards[i], infos[i]) == (0, {})
                continue
            ended += 1
            moves += infos[i]["moves"]
            assert rewards[i] == choices.normalised_returns(outcomes[i : i + 1])[0]
            assert infos[i]["episode"] == {"r": pytest.approx(rewards[i]), "l": infos[i]["moves"]}
            assert infos[i]["is_success"] == infos[i]["won"]
            assert infos[i]["score"] == outcomes["score"][i]
            assert not infos[i]["TimeLimit.truncated"]
            assert infos[i]["terminal_observation"].shape == (GAME.observation_size,)
    assert ended > 20
    assert env.moves == moves + engine_of(env).states.moves.sum()


@pytest.mark.parametrize("options", [WIN, SCORE])
def test_with_bounds_moves_that_lose_something_are_no_candidates(options: PyramidOptions) -> None:
    env, rng, keep, left_out = made(options=options, bounds=True), np.random.default_rng(3), make_bounds(options), 0
    env.reset()
    for _ in range(150):
        seen, masks = engine_of(env).buffers.observations, engine_of(env).buffers.action_masks
        kept = keep(seen, masks)
        for observation, mask, good, legal in zip(seen, masks, kept, env.action_masks(), strict=True):
            assert len(asked(observation, good)) == legal.sum() > 1
            left_out += int((mask & ~good).any())
        env.step(chosen(env, rng))
    assert left_out > 5


def test_with_bounds_a_game_ends_when_its_win_is_lost() -> None:
    moves: dict[bool, list[int]] = {True: [], False: []}
    for bounds, ended in moves.items():
        env, rng = made(options=WIN, bounds=bounds), np.random.default_rng(4)
        env.reset()
        while len(ended) < 60:
            _, rewards, dones, infos = env.step(chosen(env, rng))
            ended += [infos[i]["moves"] for i in np.flatnonzero(dones)]
            assert (rewards[dones] == [infos[i]["won"] for i in np.flatnonzero(dones)]).all()
    assert np.mean(moves[True]) < np.mean(moves[False]) - 3


def test_games_that_are_cut_off_have_ended() -> None:
    env, rng, ended = made(options=replace(SCORE, max_moves=7)), np.random.default_rng(2), 0
    env.reset()
    for _ in range(30):
        _, rewards, dones, infos = env.step(chosen(env, rng))
        for i in np.flatnonzero(dones):
            assert infos[i]["moves"] <= 7
            assert rewards[i] == pytest.approx((infos[i]["score"] + 52) / 102)
            ended += infos[i]["moves"] == 7
    assert ended > 10


def test_option_sets_are_played_in_equal_shares() -> None:
    sets = [PyramidOptions(passes=passes) for passes in (1, 2, 3)]
    env = ChoiceVecEnv(GAME, sets, 10, 0)
    rows, rng = env.reset(), np.random.default_rng(0)
    assert [games.engine.num_envs for games in env._games] == [3, 3, 4]
    assert [games.engine.options for games in env._games] == sets
    lengths: list[list[int]] = [[], [], []]
    for _ in range(100):
        rows, rewards, dones, infos = env.step(chosen(env, rng))
        for i in np.flatnonzero(dones):
            lengths[0 if i < 3 else 1 if i < 6 else 2].append(infos[i]["moves"])
            assert rewards[i] == pytest.approx((infos[i]["score"] + 52) / 102)
    assert rows.shape == (10, max(games.rows.shape[1] for games in env._games))
    assert np.mean(lengths[0]) < np.mean(lengths[1]) < np.mean(lengths[2])
    few = ChoiceVecEnv(GAME, sets, 2, 0)
    few.reset()
    assert few.action_masks().shape == (2, env.choices.most_candidates)
    assert sum(games.engine.num_envs for games in few._games) == 2


def test_seeds_have_no_deal_in_common_and_each_its_own_again() -> None:
    dealt = []
    for seed in (0, 1, 0):
        env = made(seed=seed)
        rows = [env.reset()]
        deals = set(engine_of(env).states.deal.tolist())
        for _ in range(80):
            rows.append(env.step(env.action_masks().argmax(axis=1))[0])
            deals |= set(engine_of(env).states.deal.tolist())
        dealt.append((deals, [described(row) for step in rows for row in step]))
    assert len(dealt[0][0]) > 12
    assert dealt[0][0] == dealt[2][0]
    assert dealt[0][1] == dealt[2][1]
    assert not dealt[0][0] & dealt[1][0]
    sets = ChoiceVecEnv(GAME, [WIN, SCORE], 4, 0)
    sets.reset()
    assert len({deal for part in (0, 1) for deal in engine_of(sets, part).states.deal.tolist()}) == 4


def test_deals_are_training_deals() -> None:
    env = made()
    env.reset()
    assert engine_of(env).states.deal.min() >= 2**63


def test_what_a_step_returns_stays_as_it_is() -> None:
    """SB3 keeps observations until the next step is done."""
    env, rng = made(), np.random.default_rng(3)
    first = env.reset()
    second, rewards, dones, _ = env.step(chosen(env, rng))
    returned = (first, second, rewards, dones, env.action_masks())
    kept = [array.copy() for array in returned]
    for _ in range(30):
        env.step(chosen(env, rng))
    assert all(np.array_equal(before, after) for before, after in zip(kept, returned, strict=True))


def test_games_go_on_where_they_were_put_back() -> None:
    """Also games of more moves than there is room for at first, and those put back twice."""
    env, rng = ChoiceVecEnv(GAME, [SCORE, WIN], 8, 0), np.random.default_rng(4)
    between, other = (ChoiceVecEnv(GAME, [SCORE, WIN], 8, 0) for _ in range(2))
    env.reset()
    steps = 0
    while engine_of(env).states.moves.max() < 66 or steps < 30:
        env.step(chosen(env, rng))
        steps += 1
    between.put_back(env.state())
    other.put_back(between.state())
    other.steps = env.steps
    assert same_choices(other.reset(), env._observe())
    for _ in range(30):
        actions = chosen(env, rng)
        one, another = env.step(actions), other.step(actions)
        assert same_choices(one[0], another[0])
        assert all(np.array_equal(a, b) for a, b in zip(one[1:3], another[1:3], strict=True))
    assert not same_choices(other.reset(), env._observe())  # a second reset deals


def same_choices(one: Any, other: Any) -> bool:
    """Returns whether rows are the same but for zeros at their ends."""
    size = max(one.shape[1], other.shape[1])
    return np.array_equal(widened(one, size), widened(other, size))


def test_choices_grow_and_none_of_their_candidates_is_left_out() -> None:
    env, rng = made(), np.random.default_rng(7)
    buffer = ChoiceBuffer(40, env.observation_space, env.action_space, n_envs=8)
    small, rows, added, nothing = buffer.observations.size, env.reset(), [], torch.zeros(8)
    for _ in range(40):
        seen, masks = engine_of(env).buffers.observations, engine_of(env).buffers.action_masks
        assert [len(described(row)) for row in rows] == [len(asked(*pair)) for pair in zip(seen, masks, strict=True)]
        added.append(rows)
        buffer.add(rows, np.zeros(8), np.zeros(8), np.zeros(8), nothing, nothing)
        rows = env.step(chosen(env, rng))[0]
    assert buffer.observations.size > 100 * small
    assert all(same_choices(kept, one) for kept, one in zip(buffer.observations, added, strict=True))


def test_only_games_on_training_deals_are_put_back() -> None:
    env, empty = made(), np.zeros((8, 0), np.int16)
    for first in (0, 2**63):
        engine = Engine(GAME, SCORE, 60)
        engine.deal_numbers([first + number for number in range(60)])
        choices = map(asked, engine.buffers.observations, engine.buffers.action_masks)
        deals = engine.states.deal[[len(moves) > 1 for moves in choices]][:8].view(np.int64)
        if first:
            env.put_back({"deals": deals, "streams": deals, "moves": empty})
            assert engine_of(env).states.deal.view(np.int64).tolist() == deals.tolist()
        else:
            with pytest.raises(ValueError, match="games under way that no run has played"):
                env.put_back({"deals": deals, "streams": deals, "moves": empty})


def test_of_more_candidates_a_shortlist_is_seen() -> None:
    """Those of the highest value, by another network as soon as there is one."""
    env, rng, left_out = made(most=2, guide=NETWORK), np.random.default_rng(5), 0
    assert env.action_space.n == 2  # type: ignore[attr-defined]
    rows = env.reset()
    for step in range(60):
        if step == 30:
            env.guide = symmetric_network(9)
        seen, masks = engine_of(env).buffers.observations, engine_of(env).buffers.action_masks
        for row, observation, mask in zip(rows, seen, masks, strict=True):
            described_all = [inputs(observation, move, SCORE) for move in asked(observation, mask)]
            expected = sorted((logit_of(env.guide, VALUE, on) for on in described_all), reverse=True)[:2]
            found = [logit_of(env.guide, VALUE, on) for on in described(row)]
            if step != 30:  # written down by the guide before
                assert sorted(found, reverse=True) == pytest.approx(expected, abs=1e-4)
            left_out += len(described_all) > 2
        assert env.action_masks().shape == (8, 2)
        actions = chosen(env, rng)
        moves = engine_of(env).states.moves.copy()
        rows, _, dones, _ = env.step(actions)
        assert (engine_of(env).states.moves > moves)[~dones].all()
    assert rows.shape[1] < 2 + 2 + 3 * env.choices.most_on / 2
    assert left_out > 50


# --- Games that are over before there is a choice ---------------------------------------------------------------------


@kernel
def _nothing_left(storage: Any, observation: Any, mask: Any) -> int:
    """As if there were nothing left to gain once the first pass is over."""
    return 0 if observation[PASS] > 1 else int(list_legal(mask, storage.candidates))


@kernel
def _only_draws(storage: Any, observation: Any, mask: Any) -> int:
    """As if there were a choice only in the last pass; before, all of the stock is drawn."""
    if observation[PASS] < 2 and (mask[0] or mask[1]):
        storage.candidates[0] = 0 if mask[0] else 1
        return 1
    return int(list_legal(mask, storage.candidates))


def with_choices(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    def choices_of_pyramid(options: Any) -> Choices:
        return replace(pyramid_choices(options), **changes)

    monkeypatch.setitem(KITS, "pyramid", Kit(game=GAME, choices=choices_of_pyramid))


def test_a_game_with_nothing_left_to_gain_ends_with_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    with_choices(monkeypatch, count=_nothing_left)
    env, rng, ended = made(), np.random.default_rng(6), 0
    env.reset()
    for _ in range(100):
        before = engine_of(env).states.deal.copy()
        _, rewards, dones, infos = env.step(chosen(env, rng))
        assert (engine_of(env).states.deal != before).tolist() == dones.tolist()
        assert (engine_of(env).buffers.observations[:, PASS] == 1).all()
        for i in np.flatnonzero(dones):
            ended += 1
            assert rewards[i] == pytest.approx((infos[i]["score"] + 52) / 102)
            assert infos[i]["terminal_observation"][PASS] == 2 or infos[i]["won"] or infos[i]["moves"] > 0
            assert infos[i]["moves"] > 20
    assert ended > 10


def test_deals_without_a_choice_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one pass, drawn through, most of these games are over before anything is asked."""
    with_choices(monkeypatch, count=_only_draws)
    env, rng, ended = made(4, PyramidOptions(passes=1, max_moves=30)), np.random.default_rng(7), 0
    env.reset()
    for _ in range(60):
        _, rewards, dones, infos = env.step(chosen(env, rng))
        for i in np.flatnonzero(dones):
            ended += 1
            assert infos[i]["moves"] > 24
            assert rewards[i] == pytest.approx((infos[i]["score"] + 52) / 102)
    assert ended > 5


# --- stable-baselines3 ------------------------------------------------------------------------------------------------


def test_masks_reach_sb3_contrib_in_one_block() -> None:
    env = made()
    env.reset()
    assert get_action_masks(env).reshape(8, -1).tolist() == env.action_masks().tolist()
    assert len(env.env_method("action_masks")) == 1


def test_maskable_ppo_learns_on_it() -> None:
    env, start = made(8), random_network(INPUTS, (8, 4), 0)
    model = MaskablePPO(
        ChoicePolicy,
        env,
        n_steps=16,
        batch_size=64,
        device="cpu",
        rollout_buffer_class=ChoiceBuffer,
        policy_kwargs={"start": start},
        seed=0,
    )
    model.learn(256)
    assert model.num_timesteps == 256
    assert len(model.ep_info_buffer) > 0
    learned = model.policy.network.arrays()
    assert not np.array_equal(learned.rows, start.rows)
    assert all(np.isfinite(array).all() for array in learned)


def test_a_game_without_choices_is_refused() -> None:
    with pytest.raises(ValueError, match="expected information='memory' or 'open'"):
        made(options=PyramidOptions(information="table"))
