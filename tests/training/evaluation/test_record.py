"""Games written down step by step."""

import numpy as np
import pytest
from minari.data_collector import EpisodeBuffer

from solitaire_agents.catalogue import find_agent
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_evaluation.agent_specs import find_agent_specs
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.play import play
from solitaire_evaluation.record import record_game, record_games
from tests.training.comparing import PYRAMID, TOUR


def same(ours: EpisodeBuffer, theirs: EpisodeBuffer) -> bool:
    names = ("observations", "actions", "rewards", "terminations", "truncations")
    return all(np.array_equal(getattr(ours, one), getattr(theirs, one)) for one in names) and all(
        np.array_equal(values, theirs.infos[name]) for name, values in ours.infos.items()
    )


@pytest.mark.parametrize(("env", "name"), [(PYRAMID, "careful"), (PYRAMID, "oracle"), (TOUR, "thrifty")])
def test_a_game_is_that_which_the_agent_plays(env: str, name: str) -> None:
    env_spec = make_env_spec(env, {})
    agent = find_agent(name, env_spec.game, env_spec.options)
    game = record_game(env_spec, agent, 7)
    expected = play(agent, env_spec.game, env_spec.options, [7]).outcomes[0]
    masks, outcomes = game.infos["action_mask"], {field: game.infos[field] for field in expected.dtype.names}
    assert {field: values[-1, 0] for field, values in outcomes.items()} == {
        field: expected[field] for field in outcomes
    }
    steps = len(game.actions)
    assert len(game.rewards) == len(game.terminations) == len(game.truncations) == steps == expected["moves"]
    assert len(game.observations) == len(masks) == steps + 1
    assert all(masks[np.arange(steps), game.actions])
    ends = np.array(game.terminations) | np.array(game.truncations)
    assert ends[-1]
    assert not ends[:-1].any()
    assert outcomes["moves"][:, 0].tolist() == list(range(steps + 1))
    assert game.infos["deal"].tolist() == [[7]] * (steps + 1)


def test_what_only_an_unfair_agent_sees_is_not_written_down() -> None:
    env_spec = make_env_spec(TOUR, {})
    oracle = find_agent("oracle", env_spec.game, env_spec.options)
    shown = record_game(env_spec, oracle, 7).observations[0]
    stock = env_spec.game.slots("stock")
    unseen = max(slots.high for slots in env_spec.game.observation if slots.name == "stock")
    assert (shown[stock][:46] == unseen).all()


def test_neither_jobs_nor_order_change_the_games() -> None:
    env_spec = make_env_spec(PYRAMID, {})
    (uniform,) = find_agent_specs(["uniform"], env_spec.game, env_spec.options)
    deals = FIRST_RANDOM_DEAL + np.arange(12, dtype=np.uint64)
    forwards = list(record_games(env_spec, uniform, deals))
    backwards = sorted(record_games(env_spec, uniform, deals[::-1], jobs=2), key=lambda game: game.options["deal"])
    assert all(map(same, forwards, backwards))
    others = list(record_games(env_spec, uniform, deals[:1], seed=1))
    assert not same(forwards[0], others[0])
