"""Several runs by workers, whole or in legs."""

from pathlib import Path
from typing import Any

import pytest

from solitaire_agents.files import locked
from solitaire_agents.trained import WEIGHTS
from solitaire_evaluation.learning_curve import read_evaluations
from solitaire_evaluation.pool import ALONE, ThisMachine
from solitaire_training import parallel_runs
from solitaire_training.checkpoint_file import CHECKPOINT
from solitaire_training.commands.main import main
from solitaire_training.config import TrainConfig
from solitaire_training.parallel_runs import train_all
from solitaire_training.run import LOGS
from tests.training.learning.runs import TINY, quiet_train
from tests.training.learning.test_run import curve


class Elsewhere(ThisMachine):
    """This process, as if it did not see the runs' folders."""

    elsewhere = True


def runs(folder: Path, **changes: Any) -> dict[Path, TrainConfig]:
    settings = {**TINY, "total_steps": 384, "games": 40, "eval_every": 300, **changes}
    return {folder / f"seed-{seed}": TrainConfig(seed=seed, **settings) for seed in (1, 2)}


def ends(folder: Path) -> list[Any]:
    return [((run / WEIGHTS).read_bytes(), curve(run)) for run in sorted(folder.glob("seed-*"))]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    folder = tmp_path_factory.mktemp("alone")
    for run, config in runs(folder).items():
        quiet_train(config, run)
    return ends(folder)


def test_runs_end_as_if_trained_alone(tmp_path: Path, alone: list[Any], two_workers: ThisMachine) -> None:
    said: list[str] = []
    train_all(runs(tmp_path), two_workers, said.append)
    assert ends(tmp_path) == alone
    assert {line.partition(":")[0] for line in said} == {"seed-1", "seed-2"}


def test_so_do_runs_in_legs(tmp_path: Path, alone: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    legs_run: list[bool] = []

    def run_leg(leg: parallel_runs.Leg) -> parallel_runs.LegDone:
        done = whole(leg)
        legs_run.append(done.finished)
        return done

    whole = parallel_runs.run_leg
    monkeypatch.setattr(parallel_runs, "run_leg", run_leg)
    train_all(runs(tmp_path, checkpoint_minutes=0.0), Elsewhere(), lambda line: None)
    assert ends(tmp_path) == alone
    assert len(legs_run) > 4
    assert sum(legs_run) == 2
    assert len(list((tmp_path / "seed-1" / LOGS).glob("progress*.csv"))) == len(legs_run) / 2
    assert not list(tmp_path.rglob("*.partial"))


def test_a_run_goes_on_from_its_folder(tmp_path: Path, alone: list[Any]) -> None:
    class LostError(Exception):
        pass

    def lose(line: str) -> None:
        raise LostError

    with pytest.raises(LostError):
        train_all(runs(tmp_path, checkpoint_minutes=0.0), Elsewhere(), lose)
    assert (tmp_path / "seed-1" / CHECKPOINT).exists()
    train_all(runs(tmp_path), Elsewhere(), lambda line: None)
    assert ends(tmp_path) == alone


def test_a_run_may_be_given_up_after_an_evaluation(tmp_path: Path) -> None:
    train_all(runs(tmp_path), ALONE, lambda line: None, lambda folder: folder.name != "seed-2")
    first, second = (read_evaluations(tmp_path / f"seed-{seed}") for seed in (1, 2))
    assert (len(first), len(second)) == (3, 1)


def test_a_run_may_start_from_an_agent_that_only_this_process_sees(run: Path, tmp_path: Path) -> None:
    given = runs(tmp_path / "there", games=0, start_from=str(run))
    train_all(given, Elsewhere(), lambda line: None)
    for folder, config in runs(tmp_path / "here", games=0, start_from=str(run)).items():
        quiet_train(config, folder)
    assert ends(tmp_path / "there") == ends(tmp_path / "here")


def test_the_folders_are_held(tmp_path: Path) -> None:
    given = runs(tmp_path)
    (tmp_path / "seed-2").mkdir()
    with locked(tmp_path / "seed-2"), pytest.raises(ValueError, match="to be free for writing"):
        train_all(given, Elsewhere(), lambda line: None)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "runs"
    small = [f"--{name.replace('_', '-')}={value}" for name, value in TINY.items()]
    command = ["train", "--out", str(out), "--seeds", "3-4", "--jobs", "1", "--total-steps=128", *small]
    assert main(command) == 0
    assert f"2 runs done; compare them with --agents 'recipe={out}/seed-*'" in capsys.readouterr().out
    assert main(command) == 2
    assert "which holds a run: add --resume" in capsys.readouterr().err
    assert main(["train", "--out", str(out), "--seeds", "3-5", "--jobs", "1", "--resume", "--total-steps=256"]) == 0
    assert sorted(folder.name for folder in out.iterdir()) == ["seed-3", "seed-4", "seed-5"]
    for wrong, words in (("4-3", "expected 1 to 10,000 seeds"), ("1,2", "expected a whole number")):
        assert main(["train", "--out", str(out), "--seeds", wrong]) == 2
        assert words in capsys.readouterr().err
    assert main([*command, "--seed", "1"]) == 2
    assert "expected either --seed or --seeds, got both" in capsys.readouterr().err
