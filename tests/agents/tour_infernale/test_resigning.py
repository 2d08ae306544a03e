"""Games that end because they are lost: the solver agrees, and nothing else about them changes."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import gymnasium
import numpy as np
import pytest

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_agents.tour_infernale.solver.api import new_memory, solve
from solitaire_envs.engine import Engine
from solitaire_envs.tour_infernale import ACTIONS, DRAW, FOUNDATION, GAME, REDEAL, TourInfernaleOptions, _is_lost
from tests.agents.tour_infernale.positions import Position

MEMORY = new_memory()
MOVES = 400  # a lost game goes on to there


def positions(piles: int, passes: int) -> Iterator[tuple[Any, Position]]:
    """Yields positions after the last draw, of random games with few draws and most cards that can go up going up."""
    rng, engine = np.random.default_rng(0), Engine(GAME, TourInfernaleOptions(piles=piles, passes=passes), 1)
    for deal in count():
        engine.deal_numbers([deal])
        state = engine.states[0]
        while not state["ended"] and state["moves"] < MOVES:
            if state["stock_size"] == 0 and state["waste_size"] > 0 and state["current_pass"] == passes:
                yield state, Position.of_state(state, piles)
            legal = engine.legal_actions(0)
            weights = [20.0 if ACTIONS[one][1] == FOUNDATION else 0.5 if one == DRAW else 1.0 for one in legal]
            engine.step(rng.choice(legal, 1, p=np.array(weights) / sum(weights)))


def judged(piles: int, passes: int, number: int) -> dict[tuple[str, bool], int]:
    """Counts what the solver and the proof say of positions that differ."""
    found: dict[tuple[str, bool], int] = {}
    known = set[Position]()
    for state, position in positions(piles, passes):
        if position in known:
            continue
        known.add(position)
        status = solve(state, position.options(passes), max_nodes=20_000, memory=MEMORY).status
        said = str(status), bool(_is_lost(state, piles))
        found[said] = found.get(said, 0) + 1
        if len(known) == number:
            break
    return found


@pytest.mark.compiled
@pytest.mark.parametrize(("piles", "passes"), [(6, 1), (5, 2)])
def test_what_is_proved_lost_is_lost(piles: int, passes: int) -> None:
    found = judged(piles, passes, 500)
    assert found.get(("solved", True), 0) == found.get(("unknown", True), 0) == 0
    assert found["solved", False] > 20
    assert found["impossible", True] > found["impossible", False]  # most of what is lost


@pytest.mark.slow
def test_what_is_proved_lost_is_lost_in_100_000_positions() -> None:
    found = judged(6, 1, 100_000)
    print(found)
    assert found.get(("solved", True), 0) == found.get(("unknown", True), 0) == 0


def test_a_game_ends_where_it_is_lost_and_is_the_same_until_then() -> None:
    resigned = 0
    for deal in range(20):
        env, plain = (gymnasium.make("solitaire/TourInfernaleOnePass-v0", resign=resign) for resign in (True, False))
        (seen, about), (plain_seen, plain_about) = (one.reset(options={"deal": deal}) for one in (env, plain))
        rng, ended, cut, plain_ended = np.random.default_rng(deal), False, False, False
        while not (ended or cut):
            assert (seen == plain_seen).all()
            assert (about["action_mask"] == plain_about["action_mask"]).all()
            legal = np.flatnonzero(about["action_mask"])
            action = rng.choice(legal[legal > DRAW] if (legal > DRAW).any() and rng.random() < 0.7 else legal)
            seen, reward, ended, cut, about = env.step(action)
            plain_seen, plain_reward, plain_ended, _, plain_about = plain.step(action)
            assert reward == plain_reward
        if ended and not plain_ended:
            resigned += 1
            assert not about["action_mask"].any()
            assert (reward, about["won"]) == (0, False)
    assert resigned > 5


def test_with_a_redeal_left_nothing_changes() -> None:
    env, plain = (gymnasium.make("solitaire/TourInfernale-v0", resign=resign, passes=2) for resign in (True, False))
    for deal in range(20):
        (_, about), (_, plain_about) = (one.reset(options={"deal": deal}) for one in (env, plain))
        rng, action = np.random.default_rng(deal), DRAW
        while action != REDEAL:
            assert (about["action_mask"] == plain_about["action_mask"]).all()
            action = rng.choice(np.flatnonzero(about["action_mask"]))
            (*_, about), (*_, plain_about) = (one.step(action) for one in (env, plain))
