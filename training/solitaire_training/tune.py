"""Searches for good settings of a training run with Optuna, on validation deals only.

A study is a folder: ``study.log`` (Optuna's journal; a search that was interrupted goes on from it) and a run's folder
for each trial. A trial that falls behind the median of the others after as many evaluations is given up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import Trial, TrialState

from solitaire_training.config import TrainConfig
from solitaire_training.train import Figures, train

SPACE: Mapping[str, tuple[float, float] | Sequence[int | float]] = {
    "learning_rate": (5e-5, 2e-3),
    "entropy": (3e-4, 3e-2),
    "teacher_learning_rate": (2e-4, 4e-3),
    "batch_size": [512, 1_024, 2_048, 4_096],
    "epochs": [1, 2, 3, 4],
    "num_envs": [256, 512, 1_024],
    "rollout_steps": [32, 64, 128],
    "clip_range": [0.1, 0.15, 0.2, 0.3],
    "gae_lambda": [0.9, 0.95, 0.98, 1.0],
    "value_weight": [0.25, 0.5, 1.0],
}
"""Setting -> its lowest and highest value, searched by their logarithm; or a list of what to choose from."""
KEPT = 4
"""Trials that are played to their ends before any is given up."""


def tune(
    config: TrainConfig,
    settings: Sequence[str],
    trials: int,
    folder: Path,
    *,
    say: Callable[[str], None] = print,
    progress_bar: bool = True,
) -> TrainConfig:
    """Trains again and again with other settings, and says which were best.

    Args:
        config: What all trials have in common, seed and validation deals included. The first trial is this itself.
        settings: Names of what to search, of `SPACE`; the learning rate's end goes down with its start.
        trials: Number of trials in all; those that the folder holds count.
        folder: The study's folder.
        say: Told of each trial, a line at a time.
        progress_bar: Whether to show one for each trial.

    Returns:
        The settings of the best trial.

    Raises:
        ValueError: A name is not in `SPACE` or there twice, no trials are asked for, or the folder holds another study.
        KeyboardInterrupt: Ctrl-C; called again, the search goes on.
    """
    if trials < 1 or not settings or len(set(settings)) < len(settings) or not set(settings) <= SPACE.keys():
        known = ", ".join(SPACE)
        raise ValueError(f"expected trials, and settings among {known}, each once; got {trials}, {', '.join(settings)}")
    goal = "won" if getattr(config.game_options(), "objective", "win") == "win" else "score"
    study = _open_study(config, settings, folder)
    while sum(trial.state in (TrialState.COMPLETE, TrialState.PRUNED) for trial in study.trials) < trials:
        trial = study.ask()
        chosen, run = _choose(trial, config, settings), folder / f"trial-{trial.number:03}"
        found: list[float] = []

        def judge(figures: Figures, trial: Trial = trial, found: list[float] = found) -> None:
            found.append(figures[goal]["value"])
            trial.report(found[-1], len(found))
            if trial.should_prune():
                raise optuna.TrialPruned

        try:
            train(chosen, run, say=lambda line: None, progress_bar=progress_bar, evaluated=judge)
            study.tell(trial, found[-1])
            end = ""
        except optuna.TrialPruned:
            study.tell(trial, state=TrialState.PRUNED)
            end = ", given up"
        asked = ", ".join(f"{name} {setting:.3g}" for name, setting in trial.params.items())
        say(f"trial {trial.number}: {goal} {', '.join(f'{value:.4g}' for value in found)}{end}, with {asked}")
    best = study.best_trial
    say(f"best of {trials}: trial {best.number}, {goal} {best.value:.4g}")
    return _with(config, best.params)


def _open_study(config: TrainConfig, settings: Sequence[str], folder: Path) -> optuna.Study:
    folder.mkdir(parents=True, exist_ok=True)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        storage=JournalStorage(JournalFileBackend(str(folder / "study.log"))),
        study_name="study",
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=config.seed, n_startup_trials=KEPT),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=KEPT),
        load_if_exists=True,
    )
    about = {"config": config.to_json(), "settings": list(settings)}
    if not study.trials:
        for name, content in about.items():
            study.set_user_attr(name, content)
        study.enqueue_trial({name: getattr(config, name) for name in settings})
    elif study.user_attrs != about:
        raise ValueError(f"expected a new folder, got {folder}, which holds a study of other settings")
    for trial in study.trials:
        if trial.state == TrialState.RUNNING:  # interrupted: once more, from its start
            study.tell(trial.number, state=TrialState.FAIL)
            study.enqueue_trial(trial.params)
    return study


def _choose(trial: Trial, config: TrainConfig, settings: Sequence[str]) -> TrainConfig:
    chosen: dict[str, Any] = {}
    for name in settings:
        space, own = SPACE[name], getattr(config, name)
        if isinstance(space, tuple):
            chosen[name] = trial.suggest_float(name, min(own, space[0]), max(own, space[1]), log=True)
        else:
            chosen[name] = trial.suggest_categorical(name, sorted({own, *space}))
    return _with(config, chosen)


def _with(config: TrainConfig, chosen: Mapping[str, Any]) -> TrainConfig:
    rate = chosen.get("learning_rate", config.learning_rate)
    end = config.learning_rate_end * rate / config.learning_rate
    return replace(config, **{**chosen, "learning_rate_end": end})
