"""Deals without a legal move, which a made-up game has: they end, in every view and command."""

import io
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from solitaire_agents.uniform import UniformAgent
from solitaire_envs.cards import deck_of_deal
from solitaire_envs.catalogue import CATALOGUE, GAMES
from solitaire_envs.engine import Engine
from solitaire_evaluation.play import play
from solitaire_training.commands.main import main
from solitaire_training.sb3_vec_env import SolitaireVecEnv

ENV, SERIES = "climb:climb/Climb-v0", "climb:climb/Series-v0"
DEALS = range(40)


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the game's module; afterwards the game is forgotten, so other tests see nothing of it."""
    path = tmp_path_factory.mktemp("elsewhere")
    shutil.copy(Path(__file__).with_name("climb.py"), path)
    sys.path.insert(0, str(path))
    gymnasium.make(ENV)
    yield path
    sys.path.remove(str(path))
    for env_id in ("climb/Climb-v0", "climb/Series-v0"):
        del CATALOGUE[env_id], gymnasium.registry[env_id]
    del GAMES["climb"], GAMES["climb_series"], sys.modules["climb"]


def score(deal: int) -> int:
    """Returns the cards climbed, by plain Python."""
    ranks = (deck_of_deal(deal) % 13).tolist()
    return next(at for at in range(52) if at == 51 or ranks[at + 1] <= ranks[at])


DEAD = [deal for deal in DEALS if score(deal) == 0]
LONG = next(deal for deal in DEALS if score(deal) > 1)


@pytest.mark.parametrize("illegal_action", ["ignore", "raise"])
def test_the_first_step_ends_the_episode(illegal_action: str) -> None:
    env = gymnasium.make(ENV, illegal_action=illegal_action)
    base: Any = env.unwrapped
    for deal in DEAD:
        _, info = env.reset(options={"deal": deal})
        assert (info["action_mask"].tolist(), info["score"]) == ([0], 0)
        state = base.get_state()
        for _ in range(2):
            _, reward, terminated, truncated, info = env.step(env.action_space.sample(mask=info["action_mask"]))
            assert (reward, terminated, truncated, info["illegal_action"], info["moves"]) == (0.0, True, False, 0, 0)
            base.set_state(state)
    env.reset(options={"deal": LONG})
    assert [env.step(0)[2] for _ in range(score(LONG))] == [False] * (score(LONG) - 1) + [True]


def lengths(mode: AutoresetMode) -> list[int]:
    """Plays many deals at once; returns the numbers of moves of the first episodes of one environment."""
    envs = gymnasium.make_vec(ENV, num_envs=3, autoreset_mode=mode)
    envs.reset(seed=5)
    found = []
    while len(found) < 30:
        *_, ended, _, infos = envs.step(np.zeros(3, np.int64))
        if ended[1]:
            found.append(int((infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos)["moves"][1]))
    return found


def test_vector_environments_tell_each_such_deal() -> None:
    env = gymnasium.make(ENV)
    env.reset(seed=6)
    expected = []
    for _ in range(30):
        expected.append(score(env.unwrapped.deal))  # type: ignore[attr-defined]
        env.reset()
    assert 5 < expected.count(0) < 25
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        assert lengths(mode) == expected


def test_a_vec_env_of_stable_baselines_ends_them() -> None:
    envs = SolitaireVecEnv(GAMES["climb"], GAMES["climb"].options(), 4)
    envs.reset()
    infos = [info for _ in range(60) for info in envs.step(np.zeros(4, np.int64))[3] if info]
    assert {info["episode"]["l"] for info in infos if info["moves"] == 0} == {1}
    assert {info["episode"]["l"] - info["moves"] for info in infos if info["moves"]} == {0}


def test_a_series_goes_on_and_pays_what_it_owes() -> None:
    env, moves = gymnasium.make(SERIES), []
    for deal in DEALS:
        _, info = env.reset(options={"deal": deal})
        total, ended = 0.0, False
        while not ended:
            _, reward, ended, _, info = env.step(0)
            total += float(reward)
        assert total == 4
        moves.append(int(info["moves"]))
    assert moves.count(0) in range(1, 10)  # all four games without a move: one in sixteen
    assert (
        play(UniformAgent(), GAMES["climb_series"], GAMES["climb_series"].options(), DEALS).column("moves").tolist()
        == moves
    )


def test_play_loops_do_not_ask_for_a_move() -> None:
    game = GAMES["climb"]
    assert play(UniformAgent(), game, game.options(), DEALS).column("score").tolist() == [score(deal) for deal in DEALS]
    engine = Engine(game, game.options(), 1)
    engine.deal_numbers([DEAD[0]])
    assert engine.states.ended[0]
    buffers = engine.step(np.array([-1]))  # a game may wait
    assert not buffers.terminated[0]
    assert engine.step(np.array([0])).terminated[0]


@pytest.mark.parametrize(
    "command",
    [
        f"play --env {ENV} --deal {DEAD[0]}",
        f"watch --env {ENV} --deal {DEAD[0]} --agent uniform",
        f"compare --env {ENV},{SERIES} --agents uniform --deals 40 --jobs 1",
        f"check --env {ENV}",
    ],
)
def test_commands_end(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    try:
        code = main(command.split())
    except SystemExit as error:  # `check` ends by it
        code = error.code
    said = capfd.readouterr()
    assert code == 0, said
    assert {"play": "over", "watch": "over", "compare": "uniform", "check": "keeps the contract"}[
        command.split(maxsplit=1)[0]
    ] in said.out
