"""Several training runs at a time, by workers of this machine or of a cluster.

On this machine, a worker trains in the run's folder itself. On a cluster, a run is cut into legs of some minutes. For
each leg, a worker gets the files of the run, trains, and sends the files back. So this process has the files of every
run, and a lost machine costs one leg at most. Resuming is exact, so neither the legs nor the workers change a run.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from solitaire_agents.files import locked, write_whole
from solitaire_evaluation.folders import Files, read_folder, unpack, write_folder
from solitaire_evaluation.workers import Workers
from solitaire_training.checkpoint_file import CHECKPOINT
from solitaire_training.config import TrainConfig
from solitaire_training.run import LOGS, Paused, set_aside, train

CHECKPOINTS = 5
"""Length of a leg, in units of ``checkpoint_minutes``."""


@dataclass(frozen=True, kw_only=True)
class Leg:
    """A leg: a part of a run that one worker trains without a break."""

    folder: Path
    """The run's folder; on a cluster, only this process can see it."""
    config: TrainConfig
    files: Files | None
    """The files of the run so far; None if the worker can see the folder."""
    starts: Sequence[Files]
    """The files of the agents that the run starts from, for a worker that cannot see their folders."""
    one_evaluation: bool
    """Whether the leg ends after an evaluation."""


@dataclass(frozen=True, kw_only=True)
class LegDone:
    """The result of a leg."""

    folder: Path
    files: Files | None
    said: list[str]
    finished: bool
    """Whether the run is complete."""


def train_all(
    runs: Mapping[Path, TrainConfig],
    workers: Workers,
    say: Callable[[str], None],
    goes_on: Callable[[Path], bool] | None = None,
) -> None:
    """Trains or resumes several runs. Each ends as if it had been trained alone.

    Args:
        runs: Folder of a run -> its settings.
        workers: The workers that train.
        say: Called with a line of text at a time.
        goes_on: Called with a run's folder after each leg, which then ends after one evaluation at the latest; returns
            whether the run goes on. None: all runs go on.

    Raises:
        ValueError: As `train`.
    """
    with ExitStack() as holding:
        if workers.elsewhere:
            for folder in runs:
                folder.mkdir(parents=True, exist_ok=True)
                holding.enter_context(locked(folder))
        waiting = deque(_next_leg(folder, config, workers, goes_on is not None) for folder, config in runs.items())
        for done in workers.share(run_leg, waiting):
            folder = done.folder
            if done.files is not None:
                _store(folder, done.files)
            for line in done.said:
                say(f"{folder.name}: {line}")
            if goes_on and not goes_on(folder):
                continue
            if not done.finished:
                waiting.append(_next_leg(folder, runs[folder], workers, goes_on is not None))


def run_leg(leg: Leg) -> LegDone:
    """Trains a run until the leg or the run ends."""
    if leg.files is None:
        said: list[str] = []
        finished = _train(leg, leg.folder, said)
        return LegDone(folder=leg.folder, files=None, said=said, finished=finished)
    with TemporaryDirectory(prefix="solitaire-") as name:
        folder, said = Path(name), []
        write_folder(folder, leg.files)
        finished = _train(leg, folder, said, [unpack(files) for files in leg.starts])
        return LegDone(folder=leg.folder, files=_run_files(folder), said=said, finished=finished)


def _train(leg: Leg, folder: Path, said: list[str], starts: Sequence[Path] = ()) -> bool:
    """Trains until the leg or the run ends; returns whether the run has ended."""
    minutes = math.inf if leg.files is None else CHECKPOINTS * leg.config.checkpoint_minutes
    end, evaluations = time.monotonic() + 60 * minutes, list[int]()
    try:
        train(
            leg.config,
            folder,
            resume=(folder / CHECKPOINT).exists(),
            progress_bar=False,
            say=said.append,
            evaluated=lambda decisions, metrics: evaluations.append(decisions),
            pause=lambda: time.monotonic() >= end or (leg.one_evaluation and bool(evaluations)),
            starts=starts,
        )
    except Paused:
        return False
    return True


def _next_leg(folder: Path, config: TrainConfig, workers: Workers, one_evaluation: bool) -> Leg:
    return Leg(
        folder=folder,
        config=config,
        files=read_folder(folder) if workers.elsewhere else None,
        starts=_start_files(config) if workers.elsewhere else [],
        one_evaluation=one_evaluation,
    )


def _start_files(config: TrainConfig) -> list[Files]:
    """Returns the files of the agents that a run starts from, where each is in a folder."""
    folders = config.start_folders()
    return [read_folder(folder) for folder in folders] if all(folder.is_dir() for folder in folders) else []


def _run_files(folder: Path) -> Files:
    logs = folder / LOGS
    return {**read_folder(folder), **{f"{LOGS}/{name}": content for name, content in read_folder(logs).items()}}


def _store(folder: Path, files: Files) -> None:
    """Writes the files of a run, the checkpoint last, so that it never refers to missing files."""
    for name in sorted(files, key=lambda name: name == CHECKPOINT):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.parent.name == LOGS:
            set_aside(path)  # each leg begins new logs
        write_whole(path, files[name])
