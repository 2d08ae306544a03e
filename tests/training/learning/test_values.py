"""Learning values by self-play: exact resuming, whatever threads play, and clear refusals."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from solitaire_agents.catalogue import find_agent
from solitaire_agents.files import locked
from solitaire_agents.trained import WEIGHTS, read_card
from solitaire_envs.tour_infernale import GAME, TourInfernaleOptions
from solitaire_training.commands.main import main
from solitaire_training.evaluation.learning_curve import read_evaluations
from solitaire_training.evaluation.play import play
from solitaire_training.learning import values
from solitaire_training.learning.checkpoint_file import CHECKPOINT
from solitaire_training.learning.config import ValuesConfig
from solitaire_training.learning.values import train_values

SHORT: dict[str, Any] = {"games": 60, "games_per_update": 20, "eval_every": 40, "eval_deals": 5}
ONE_PASS = TourInfernaleOptions(passes=1)


def quiet(config: ValuesConfig, folder: Path, **others: Any) -> None:
    train_values(config, folder, say=lambda line: None, **others)


def test_a_run_is_an_agent_with_a_curve(tmp_path: Path) -> None:
    quiet(ValuesConfig(**SHORT), tmp_path)
    assert len(play(find_agent(str(tmp_path), GAME, ONE_PASS), GAME, ONE_PASS, range(3)).outcomes) == 3
    assert [point["steps"] for point in read_evaluations(tmp_path)] == [40, 60]
    assert read_card(tmp_path)["games"] == 60


@pytest.mark.parametrize("call", [1, 2])
def test_a_killed_run_ends_like_one_left_alone(call: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = ValuesConfig(**SHORT, checkpoint_minutes=0)
    quiet(config, tmp_path / "whole")
    calls, update = [0], values._Run.update

    def killed(self: Any) -> None:
        if calls[0] == call:
            raise MemoryError
        calls[0] += 1
        update(self)

    with monkeypatch.context() as patch:
        patch.setattr(values._Run, "update", killed)
        with pytest.raises(MemoryError):
            quiet(config, tmp_path / "killed")
    quiet(config, tmp_path / "killed", resume=True)
    assert (tmp_path / "whole" / WEIGHTS).read_bytes() == (tmp_path / "killed" / WEIGHTS).read_bytes()
    assert (tmp_path / "whole" / CHECKPOINT).read_bytes() == (tmp_path / "killed" / CHECKPOINT).read_bytes()
    assert read_evaluations(tmp_path / "whole") == read_evaluations(tmp_path / "killed")


def test_threads_change_nothing_but_the_seed_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "SLICE", 7)
    for name, others in (("one", {}), ("two", {"threads": 2}), ("seed", {"seed": 1})):
        quiet(ValuesConfig(**{**SHORT, "games": 40, **others}), tmp_path / name)
    one, two, seed = ((tmp_path / name / WEIGHTS).read_bytes() for name in ("one", "two", "seed"))
    assert one == two != seed


def test_it_learns(tmp_path: Path) -> None:
    """After 600 games the values win what the values at the start do not."""
    for games, name in ((1, "start"), (600, "end")):
        settings = {"games": games, "games_per_update": 100, "eval_every": 10**6, "eval_deals": 1}
        quiet(ValuesConfig(**settings), tmp_path / name)
    won = [
        play(find_agent(str(tmp_path / name), GAME, ONE_PASS), GAME, ONE_PASS, range(1_000_000, 1_000_100))
        .column("won")
        .mean()
        for name in ("start", "end")
    ]
    assert won[1] > won[0] + 0.05


def test_training_deals_are_training_deals(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dealt: list[np.ndarray[Any, Any]] = []
    run = values._Run(ValuesConfig(**SHORT), values.self_play_of(ValuesConfig(**SHORT)), tmp_path)
    play_games = run.self_play.play

    def noted(options: Any, network: Any, deals: Any, *others: Any) -> Any:
        dealt.append(deals)
        return play_games(options, network, deals, *others)

    monkeypatch.setattr(run.self_play, "play", noted)
    run.update()
    run.update()
    deals = np.concatenate(dealt)
    assert len(set(deals.tolist())) == len(deals) == 60  # the next ones are under way
    assert deals.min() >= 2**63


def test_ctrl_c_saves_the_values(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "solitaire_training", "train-values", "--out", str(tmp_path)]
    arguments = ["--games=1000000", "--games-per-update=5", "--checkpoint-minutes=0"]
    with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        while not (tmp_path / CHECKPOINT).exists():
            assert process.poll() is None
            time.sleep(0.1)
        os.kill(process.pid, signal.SIGTERM)
        said = process.communicate(timeout=60)[0].decode()
    assert process.returncode == 130
    games = int(load_file(tmp_path / CHECKPOINT)["games"])
    assert f"interrupted: saving the values after {games:,} games in {tmp_path}" in said


def test_one_writer_and_no_run_over_another(tmp_path: Path) -> None:
    config = ValuesConfig(**{**SHORT, "games": 1})
    with locked(tmp_path), pytest.raises(ValueError, match="expected .* to be free for writing, got it held by"):
        quiet(config, tmp_path)
    quiet(config, tmp_path)
    with pytest.raises(ValueError, match=r"expected a new folder, got .*, which holds a run: add --resume"):
        quiet(config, tmp_path)
    (tmp_path / CHECKPOINT).write_bytes(b"damaged")
    with pytest.raises(ValueError, match="expected a run to resume in .*, got"):
        quiet(config, tmp_path, resume=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--env", "solitaire/PyramidPar-v0"],
            "expected a game with self-play, got pyramid_par",
        ),
        (["--env", "solitaire/TourInfernale-v0"], "expected passes=1, got None"),
        (["--env", "solitaire/TourInfernaleSprint-v0"], "expected a game with self-play"),
        (["--games", "0"], "expected games to be an integer of 1 or more, got 0"),
        (["--explore", "2"], "expected explore to be"),
        (
            ["--config", "pyramid-win"],
            "expected a recipe among pyramid-values-score, pyramid-values-win, tour-infernale-values, "
            "tour-infernale-values-five-piles, or a YAML file; got ",
        ),
        (["--resume"], "expected a policy's description at"),
    ],
)
def test_wrong_input(arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train-values", "--out", str(tmp_path / "run"), *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_run_of_another_kind_is_not_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quiet(ValuesConfig(**{**SHORT, "games": 1}), tmp_path)
    assert main(["train", "--out", str(tmp_path), "--resume"]) == 2
    assert "expected format 'solitaire-rl policy 2', got 'solitaire-rl values 1'" in capsys.readouterr().err
    assert main(["train-values", "--out", str(tmp_path), "--resume", "--td-lambda", "0.5"]) == 2
    assert "expected td_lambda 0.8, as in the run so far" in capsys.readouterr().err
