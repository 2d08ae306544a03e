"""Fits a masked PPO agent: sb3-contrib's MaskablePPO over the native batched engine.

A run is a folder: ``policy.safetensors`` and ``policy.json`` (the policy, an agent by itself),
``checkpoint.safetensors`` (where ``--resume`` goes on), ``evaluations.jsonl`` (the learning curve on the validation
deals, with intervals), ``tensorboard/`` (logs, each metric explained in docs/training.md).
"""

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

import torch
from stable_baselines3.common.logger import configure
from tqdm import TqdmExperimentalWarning

from solitaire_agents.catalogue import find_agent
from solitaire_agents.files import locked
from solitaire_training.evaluation.learning_curve import EVALUATIONS, Metrics, append_evaluation
from solitaire_training.evaluation.play import Played
from solitaire_training.evaluation.workers import ALONE, Workers
from solitaire_training.learning.checkpoint import Checkpoints, load_checkpoint
from solitaire_training.learning.checkpoint_file import CHECKPOINT
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.eval_callback import EvalCallback
from solitaire_training.learning.imitate import imitate
from solitaire_training.learning.model import TaughtPPO, build_model, copy_weights
from solitaire_training.learning.slices import slices_by
from solitaire_training.provenance import git_revision

LOGS = "tensorboard"


def train(
    config: TrainConfig,
    folder: Path,
    *,
    resume: bool = False,
    progress_bar: bool = True,
    say: Callable[[str], None] = print,
    evaluated: Callable[[int, Metrics], None] = lambda steps, metrics: None,
    pause: Callable[[], bool] = lambda: False,
    places: Mapping[str, str] = MappingProxyType({}),
    workers: Workers = ALONE,
) -> int:
    """Trains a policy and saves it, also when interrupted by Ctrl-C.

    A run that was interrupted or killed, and resumed, ends with the same weights and the same curve as one that was
    left alone, if it is computed on the same machine in one thread.

    Args:
        config: The settings; on resuming, those of the run so far, but for those that are free to change.
        folder: The run's folder.
        resume: Goes on from the folder's checkpoint.
        progress_bar: Whether to show one.
        say: Called with a line of text at a time on what is going on.
        evaluated: Called after each evaluation with the number of steps of PPO and the metrics.
        pause: Called wherever the run could be resumed: whether to stop there.
        places: Where a policy is that the settings name, if not there.
        workers: Who plays the slices of a warm start, if there are several; the run does not depend on it.

    Returns:
        The number of steps of PPO done in all.

    Raises:
        ValueError: Another process trains in the folder; it holds a run already, or none to resume; the teacher or the
            policy to start from is unknown or does not fit; or the device is missing.
        KeyboardInterrupt: Ctrl-C, after the policy has been saved.
        Paused: `pause` has said so, after the policy has been saved.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with locked(folder):
            return _train(config, folder, resume, progress_bar, say, evaluated, pause, places, workers)
    except OSError as error:
        error.filename = error.filename or str(folder)  # a log's, say
        raise


def _train(
    config: TrainConfig,
    folder: Path,
    resume: bool,
    progress_bar: bool,
    say: Callable[[str], None],
    evaluated: Callable[[int, Metrics], None],
    pause: Callable[[], bool],
    places: Mapping[str, str],
    workers: Workers,
) -> int:
    if not resume and (folder / CHECKPOINT).exists():
        raise ValueError(f"expected a new folder, got {folder}, which holds a run: add --resume, or choose another")
    torch.set_num_threads(config.threads)
    torch.distributions.Distribution.set_default_validate_args(False)  # 8-10 % of the update's time
    place = places.get(config.teacher, config.teacher)
    teacher = find_agent(place, config.game(), config.game_options()) if place else None
    model = build_model(config, teacher)
    if resume:
        load_checkpoint(folder, model)
    else:
        set_aside(folder / EVALUATIONS)  # of a run that died before its first checkpoint
    set_aside(folder / LOGS / "progress.csv")  # SB3 would begin it anew
    model.set_logger(configure(str(folder / LOGS), ["tensorboard", "csv"]))
    checkpoints = Checkpoints(
        folder, model, config, git_revision(), pause
    )  # the code's revision now, not when it has ended
    callback = EvalCallback(config, checkpoints.mark, partial(_report, folder, say, evaluated))
    try:
        if not resume and config.start_from:
            copy_weights(places.get(config.start_from, config.start_from), model, config)
        if config.teacher and not model.learning:
            play = slices_by(workers, model, config, place) if config.teacher_slices > 1 else None
            imitate(model, config, say, checkpoints.mark, play)
        if teacher and teacher.worth == 0:
            model.env.referee = None  # it would only name moves
        _learn(model, config, callback, progress_bar=progress_bar)
    except KeyboardInterrupt:
        say(f"interrupted: saving the policy after {checkpoints.steps:,} steps in {folder}")
        checkpoints.write()
        raise
    finally:
        model.logger.close()
    checkpoints.write()
    return int(model.num_timesteps)


def set_aside(path: Path) -> None:
    """Gives a file a number, if it is there, so that a new one does not take its place."""
    if path.exists():
        number = 1 + sum(1 for _ in path.parent.glob(f"{path.stem}-*{path.suffix}"))
        path.rename(path.with_stem(f"{path.stem}-{number}"))


def _learn(model: TaughtPPO, config: TrainConfig, callback: EvalCallback, *, progress_bar: bool) -> None:
    left = config.total_steps - model.num_timesteps  # SB3 adds what is done already
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmExperimentalWarning)  # SB3's progress bar is tqdm's rich one
        model.learn(left, callback=callback, progress_bar=progress_bar, reset_num_timesteps=not model.learning)


def _report(
    folder: Path, say: Callable[[str], None], evaluated: Callable[[int, Metrics], None], steps: int, played: Played
) -> None:
    """Adds an evaluation to the learning curve and reports it."""
    metrics = append_evaluation(folder, steps, played)
    score, won, moves = (played.column(name).mean() for name in ("score", "won", "moves"))
    say(f"{steps:>12,} steps: on validation deals {won:6.1%} won, mean score {score:.2f}, {moves:.1f} moves")
    evaluated(steps, metrics)
