"""The privileged part of an observation: the open observation, in training alone."""

import copy
import pickle
import re
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import solitaire_agents
from solitaire_agents.catalogue import agents_of, find_agent
from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.engine import Engine
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_training.sb3_vec_env import SolitaireVecEnv
from tests.environments import QUICK

PARTS = {"observation", "privileged"}
IDS = QUICK


def single(env_id: str, **arguments: Any) -> Any:
    return gymnasium.make(env_id, disable_env_checker=True, **arguments).unwrapped


def seen(observation: Any) -> list[bytes]:
    return [observation[part].tobytes() for part in sorted(PARTS)]


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("information", ["memory", "table", "open"])
def test_the_parts_are_the_observation_and_the_open_one(env_id: str, information: Any) -> None:
    """Step by step, as two other environments show them; all else is the same."""
    env = single(env_id, privileged=True, information=information)
    shown, opened = single(env_id, information=information), single(env_id, information="open")
    rng, differ = np.random.default_rng(0), 0
    for episode in range(3):
        found, closed, whole = (each.reset(seed=episode) for each in (env, shown, opened))
        for _ in range(150):
            assert found[0].keys() == PARTS
            assert env.observation_space.contains(found[0])
            assert found[0]["observation"].tobytes() == closed[0].tobytes()
            assert found[0]["privileged"].tobytes() == whole[0].tobytes()
            assert found[1:-1] == closed[1:-1] == whole[1:-1]
            differ += found[0]["privileged"].tobytes() != found[0]["observation"].tobytes()
            masks = env.action_masks()
            if not masks.any():
                break
            action = int(rng.choice(np.flatnonzero(masks)))
            found, closed, whole = (each.step(action) for each in (env, shown, opened))
    hides = env.game.unseen.stop > 0
    assert (differ > 10) == (information != "open" and hides)


def test_vector_and_sb3_environments_show_the_same() -> None:
    """In each mode, at the ends of episodes too."""
    env_id = "solitaire/TourInfernaleOnePass-v0"
    options: dict[str, Any] = {"max_moves": 30, "privileged": True}
    envs: Any = {
        mode: gymnasium.make_vec(env_id, num_envs=2, autoreset_mode=mode, **options).unwrapped
        for mode in ("SameStep", "NextStep", "Disabled")
    }
    sb3 = SolitaireVecEnv(
        CATALOGUE[env_id].game, CATALOGUE[env_id].game.options(passes=1, max_moves=30), 2, gamma=0.9, privileged=True
    )
    firsts = [each.reset(seed=5)[0] for each in envs.values()]
    sb3.engine.seed([5, 6])
    firsts.append(sb3.reset())
    alone = [single(env_id, **options) for _ in range(2)]
    rows = [each.reset(seed=5 + index)[0] for index, each in enumerate(alone)]
    for first in firsts:
        assert first["privileged"].shape == (2, envs["Disabled"].game.observation_size)
        assert [seen({part: first[part][i] for part in PARTS}) for i in range(2)] == [seen(row) for row in rows]
    assert envs["SameStep"].observation_space.contains(firsts[0])
    assert sb3.observation_space.contains({part: firsts[-1][part][0] for part in PARTS})
    for _ in range(30):
        actions = envs["Disabled"].action_masks().argmax(axis=1)
        rows = [each.step(int(action))[0] for each, action in zip(alone, actions, strict=True)]
        same, following, _ = stepped = [each.step(actions) for each in envs.values()]
        ours, _, dones, infos = sb3.step(actions)
        over = stepped[0][2] | stepped[0][3]
        for each in stepped[1:]:
            assert [seen({part: each[0][part][i] for part in PARTS}) for i in range(2)] == [seen(row) for row in rows]
        for part in PARTS:
            assert np.array_equal(ours[part], same[0][part])
        for index in np.flatnonzero(~over):
            assert seen({part: same[0][part][index] for part in PARTS}) == seen(rows[index])
    assert dones.all()
    assert over.all()
    for index in range(2):
        assert seen(same[4]["final_obs"][index]) == seen(rows[index]) == seen(infos[index]["terminal_observation"])
        assert seen({part: same[0][part][index] for part in PARTS}) != seen(rows[index])
    assert seen({part: following[0][part][0] for part in PARTS}) == seen(rows[0])


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_and_states_of_either_kind(way: Any) -> None:
    env, plain = single(IDS[0], privileged=True), single(IDS[0])
    first = env.reset(seed=1)[0]
    twin, state = way(env), env.get_state()
    later = env.step(int(env.action_masks().argmax()))[0]
    assert seen(twin.step(int(twin.action_masks().argmax()))[0]) == seen(later) != seen(first)
    assert seen(env.set_state(state)[0]) == seen(first)
    assert plain.set_state(state)[0].tobytes() == first["observation"].tobytes()
    assert seen(env.set_state(plain.get_state())[0]) == seen(first)


def test_it_keeps_to_gymnasium() -> None:
    check_env(gymnasium.make(IDS[0], privileged=True, disable_env_checker=True).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
@pytest.mark.parametrize("value", [1, None, "open"])
def test_what_is_refused(make: Any, value: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(f"expected privileged to be True or False, got {value!r}")):
        make(IDS[0], privileged=value)


# --- No fair agent sees it --------------------------------------------------------------------------------------------

MOVES = {"planner": 2}
"""Of agents that think long."""


@pytest.mark.compiled
@pytest.mark.parametrize("name", agents_of(CATALOGUE[IDS[0]].game))
def test_no_agent_sees_it(name: str) -> None:
    """What is there, or not there, makes no difference to what an agent is given and chooses."""
    game, played = CATALOGUE[IDS[0]].game, []
    agent = find_agent(name, game, game.options())
    for privileged in (True, False):
        engine, given = Engine(game, agent.shown(game.options()), 1, privileged=privileged), []
        engine.deal_numbers([11])
        agent.seed(0)
        for _ in range(MOVES.get(name, 30)):
            if not engine.states.ended[0]:
                engine.buffers.privileged[:] = 99  # whoever looked would be misled
                action = agent.choose(engine)
                given.append((engine.buffers.observations.tobytes(), int(action[0])))
                engine.step(action)
        played.append(given)
    assert played[0] == played[1]


def test_no_agent_names_it_and_no_comparison_can_ask_for_it() -> None:
    """It is a keyword of environments, no option of a game."""
    for path in Path(solitaire_agents.__file__).parent.rglob("*.py"):
        if path.name not in (
            "line_follower.py",
            "tree_planner.py",
        ):  # these ask it of states that they imagine themselves
            assert "privileged" not in path.read_text(encoding="utf-8"), path
    for env_id in IDS:
        with pytest.raises(ValueError, match="expected options among .*; got 'privileged'"):
            make_env_spec(env_id, {"privileged": True})
