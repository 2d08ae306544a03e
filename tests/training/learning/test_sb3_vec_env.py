"""The batched engine as a VecEnv of stable-baselines3."""

from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks

from solitaire_agents.base import Agent
from solitaire_agents.pyramid.hindsight import HindsightAgent
from solitaire_agents.uniform import UniformAgent
from solitaire_envs import pyramid, tour_infernale
from solitaire_training.learning.sb3_vec_env import SolitaireVecEnv


def test_vec_env_keeps_the_books() -> None:
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 8, reward_scale=0.5)
    env.seed(0)
    env.reset()
    agent, returns, lengths, seen = UniformAgent(), np.zeros(8), np.zeros(8, dtype=int), 0
    for _ in range(200):
        observations, rewards, dones, infos = env.step(agent.act(np.zeros((8, 91), np.int16), env.action_masks()))
        returns += rewards / 0.5
        lengths += 1
        for index in np.flatnonzero(dones):
            info, seen = infos[index], seen + 1
            assert info["episode"] == {"r": returns[index], "l": lengths[index]}
            assert info["episode"]["r"] == info["score"] + 52
            assert info["is_success"] == info["won"]
            assert not info["TimeLimit.truncated"]
            assert info["terminal_observation"].shape == observations[index].shape
            assert not np.array_equal(info["terminal_observation"], observations[index])
        returns[dones], lengths[dones] = 0, 0
        assert all(not info for info, done in zip(infos, dones, strict=True) if not done)
    assert seen > 8


def test_what_a_step_returns_stays_as_it_is() -> None:
    """SB3 keeps observations until the next step is done."""
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 4)
    first = env.reset()
    second, rewards, dones, _ = env.step(np.zeros(4, dtype=np.int64))
    assert not np.array_equal(first, second)
    returned = (first, second, rewards, dones, env.action_masks())
    kept = [array.copy() for array in returned]
    for _ in range(30):  # to the end of the games
        env.step(env.action_masks().argmax(axis=1))
    for before, after in zip(kept, returned, strict=True):
        assert np.array_equal(before, after)


def test_seeds_have_no_deal_in_common_and_each_its_own_again() -> None:
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 8)
    dealt = []
    for seed in (0, 1, 0):
        env.seed(seed)
        dealt.append({row.tobytes() for row in env.reset()})
    assert len(dealt[0]) == 8
    assert dealt[0] == dealt[2]
    assert not dealt[0] & dealt[1]


@pytest.mark.parametrize("ends", [True, False])
def test_a_cut_off_episode_may_count_as_ended(ends: bool) -> None:
    options = tour_infernale.TourInfernaleOptions(max_moves=5)
    env = SolitaireVecEnv(tour_infernale.GAME, options, 2, gamma=1.0 if ends else 0.9)
    env.reset()
    for _ in range(5):
        _, _, dones, infos = env.step(np.zeros(2, dtype=np.int64))
    assert dones.all()
    assert [info["TimeLimit.truncated"] for info in infos] == [not ends] * 2


def test_moves_without_a_choice_are_played() -> None:
    """The same games, step by step and decision by decision."""
    options = pyramid.PyramidOptions()
    ended: list[list[Any]] = []
    for decisions_only in (False, True):
        env = SolitaireVecEnv(pyramid.GAME, options, 4, decisions_only=decisions_only)
        env.seed(0)
        env.reset()
        episodes: list[list[Any]] = [[] for _ in range(4)]
        brought, steps = np.zeros(4), 0
        while min(len(own) for own in episodes) < 3:
            masks = env.action_masks()
            _, rewards, dones, infos = env.step(masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1))
            brought, steps = brought + rewards, steps + 1
            for index in np.flatnonzero(dones).tolist():
                info = infos[index]
                assert info["episode"]["r"] == brought[index]
                episodes[index].append({**info, "terminal_observation": info["terminal_observation"].tolist()})
                brought[index] = 0
            if decisions_only:
                assert (env.action_masks()[~dones].sum(axis=1) > 1).all()
        ended.append([*(own[:3] for own in episodes), steps])
    assert ended[0][:4] == ended[1][:4]
    assert ended[1][4] < ended[0][4]


class Judge(Agent):
    """Sees the stock, and rates all moves by it."""

    fair = False
    worth = 10.0

    def act(self, observations: Any, action_masks: Any) -> Any:
        return action_masks.argmax(axis=1)

    def rate(self, observations: Any, action_masks: Any) -> Any:
        assert not (observations == pyramid.UNSEEN).any()
        asked.append(len(observations))
        return (action_masks * potential(observations)[:, None]).astype(np.float32)


asked: list[int] = []


def potential(observations: Any) -> Any:
    return (observations[:, :28] > 0).sum(axis=1) // 4 / 8


@pytest.mark.parametrize("gamma", [1.0, 0.5])
def test_a_referee_shapes_the_rewards_by_what_positions_are_worth(gamma: float) -> None:
    plain, shaped = (
        SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 4, reward_scale=0.1, gamma=gamma, referee=referee)
        for referee in (None, Judge())
    )
    for env in (plain, shaped):
        env.seed(0)
    before, ended = plain.reset(), 0
    assert np.array_equal(before, shaped.reset())
    for _ in range(200):
        actions = plain.action_masks().argmax(axis=1)
        after, rewards, dones, _ = plain.step(actions)
        seen, found, ends, infos = shaped.step(actions)
        assert np.array_equal(after, seen)
        assert np.array_equal(dones, ends)
        assert found == pytest.approx(rewards + gamma * potential(after) * ~dones - potential(before), abs=1e-6)
        assert all(infos[index]["episode"]["r"] == infos[index]["score"] + 52 for index in np.flatnonzero(dones))
        before, ended = after, ended + dones.sum()
    assert ended > 4


def test_where_nothing_is_left_to_gain_a_referee_is_asked_no_more() -> None:
    class Pessimist(Judge):
        def rate(self, observations: Any, action_masks: Any) -> Any:
            return 0 * super().rate(observations, action_masks)

    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 4, referee=Pessimist())
    asked.clear()
    env.reset()
    ended = 0
    for _ in range(200):
        ended += env.step(env.action_masks().argmax(axis=1))[2].sum()
    assert ended > 4
    assert sum(asked) == 4 + ended


def test_a_complete_referee_ends_lost_games_and_deals_none() -> None:
    options = pyramid.PyramidOptions(objective="win")
    env = SolitaireVecEnv(
        pyramid.GAME, options, 32, decisions_only=True, referee=HindsightAgent(options, max_nodes=100_000)
    )
    env.seed(1)
    env.reset()
    agent, lost, won = UniformAgent(), 0, 0
    for _ in range(60):
        ratings = np.where(env.action_masks(), env.ratings, -1)
        assert (ratings.max(axis=1) > 0).all()
        actions = ratings.argmax(axis=1)
        actions[:16] = agent.act(np.zeros((16, 91), np.int16), env.action_masks()[:16])
        chosen, (_, rewards, dones, infos) = env.ratings[range(32), actions], env.step(actions)
        assert (dones[chosen == 0]).all()
        assert (rewards[chosen == 0] <= -0.84).all()  # it is worth nothing any more
        for index in np.flatnonzero(dones).tolist():
            lost, won = lost + (index < 16), won + infos[index]["won"]
            assert infos[index]["won"] == (chosen[index] > 0)
            assert infos[index]["episode"] == {"r": float(infos[index]["won"]), "l": infos[index]["moves"]}
    assert lost > 16
    assert won >= 16


def test_masks_reach_sb3_contrib_in_one_block() -> None:
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 8)
    env.reset()
    masks = get_action_masks(env)
    assert masks.reshape(8, 285).tolist() == env.action_masks().tolist()
    assert len(env.env_method("action_masks")) == 1


def test_maskable_ppo_with_its_own_policy_runs_on_the_vec_env() -> None:
    env = SolitaireVecEnv(tour_infernale.GAME, tour_infernale.TourInfernaleOptions(), 4)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, device="cpu").learn(128)
    assert model.num_timesteps == 128
