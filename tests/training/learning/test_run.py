"""Runs of self-play, of PPO, and of one after the other: they end in an agent, and go on where they were stopped."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.optim import Adam

from solitaire_agents.catalogue import find_agent
from solitaire_agents.files import locked
from solitaire_agents.network import POLICY, VALUE, Network, random_network
from solitaire_agents.trained import WEIGHTS, read_card, read_network
from solitaire_agents.trained_agent import AS_LEARNED, TrainedAgent
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import GAME
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.learning_curve import EVALUATIONS, read_evaluations
from solitaire_evaluation.play import play
from solitaire_training import run as run_module
from solitaire_training import self_play
from solitaire_training.checkpoint_file import CHECKPOINT, read_checkpoint
from solitaire_training.config import TrainConfig
from solitaire_training.run import LOGS, SELF_PLAY, Paused
from solitaire_training.self_play import SelfPlay
from tests.agents.pyramid.test_choices import pyramid_choices
from tests.training.learning.runs import TINY, quiet_train

BOTH: dict[str, Any] = {**TINY, "games": 60, "total_steps": 384, "eval_every": 300}
"""Three updates of self-play, then three of PPO."""


def curve(folder: Path) -> list[dict[str, Any]]:
    """Returns a learning curve without the seconds."""
    return [{name: point[name] for name in point if name != "seconds"} for point in read_evaluations(folder)]


def end_of(folder: Path) -> tuple[Any, ...]:
    """Returns all that two equal runs have in common at their end."""
    saved = read_checkpoint(folder)
    state = {name: tensor.numpy().tobytes() for name, tensor in saved.items() if name != "run.seconds"}
    return (folder / WEIGHTS).read_bytes(), state, curve(folder)


def network_in(folder: Path, **options: Any) -> Network:
    return read_network(folder, GAME, pyramid_choices(GAME.options(**options)))


def shake() -> None:
    """Draws random numbers: a new process has other random states."""
    torch.rand(3)
    np.random.rand(3)  # noqa: NPY002  # SB3 draws from it


# --- What a run ends in -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a run of both stages that nobody has disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    quiet_train(TrainConfig(**BOTH), folder)
    return folder


def test_a_run_is_an_agent_that_plays_without_torch(whole: Path) -> None:
    code = (
        "import sys\n"
        "from solitaire_training.commands.main import main\n"
        "code = main(['compare', '--agents', sys.argv[1], '--deals', '5', '--jobs', '1'])\n"
        "sys.exit('torch' in sys.modules or code)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(whole)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    card = read_card(whole)
    assert card["decisions"] == int(read_checkpoint(whole)["run.decisions"]) > 384
    assert card["moves"] > 1.5 * card["decisions"]  # of both stages
    assert TrainConfig(**card["hyperparameters"]) == TrainConfig(**BOTH)
    assert card["rules"] == [{"passes": 3, "stock_waste_pairs": True, "goal": "all"}]
    assert {"env", "minutes", "versions", "git_revision"} <= card.keys()


def test_the_last_evaluation_is_of_the_agent_that_is_saved(whole: Path) -> None:
    agent = find_agent(str(whole), GAME, GAME.options())
    deals = range(VALIDATION_DEALS, VALIDATION_DEALS + TINY["eval_deals"])
    played = play(agent, GAME, GAME.options(), deals)
    points = read_evaluations(whole)
    assert points[-1]["metrics"]["score"]["value"] == played.column("score").mean()
    assert points[-1]["steps"] == read_card(whole)["decisions"]
    assert [point["deals"] for point in points] == [8] * len(points)
    assert len(points) >= 3  # in self-play, at its end, at the end
    assert all(b["seconds"] >= a["seconds"] for a, b in pairwise(points))


def test_several_option_sets_are_learned(tmp_path: Path) -> None:
    sets = [{"passes": 2}, {"passes": 1}]
    quiet_train(TrainConfig(**{**BOTH, "options": {"objective": "win"}, "option_sets": sets}), tmp_path)
    card = read_card(tmp_path)
    assert card["game"] == "pyramid"
    assert [rules["passes"] for rules in card["rules"]] == [2, 1]
    assert card["options"]["passes"] == 2
    assert AS_LEARNED != card["calibration"][0] != card["calibration"][1]
    assert all(network_in(tmp_path, passes=passes).rows.any() for passes in (1, 2))


def test_self_play_alone_ends_in_a_policy_of_values(tmp_path: Path) -> None:
    quiet_train(TrainConfig(**{**BOTH, "algorithm": "self-play"}), tmp_path)
    network = network_in(tmp_path)
    assert np.array_equal(network.second[POLICY], network.second[VALUE])
    assert np.array_equal(network.last[POLICY], network.last[VALUE])
    assert int(read_checkpoint(tmp_path)["run.stage"]) == SELF_PLAY
    assert int(read_checkpoint(tmp_path)["games"]) == 60


def test_same_seed_same_run_and_another_seed_another(whole: Path, tmp_path: Path) -> None:
    shake()
    quiet_train(TrainConfig(**BOTH), tmp_path / "same")
    assert end_of(tmp_path / "same") == end_of(whole)
    quiet_train(TrainConfig(**{**BOTH, "seed": 1}), tmp_path / "other")
    assert end_of(tmp_path / "other")[0] != end_of(whole)[0]


def test_threads_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SelfPlay, "slice_size", 7)
    for threads in (1, 3):
        settings = {**BOTH, "algorithm": "self-play", "threads": threads}
        settings["option_sets"] = [{"passes": 2}, {}]
        quiet_train(TrainConfig(**settings), tmp_path / str(threads))
    assert end_of(tmp_path / "1") == end_of(tmp_path / "3")


def test_self_play_gives_equal_shares_to_option_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where all games of an update would fit into one slice."""
    played, play_games = Counter[int](), self_play.play_games

    def counting(options: Any, choices: Any, network: Any, deals: Any, **settings: Any) -> Any:
        played[options.passes] += len(deals)
        return play_games(options, choices, network, deals, **settings)

    monkeypatch.setattr(self_play, "play_games", counting)
    sets = [{"passes": passes} for passes in (1, 2, 3)]
    settings = {"algorithm": "self-play", "option_sets": sets, "games": 60, "games_per_update": 20}
    quiet_train(TrainConfig(**{**BOTH, **settings}), tmp_path)
    assert played == {1: 18, 2: 21, 3: 21}  # of twenty games six, seven and seven


@pytest.mark.parametrize(
    "settings", [{"algorithm": "self-play", "games": 1_200}, {"games": 0, "total_steps": 40_000}], ids=str
)
def test_it_learns(settings: dict[str, Any], tmp_path: Path) -> None:
    """Within seconds it plays much better than random moves; a standard error is one point."""
    sizes = {"width": 16, "second_width": 8, "games_per_update": 100, "self_play_batch_size": 64, "eval_every": 10**6}
    sizes |= {"num_envs": 64, "n_steps": 32, "batch_size": 256, "n_epochs": 2, "eval_deals": 500}
    quiet_train(TrainConfig(**{**BOTH, **sizes, "checkpoint_minutes": 9.0, **settings}), tmp_path)
    (point,) = read_evaluations(tmp_path)
    options = GAME.options()
    random = play(find_agent("uniform", GAME, options), GAME, options, range(500)).outcomes["score"]
    assert point["metrics"]["score"]["value"] > random.mean() + 15


# --- Going on ---------------------------------------------------------------------------------------------------------


def go_on_until(folder: Path, pauses: Callable[[int], bool], config: TrainConfig) -> int:
    """Trains in as many processes, as it were, as there are pauses; returns how many."""
    for number in range(100):
        calls: list[int] = []

        def pause(calls: list[int] = calls) -> bool:
            calls.append(1)
            return pauses(len(calls))

        shake()
        try:
            quiet_train(config, folder, resume=number > 0, pause=pause)
        except Paused:
            continue
        return number
    raise AssertionError


@pytest.mark.parametrize("every", [1, 2, 4])
def test_a_run_that_is_paused_again_and_again_ends_like_one_left_alone(every: int, whole: Path, tmp_path: Path) -> None:
    pauses = go_on_until(tmp_path, lambda call: call == every, TrainConfig(**BOTH))
    assert pauses == {1: 5, 2: 2, 4: 1}[every]  # between six updates, each of which begins a process at a pause
    assert end_of(tmp_path) == end_of(whole)


@pytest.mark.parametrize(
    "settings",
    [
        {"games": 0},
        {"algorithm": "self-play", "option_sets": [{"passes": 2}, {"passes": 1}], "explore": 0.2},
        {"option_sets": [{}, {"passes": 2}], "games": 20, "n_epochs": 2, "num_envs": 20},
        {"shortlist": 2, "games": 0},
        {"shortlist": 3, "games": 20},
        {"deals": 5, "option_sets": [{}, {"passes": 2}], "num_envs": 20},
        {"winnable": True, "difficulty": (0.5, 0.9)},
        {"algorithm": "self-play", "option_sets": [{}, {"passes": 2}]},
    ],
)
def test_so_do_runs_of_other_kinds(settings: dict[str, Any], tmp_path: Path) -> None:
    config = TrainConfig(**{**BOTH, **settings})
    quiet_train(config, tmp_path / "whole")
    assert go_on_until(tmp_path / "paused", lambda call: call == 1, config) >= 2
    assert end_of(tmp_path / "paused") == end_of(tmp_path / "whole")


class KilledError(BaseException):
    """Ends a run at once, without saving anything."""


def kill_at(patch: pytest.MonkeyPatch, method: str, call: int) -> None:
    """Lets a call of a method be the last."""
    owner, name = {
        "step": (Engine, "step"),
        "fit": (Adam, "step"),
        "evaluate": (run_module._Run, "_evaluate"),
        "card": (run_module, "write_checkpoint"),  # the agent is newer than the checkpoint then
    }[method]
    original, calls = getattr(owner, name), []

    def killed(*arguments: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == call:
            raise KilledError
        return original(*arguments, **named)

    patch.setattr(owner, name, killed)


@pytest.mark.parametrize(
    ("minutes", "method", "call"),
    [
        (0.0, "step", 100),
        (0.0, "fit", 2),
        (0.0, "fit", 5),
        (0.0, "fit", 8),
        (1e6, "fit", 8),
        (0.0, "evaluate", 2),
        (0.0, "evaluate", 3),
        (0.0, "card", 2),
        (0.0, "card", 5),
    ],
)
def test_a_killed_run_ends_like_one_left_alone(
    minutes: float, method: str, call: int, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = TrainConfig(**{**BOTH, "checkpoint_minutes": minutes})
    with monkeypatch.context() as patch:
        kill_at(patch, method, call)
        with pytest.raises(KilledError):
            quiet_train(config, tmp_path)
    shake()
    quiet_train(config, tmp_path, resume=True)
    assert end_of(tmp_path) == end_of(whole)


def test_more_may_be_asked_of_a_run_that_has_ended(run: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run, tmp_path / "run"))
    assert quiet_train(TrainConfig(**TINY, total_steps=768), folder, resume=True) == 768
    assert int(read_checkpoint(folder)["steps"]) == 768
    quiet_train(TrainConfig(**TINY, total_steps=768), tmp_path / "longer")
    assert [point["steps"] for point in curve(folder)] == [point["steps"] for point in curve(tmp_path / "longer")]
    with pytest.raises(ValueError, match="expected a new folder, got .*, which holds a run: add --resume"):
        quiet_train(TrainConfig(**TINY, total_steps=768), folder)


def test_a_new_run_does_not_take_over_the_curve_of_a_dead_one(tmp_path: Path) -> None:
    (tmp_path / EVALUATIONS).write_text('{"steps": 999, "deals": 1, "metrics": {}}\n{"steps": 6')
    quiet_train(TrainConfig(total_steps=256, **TINY), tmp_path)
    assert [point["steps"] for point in read_evaluations(tmp_path)] == [256]
    assert (tmp_path / "evaluations-1.jsonl").read_text().startswith('{"steps": 999')


def test_going_on_keeps_the_log(tmp_path: Path) -> None:
    for steps in (256, 512, 768):
        quiet_train(TrainConfig(total_steps=steps, **TINY), tmp_path, resume=steps > 256)
    logs = sorted((tmp_path / LOGS).glob("progress*.csv"))
    assert [log.name for log in logs] == ["progress-1.csv", "progress-2.csv", "progress.csv"]
    assert all(len(log.read_text().splitlines()) == 3 for log in logs)  # a header and two rollouts


# --- Ctrl-C, disks and other processes --------------------------------------------------------------------------------


def interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def at_the_second_call() -> Callable[..., None]:
    calls: list[int] = []

    def called(*_: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt

    return called


@pytest.mark.parametrize("callback", ["evaluated", "say"])
def test_ctrl_c_saves_the_agent(callback: str, whole: Path, tmp_path: Path) -> None:
    said, called = list[str](), at_the_second_call()

    def say(line: str) -> None:
        said.append(line)
        if callback == "say":
            called()

    others = {"evaluated": called} if callback == "evaluated" else {}
    config = TrainConfig(**{**BOTH, "checkpoint_minutes": 1e6})
    with pytest.raises(KeyboardInterrupt):
        quiet_train(config, tmp_path, say=say, **others)
    decisions = int(read_checkpoint(tmp_path)["run.decisions"])
    assert said[-1] == f"saving the agent after {decisions:,} decisions in {tmp_path}"
    assert read_card(tmp_path)["decisions"] == decisions
    assert 0 < decisions < read_evaluations(tmp_path)[-1]["steps"]  # before the update that was evaluated
    assert isinstance(find_agent(str(tmp_path), GAME, GAME.options()), TrainedAgent)
    quiet_train(config, tmp_path, resume=True)
    assert end_of(tmp_path) == end_of(whole)


def test_ctrl_c_in_the_first_evaluation_of_all(run: Path, tmp_path: Path) -> None:
    config = TrainConfig(**TINY, total_steps=128, start_from=str(run))
    with pytest.raises(KeyboardInterrupt):
        quiet_train(config, tmp_path, evaluated=interrupt)
    assert int(read_checkpoint(tmp_path)["run.decisions"]) == 0
    quiet_train(config, tmp_path, resume=True)
    assert [point["steps"] for point in read_evaluations(tmp_path)] == [0, 128]


@pytest.mark.parametrize("ending", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM])
def test_what_ends_a_process_saves_the_agent(ending: signal.Signals, tmp_path: Path) -> None:
    settings = {**BOTH, "eval_every": 10**9, "games": 10**6}
    command = [sys.executable, "-m", "solitaire_training", "train", "--out", str(tmp_path)]
    command += [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
    in_background = ["sh", "-c", f"trap '' INT; exec {shlex.join(command)}"]  # as shells start them
    with subprocess.Popen(in_background, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        while not (tmp_path / CHECKPOINT).exists():
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(ending)
        said = process.communicate(timeout=60)[0]
    assert process.returncode == 130
    saved = re.search(r"saving the agent after ([\d,]+) decisions", said)
    assert saved
    assert int(read_checkpoint(tmp_path)["run.decisions"]) == int(saved[1].replace(",", ""))


def test_a_second_run_in_a_folder_is_told_who_is_there(tmp_path: Path) -> None:
    with (
        locked(tmp_path),
        pytest.raises(ValueError, match=f"to be free for writing, got it held by process {os.getpid()}"),
    ):
        quiet_train(TrainConfig(total_steps=256, **TINY), tmp_path)


def test_a_full_disk_leaves_the_old_agent(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Path(shutil.copytree(run, tmp_path / "run"))
    before = (run / WEIGHTS).read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("solitaire_agents.files.os.fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        quiet_train(TrainConfig(**TINY, total_steps=640), run, resume=True)
    assert str(caught.value.filename).startswith(str(run))
    assert (run / WEIGHTS).read_bytes() == before


# --- Where a run begins -----------------------------------------------------------------------------------------------


def test_ppo_begins_with_the_values_of_self_play_for_logits(tmp_path: Path) -> None:
    still = {"learning_rate": 0.0, "learning_rate_end": 0.0, "start_scale": 8.0, "total_steps": 128}
    quiet_train(TrainConfig(**{**BOTH, "algorithm": "self-play"}), tmp_path / "values")
    quiet_train(TrainConfig(**{**BOTH, **still}), tmp_path / "both")
    values, both = network_in(tmp_path / "values"), network_in(tmp_path / "both")
    assert np.array_equal(both.rows, values.rows)
    assert np.array_equal(both.last[VALUE], values.last[VALUE])
    assert np.array_equal(both.last[POLICY], 8 * values.last[VALUE])


def test_self_play_deals_training_deals_each_once_under_all_options(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[tuple[int, list[int], int]] = []
    play_games = self_play.play_games

    def noted(options: Any, choices: Any, network: Any, deals: Any, **others: Any) -> Any:
        assert choices.rules["passes"] == options.passes
        played.append((options.passes, deals.tolist(), others["seed"]))
        return play_games(options, choices, network, deals, **others)

    monkeypatch.setattr(self_play, "play_games", noted)
    monkeypatch.setattr(SelfPlay, "slice_size", 5)
    config = TrainConfig(**BOTH, option_sets=[{}, {"passes": 2}])
    learner = SelfPlay(config, random_network(pyramid_choices(GAME.options()).inputs, (8, 4), 0))
    learner.update()
    learner.update()
    assert len([games.result() for games in learner._under_way]) == 4  # the next ones
    deals = [deal for _, own, _ in played for deal in own]
    assert len(set(deals)) == len(deals) == 60
    assert min(deals) >= 2**63
    assert [passes for passes, _, _ in played].count(2) == 6
    assert len({seed for _, _, seed in played}) == 12
    assert (learner.progress, learner.total) == (40, 60)


def test_learning_rates_fall_to_their_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rates: list[float] = []
    step = Adam.step

    def noted(optimizer: Any, *arguments: Any, **named: Any) -> Any:
        rates.append(optimizer.param_groups[0]["lr"])
        return step(optimizer, *arguments, **named)

    monkeypatch.setattr(Adam, "step", noted)
    ends = {"self_play_learning_rate": 0.3, "self_play_learning_rate_end": 0.0}
    more = {"learning_rate": 0.04, "learning_rate_end": 0.01, "self_play_batch_size": 10**6}
    quiet_train(TrainConfig(**{**BOTH, **ends, **more}), tmp_path)
    assert rates[:3] == pytest.approx([0.3, 0.2, 0.1])
    assert rates[3:] == pytest.approx([0.03] * 2 + [0.02] * 2 + [0.01] * 2)  # SB3 sets it after a rollout


def test_a_gpu_that_is_not_there_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match=r"^expected device cpu, as PyTorch finds no GPU here; got cuda$"):
        quiet_train(TrainConfig(device="cuda"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_run_on_a_gpu_goes_on_on_the_processor_and_back(tmp_path: Path) -> None:
    settings = {**TINY, "total_steps": 256, "device": "cuda"}
    for place, device in enumerate(("cuda", "cpu", "cuda"), start=1):
        config = TrainConfig(**{**settings, "total_steps": 256 * place, "device": device})
        assert quiet_train(config, tmp_path, resume=place > 1) == 256 * place
    assert len(curve(tmp_path)) == 3


def test_a_series_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="expected an environment of single deals, got the series solitaire/PyramidPar"
    ):
        quiet_train(TrainConfig(**BOTH, env="solitaire/PyramidPar-v0"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_no_agent_is_trained_where_the_game_shows_too_little(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected information='memory' or 'open' for trained agents; got 'table'"):
        quiet_train(TrainConfig(**BOTH, option_sets=[{}, {"information": "table"}]), tmp_path / "run")
    assert not (tmp_path / "run").exists()
