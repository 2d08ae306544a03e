"""Searches for good settings of a training run with Optuna, on validation deals only.

A study is a folder: ``study.log`` (Optuna's journal, from which an interrupted search resumes) and a run's folder for
each trial. A trial is given up if its best evaluation so far is worse than the median of the others after the same
number of evaluations. A killed search resumes within its current trial, and finds the same best settings as one that
ran without a break.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import optuna
from optuna.samplers import TPESampler
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import BaseTrial, FrozenTrial, TrialState

from solitaire_agents.files import locked
from solitaire_evaluation.learning_curve import Metrics, read_evaluations
from solitaire_evaluation.pool import ALONE
from solitaire_evaluation.workers import Workers
from solitaire_training.checkpoint_file import CHECKPOINT
from solitaire_training.config import TrainConfig, check_settings, resumed_settings
from solitaire_training.parallel_runs import train_all
from solitaire_training.run import train
from solitaire_training.search_space import SPACE, check_search

JOURNAL = "study.log"
FIRST_TRIALS = 4
"""Number of first trials, which are never given up. All but the very first have random settings."""


def tune(
    config: TrainConfig,
    settings: Sequence[str],
    trials: int,
    folder: Path,
    *,
    goal: str = "",
    batch: int = 1,
    workers: Workers = ALONE,
    say: Callable[[str], None] = print,
) -> TrainConfig:
    """Trains with different settings; returns the best of them.

    Args:
        config: The settings of the first trial. The other trials keep those that are not searched.
        settings: Names of settings in `SPACE` to search. The end of a rate changes in proportion to its start.
        trials: Total number of trials, including those already in the folder.
        folder: The study's folder.
        goal: Field of the outcome whose mean in the last evaluation is maximised, or minimised if a minus precedes it;
            empty: the field that players maximise under the options.
        batch: Trials in a batch. Their settings, and which of them are given up, depend only on the results of earlier
            batches. So the study depends on this number, but not on the workers.
        workers: The workers that train the trials of a batch.
        say: Called with a line of text for each trial.

    Returns:
        The settings of the best trial.

    Raises:
        ValueError: An argument is out of range, the folder holds another study, or as `train`.
        KeyboardInterrupt: Ctrl-C. Another call resumes the search.
    """
    goal = check_search(config, settings, trials, goal)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with locked(folder):
            study = _open_study(config, settings, goal, batch, folder)
            while (first := len(_ended(study))) < trials:
                numbers = range(first, min(first - first % batch + batch, trials))
                tried = [_Trial(study, number, config, settings, goal) for number in numbers]
                runs = {folder / f"trial-{one.number:03}": one for one in tried}
                for line in _run_batch(study, runs, workers) if batch > 1 else _run_alone(study, runs):
                    say(line)
    except OSError as error:
        error.filename = error.filename or str(folder)  # Optuna's errors name no file
        raise
    ended = _ended(study)
    best = ended.index(study.best_trial)
    say(f"best of {trials}: trial {best}, {goal} {ended[best].value:.4g}")
    return _choose(ended[best], config, settings)


def _ended(study: optuna.Study) -> list[FrozenTrial]:
    return [trial for trial in study.trials if trial.state in (TrialState.COMPLETE, TrialState.PRUNED)]


def _open_study(config: TrainConfig, settings: Sequence[str], goal: str, batch: int, folder: Path) -> optuna.Study:
    study = _read_study(folder / JOURNAL, "minimize" if goal.startswith("-") else "maximize")
    about = {
        **config.fixed(),
        "total_steps": config.total_steps,
        "games": config.games,
        "search": list(settings),
        "goal": goal,
    }
    about |= {"batch": batch} if batch > 1 else {}
    if not study.trials:
        for name, content in about.items():
            study.set_user_attr(name, content)
        study.enqueue_trial({name: getattr(config, name) for name in settings})
    check_settings(study.user_attrs, about, f"the study in {folder} so far")
    _repeat_interrupted(study)
    return study


def _read_study(journal: Path, direction: Literal["minimize", "maximize"]) -> optuna.Study:
    # What a killed search may leave: Optuna's lock, and half a line. No other one writes, for the folder is locked.
    journal.with_name(f"{JOURNAL}.lock").unlink(missing_ok=True)
    if journal.exists():
        os.truncate(journal, journal.read_bytes().rfind(b"\n") + 1)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        return optuna.create_study(
            storage=JournalStorage(JournalFileBackend(str(journal))),
            study_name="study",
            direction=direction,
            pruner=optuna.pruners.MedianPruner(n_startup_trials=FIRST_TRIALS),
            load_if_exists=True,
        )
    except OSError:
        raise
    except Exception as error:  # Optuna trusts its journal: a malformed line may raise any error
        raise ValueError(
            f"expected Optuna's journal at {journal}, got: {type(error).__name__}: {error!s:.200}"
        ) from None


def _repeat_interrupted(study: optuna.Study) -> None:
    """Ends interrupted trials, so that they are repeated: enqueues fixed settings; the sampler repeats all others."""
    for trial in study.trials:
        if trial.state == TrialState.RUNNING:
            if "fixed_params" in trial.system_attrs:
                study.enqueue_trial(trial.system_attrs["fixed_params"])
            study.tell(trial.number, state=TrialState.FAIL)


class _Trial:
    """A trial, and the results of its evaluations so far."""

    def __init__(
        self, study: optuna.Study, number: int, config: TrainConfig, settings: Sequence[str], goal: str
    ) -> None:
        study.sampler = TPESampler(
            seed=config.seed + number, n_startup_trials=FIRST_TRIALS
        )  # a repeated trial gets the same settings
        self.number, self.trial, self._goal = number, study.ask(), goal
        self.config = _choose(self.trial, config, settings)
        self.found: dict[int, float] = {}

    def report(self, steps: int, metrics: Metrics) -> None:
        """Reports an evaluation to Optuna.

        Raises:
            TrialPruned: The trial is given up.
        """
        if steps not in self.found:  # a resumed run may repeat an evaluation
            self.found[steps] = metrics[self._goal.removeprefix("-")]["value"]
            self.trial.report(self.found[steps], len(self.found))
            if self.trial.should_prune():
                raise optuna.TrialPruned

    def report_all(self, run: Path) -> None:
        """Reports the evaluations in a run's folder, if it holds a run.

        Raises:
            TrialPruned: The trial is given up.
            ValueError: The folder holds a run with other settings.
        """
        if (run / CHECKPOINT).exists():
            check_settings(resumed_settings(run).fixed(), self.config.fixed(), f"the trial in {run} so far")
            for point in read_evaluations(run):
                self.report(point["steps"], point["metrics"])

    def tell(self, study: optuna.Study, *, given_up: bool) -> str:
        """Ends the trial; returns a line of text about it."""
        if given_up:
            study.tell(self.trial, state=TrialState.PRUNED)
        else:
            study.tell(self.trial, self.found[max(self.found)])
        values = ", ".join(f"{value:.4g}" for value in self.found.values())
        asked = ", ".join(f"{name} {setting:.4g}" for name, setting in self.trial.params.items())
        return f"trial {self.number}: {self._goal} {values}{', given up' * given_up}, with {asked}"


def _run_alone(study: optuna.Study, batch: Mapping[Path, _Trial]) -> Iterator[str]:
    """Trains in this process, or resumes an interrupted trial; yields a line of text about each."""
    for run, tried in batch.items():
        resume, given_up = (run / CHECKPOINT).exists(), False
        try:
            tried.report_all(run)
            train(tried.config, run, resume=resume, say=lambda line: None, progress_bar=False, evaluated=tried.report)
        except optuna.TrialPruned:
            given_up = True
        except ValueError:
            study.tell(tried.trial, state=TrialState.FAIL)
            raise
        yield tried.tell(study, given_up=given_up)


def _run_batch(study: optuna.Study, batch: Mapping[Path, _Trial], workers: Workers) -> Iterator[str]:
    """Trains several trials at a time. None is compared with another of its batch, so their order does not matter."""
    given_up: set[Path] = set()

    def goes_on(run: Path) -> bool:
        try:
            batch[run].report_all(run)
        except optuna.TrialPruned:
            given_up.add(run)
        return run not in given_up

    runs = {run: tried.config for run, tried in batch.items() if goes_on(run)}
    train_all(runs, workers, lambda line: None, goes_on)
    for run, tried in batch.items():
        yield tried.tell(study, given_up=run in given_up)


def _choose(trial: BaseTrial, config: TrainConfig, settings: Sequence[str]) -> TrainConfig:
    chosen: dict[str, Any] = {}
    for name in settings:
        space, own = SPACE[name], getattr(config, name)
        if isinstance(space, tuple):
            chosen[name] = trial.suggest_float(name, min(own, space[0]), max(own, space[1]), log=True)
        else:
            chosen[name] = trial.suggest_categorical(name, sorted({own, *space}))
    ends = {f"{name}_end": chosen[name] / getattr(config, name) for name in chosen if hasattr(config, f"{name}_end")}
    return replace(config, **chosen, **{name: getattr(config, name) * ratio for name, ratio in ends.items()})
