"""Moves of Pyramid that are proved to be mistakes."""

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.pyramid.bounds import make_bounds
from solitaire_agents.pyramid.choices import pyramid_choices
from solitaire_agents.pyramid.hindsight import imagine_all, rate_moves
from solitaire_agents.pyramid.solver.api import new_memory
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_envs import pyramid_table
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import GAME, PyramidOptions
from tests.agents.pyramid.test_choices import NETWORK, SCORE, UNSEEN_COUNTS, WIN, positions

NOTHING = np.zeros((1, 0), np.int64)
"""No hidden card."""


def known_positions(options: PyramidOptions) -> list[tuple[NDArray[np.int16], NDArray[np.bool_]]]:
    """Returns positions in which nothing is hidden: the stock is drawn, then moves are played at random."""
    rng, engine, seen = np.random.default_rng(1), Engine(GAME, options, 12), []
    engine.deal_numbers(np.arange(12))
    while not engine.states.ended.all():
        masks = engine.buffers.action_masks
        known = engine.buffers.observations[:, UNSEEN_COUNTS].sum(axis=1) == 0
        rows = np.flatnonzero(~engine.states.ended & known & (masks.sum(axis=1) > 1))
        seen += [(engine.buffers.observations[row].copy(), masks[row].copy()) for row in rows]
        at_random = (masks * rng.random(masks.shape)).argmax(axis=1)
        engine.step(np.where(masks[:, pyramid_table.DRAW] & ~known, pyramid_table.DRAW, at_random))
    return seen


def test_no_win_is_thrown_away() -> None:
    """Of the moves that are left out, none wins, unless one that is kept is known to win."""
    keep, memory, left_out, saved = make_bounds(WIN), new_memory(8), 0, 0
    for deal in range(12):
        engine = Engine(GAME, WIN, 1)
        engine.deal_numbers([deal])
        while not engine.states.ended[0]:
            observation, mask = engine.buffers.observations, engine.buffers.action_masks
            action = pyramid_table.DRAW if mask[0, pyramid_table.DRAW] else int(np.flatnonzero(mask[0])[0])
            if observation[0, UNSEEN_COUNTS].sum() == 0:
                kept = keep(observation, mask)
                ratings = rate_moves(imagine_all(WIN, observation, NOTHING), mask, WIN, 1_000, memory)
                wins = ratings == 1
                assert not wins.any() or (wins & kept).any()
                assert not (mask & ~kept & wins).any() or (kept <= wins).all()
                left_out, saved = left_out + (mask & ~kept).sum(), saved + wins.any()
                action = int(ratings.argmax())
            else:
                assert np.array_equal(keep(observation, mask), mask)
            engine.step(np.array([action]))
    assert min(left_out, saved) > 50


@pytest.mark.parametrize("options", [WIN, SCORE, PyramidOptions(passes=2, goal="pyramid", stock_waste_pairs=False)])
def test_some_move_is_kept_unless_the_win_is_lost_and_none_is_added(options: PyramidOptions) -> None:
    seen = positions(6, options) + known_positions(options)
    observations, masks = (np.array(rows) for rows in zip(*seen, strict=True))
    kept = make_bounds(options)(observations, masks)
    lost = np.flatnonzero(~kept.any(axis=1))
    if options.objective == "win":
        assert len(lost)
        states = imagine_all(options, observations[lost], np.zeros((len(lost), 0), np.int64))
        assert not rate_moves(states, masks[lost], options, 10_000, new_memory(8)).any()
    else:
        assert not len(lost)
    assert not (kept & ~masks).any()
    assert (kept != masks).any()
    one_by_one = [make_bounds(options)(row[None], mask[None])[0] for row, mask in seen[::10]]
    assert np.array_equal(kept[::10], one_by_one)


def test_an_agent_leaves_lost_moves_out_unless_it_is_told_not_to() -> None:
    choices, keep = pyramid_choices(WIN), make_bounds(WIN)
    agents = {bounds: TrainedAgent(choices, NETWORK, "random", bounds=bounds) for bounds in (True, False)}
    lost = {True: 0, False: 0}
    for row, mask in known_positions(WIN):
        kept = keep(row[None], mask[None])[0]
        for bounds, agent in agents.items():
            lost[bounds] += kept.any() and not kept[agent.act(row[None], mask[None])[0]]
    assert lost[True] == 0 < lost[False]
