"""A training run: a folder in which an agent is trained by self-play, masked PPO, or both, one after the other.

The folder holds ``agent.safetensors`` and ``agent.json`` (the agent), ``checkpoint.safetensors`` (from which
``--resume`` goes on), ``evaluations.jsonl`` (the learning curve on the validation deals, with intervals), and
``tensorboard/`` (logs).
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from stable_baselines3.common.logger import Logger, configure
from tqdm import tqdm

from solitaire_agents.catalogue import choices_of
from solitaire_agents.choices import Choices
from solitaire_agents.files import locked
from solitaire_agents.network import Network, join_networks, random_network, widths_of
from solitaire_agents.trained import read_network, write_trained
from solitaire_agents.trained_agent import AS_LEARNED, TrainedAgent
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.checks import short
from solitaire_evaluation.calibration import fit, told_and_won
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.learning_curve import EVALUATIONS, Metrics, append_evaluation
from solitaire_evaluation.play import play
from solitaire_evaluation.provenance import git_revision, versions
from solitaire_training.checkpoint_file import (
    CHECKPOINT,
    Tensors,
    check_alike,
    read_checkpoint,
    write_checkpoint,
)
from solitaire_training.config import TrainConfig
from solitaire_training.learner import Learner, network_of, scale_policy
from solitaire_training.ppo import PPO, check_device
from solitaire_training.self_play import SelfPlay

LOGS = "tensorboard"
SELF_PLAY, PPO_STAGE = 0, 1
"""The stages of a run, in order."""


class Paused(Exception):  # noqa: N818  # no error
    """The run has stopped, and can be resumed."""


def train(
    config: TrainConfig,
    folder: Path,
    *,
    resume: bool = False,
    progress_bar: bool = True,
    say: Callable[[str], None] = print,
    evaluated: Callable[[int, Metrics], None] = lambda decisions, metrics: None,
    pause: Callable[[], bool] = lambda: False,
    starts: Sequence[Path] = (),
) -> int:
    """Trains an agent and saves it, also when interrupted by Ctrl-C.

    A run that was interrupted or killed, and resumed, ends with the same weights and the same curve as one without a
    break, on the same kind of processor, with PPO in one thread. On a GPU, the order of sums varies, so two runs
    differ.

    Args:
        config: The settings. When a run is resumed, only those in `FREE` may differ from the run's.
        folder: The run's folder.
        resume: Whether to go on from the folder's checkpoint.
        progress_bar: Whether to show a progress bar.
        say: Called with lines of text on the progress.
        evaluated: Called after each evaluation with the number of decisions so far and the metrics.
        pause: Called before each update but the first. If it returns True, the run saves itself and stops.
        starts: Folders of the agents to start from, if they are not those named in the settings.

    Returns:
        The total number of decisions learned from.

    Raises:
        ValueError: Another process trains in the folder; it holds a run already, or none to resume; the game has no
            agents to train under these options, or is a series; the agent to start from does not fit; or there is no
            such device.
        KeyboardInterrupt: Ctrl-C, after the agent has been saved.
        Paused: `pause` returned True; the agent has been saved.
    """
    if config.game().base is not None:
        raise ValueError(f"expected an environment of single deals, got the series {config.env}: train for its game")
    choices = [choices_of(config.game(), options) for options in config.all_options()]
    check_device(config.device)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with locked(folder):
            if not resume and (folder / CHECKPOINT).exists():
                raise ValueError(
                    f"expected a new folder, got {folder}, which holds a run: add --resume, or choose another"
                )
            run = _Run(config, choices, folder, resume, say, evaluated, pause, starts)
            return run.go(progress_bar=progress_bar)
    except OSError as error:
        error.filename = error.filename or str(folder)  # errors of logs, for example, may name no file
        raise


def set_aside(path: Path) -> None:
    """Adds a number to a file's name, if the file exists, so that a new one does not replace it."""
    if path.exists():
        number = 1 + sum(1 for _ in path.parent.glob(f"{path.stem}-*{path.suffix}"))
        path.rename(path.with_stem(f"{path.stem}-{number}"))


class _Run:
    """A run in progress."""

    def __init__(
        self,
        config: TrainConfig,
        choices: Sequence[Choices],
        folder: Path,
        resume: bool,
        say: Callable[[str], None],
        evaluated: Callable[[int, Metrics], None],
        pause: Callable[[], bool],
        starts: Sequence[Path],
    ) -> None:
        self._config, self._folder, self._say, self._evaluated, self._pause = config, folder, say, evaluated, pause
        self._options = config.game_options()
        self._revision = git_revision()  # of the code that is running, which may change before the end
        self._all_choices, self._choices = choices, choices[0]
        self._calibration = [AS_LEARNED] * len(choices)
        network = self._first_network(starts)
        self._decisions_before = self._moves_before = 0
        self._seconds, self._evaluated_at = 0.0, -1
        self._saved: Tensors = {}
        saved = self._read_checkpoint() if resume else {}
        if not resume:
            set_aside(folder / EVALUATIONS)  # left by a run that was killed before its first checkpoint
        set_aside(folder / LOGS / "progress.csv")  # SB3 would overwrite it
        self._logger: Logger = configure(str(folder / LOGS), ["tensorboard", "csv"])
        first = SELF_PLAY if config.games > 0 else PPO_STAGE
        self._stage = int(saved["run.stage"]) if resume else first
        if self._stage != SELF_PLAY and config.start_from:
            network = scale_policy(network, config.start_scale)
        try:
            self._learner: Learner = (
                SelfPlay(config, network) if self._stage == SELF_PLAY else PPO(config, network, self._logger)
            )
            if resume:
                self._restore(saved)
        except BaseException:
            self._logger.close()
            raise
        self._written = -np.inf

    def _first_network(self, starts: Sequence[Path]) -> Network:
        """Returns the network that the run starts from: several agents are joined."""
        config, widths = self._config, (self._config.width, self._config.second_width)
        if not config.start_from:
            return random_network(self._choices.inputs, widths, config.seed)
        folders = starts or config.start_folders()
        network = join_networks([read_network(folder, config.game().root, self._choices) for folder in folders])
        if (expected := widths_of(network)) != widths:
            raise ValueError(f"expected width and second_width {expected}, as in {config.start_from}; got {widths}")
        return network

    def go(self, *, progress_bar: bool) -> int:
        """Runs to the end; returns the number of decisions."""
        begun = False
        try:
            self._mark()
            if self._evaluated_at < 0 and self._config.start_from:
                self._evaluate()
                self._mark()
            while True:
                with self._bar(progress_bar) as bar:
                    while self._learner.progress < self._learner.total:
                        if begun and self._pause():
                            self._write()
                            raise Paused
                        before, begun = self._learner.progress, True
                        self._update()
                        bar.update(self._learner.progress - before)
                if self._stage == PPO_STAGE or self._config.algorithm != "ppo":
                    break
                self._go_to_ppo()
            self._calibrate()
        except KeyboardInterrupt:
            self._say(f"saving the agent after {int(self._saved['run.decisions']):,} decisions in {self._folder}")
            self._write()
            raise
        finally:
            self._logger.close()
        self._write()
        return self._decisions

    @property
    def _decisions(self) -> int:
        return self._decisions_before + self._learner.decisions

    @property
    def _moves(self) -> int:
        return self._moves_before + self._learner.moves

    def _bar(self, shown: bool) -> "tqdm[None]":
        learner = self._learner
        return tqdm(total=learner.total, initial=learner.progress, unit=learner.unit, smoothing=0.05, disable=not shown)

    def _update(self) -> None:
        start = time.monotonic()
        for name, value in self._learner.update().items():
            self._logger.record(f"train/{name}", value)
        self._seconds += time.monotonic() - start
        if self._stage != PPO_STAGE:  # SB3 writes its own
            self._logger.dump(self._decisions)
        ended = self._learner.progress >= self._learner.total
        if ended or self._decisions - max(self._evaluated_at, 0) >= self._config.eval_every:
            self._evaluate()
        self._mark()

    def _go_to_ppo(self) -> None:
        """Ends self-play, and begins PPO."""
        network = network_of(self._learner.state())
        self._decisions_before, self._moves_before, self._stage = self._decisions, self._moves, PPO_STAGE
        self._learner = PPO(self._config, scale_policy(network, self._config.start_scale), self._logger)
        self._mark()

    def _evaluate(self) -> None:
        """Plays the validation deals, and appends the result to the learning curve."""
        config = self._config
        agent = TrainedAgent(self._choices, network_of(self._state()), "agent")
        deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + config.eval_deals, dtype=np.uint64)
        played = play(agent, config.game(), self._options, deals)
        self._evaluated_at = self._decisions
        metrics = append_evaluation(self._folder, self._decisions, self._seconds, played)
        for name, metric in metrics.items():
            self._logger.record(f"eval/{name}", metric["value"])
        won, score, moves = (metrics[name]["value"] for name in ("won", "score", "moves"))
        self._say(
            f"{self._decisions:>12,} decisions, {self._seconds / 60:5.1f} min: on validation deals "
            f"{won:6.1%} won, mean score {score:.2f}, {moves:.1f} moves"
        )
        self._evaluated(self._decisions, metrics)

    def _calibrate(self) -> None:
        """Fits the calibration under each option set: the agent's chances to win, to its results on training deals."""
        config, network = self._config, network_of(self._saved)
        deals = np.arange(FIRST_RANDOM_DEAL, FIRST_RANDOM_DEAL + config.eval_deals, dtype=np.uint64)
        for place, (options, choices) in enumerate(zip(config.all_options(), self._all_choices, strict=True)):
            if choices.chance:
                agent = TrainedAgent(choices, network, "agent")
                self._calibration[place] = fit(*told_and_won(agent, config.game(), options, deals))

    # --- What is on disk ----------------------------------------------------------------------------------------------

    def _state(self) -> Tensors:
        """Returns copies of everything that the rest of the run depends on.

        Raises:
            ValueError: The weights are no longer finite.
        """
        state = {
            "run.stage": torch.tensor(self._stage),
            "run.decisions": torch.tensor(self._decisions),
            "run.decisions_before": torch.tensor(self._decisions_before),
            "run.moves": torch.tensor(self._moves),
            "run.moves_before": torch.tensor(self._moves_before),
            "run.seconds": torch.tensor(self._seconds, dtype=torch.float64),
            "run.evaluated": torch.tensor(self._evaluated_at),
            **self._learner.state(),
        }
        if not all(np.isfinite(array).all() for array in network_of(state)):
            raise ValueError(
                f"expected finite weights, got others after {self._decisions:,} decisions: learn at a lower rate"
            )
        return state

    def _mark(self) -> None:
        """Keeps a copy of the state, and writes it if the last one on disk is older than ``checkpoint_minutes``."""
        self._saved = self._state()
        if time.monotonic() - self._written >= 60 * self._config.checkpoint_minutes:
            self._write()

    def _write(self) -> None:
        """Writes the agent and the checkpoint of the latest kept state; each file is replaced atomically."""
        config = self._config
        about = {
            "env": config.env,
            "hyperparameters": config.to_json(),
            "decisions": int(self._saved["run.decisions"]),
            "moves": int(self._saved["run.moves"]),
            "minutes": round(float(self._saved["run.seconds"]) / 60, 2),
            "versions": versions(),
            "git_revision": self._revision,
        }
        network = network_of(self._saved)
        rules = [choices.rules for choices in self._all_choices]
        write_trained(self._folder, config.game(), self._options, rules, self._calibration, about, network)
        write_checkpoint(self._folder, self._saved)
        self._written = time.monotonic()

    def _read_checkpoint(self) -> Tensors:
        """Returns the folder's checkpoint.

        Raises:
            ValueError: There is none, it is damaged, or this run has no such stage.
        """
        try:
            saved = read_checkpoint(self._folder)
        except (OSError, SafetensorError, ValueError, KeyError, RuntimeError) as error:  # or dtypes unknown to torch
            raise ValueError(f"expected a run to resume in {self._folder}, got: {short(str(error))}") from None
        stage: object = saved["run.stage"].tolist() if "run.stage" in saved else None
        known = (SELF_PLAY, PPO_STAGE) if self._config.algorithm == "ppo" else (SELF_PLAY,)
        if stage not in known:  # self-play is known even if no games are asked for: it may have to end at once
            raise ValueError(f"expected a run to resume in {self._folder}, got stage {short(stage)}")
        return saved

    def _restore(self, saved: Tensors) -> None:
        try:
            check_alike(self._state(), saved)
            self._learner.restore(saved)
            self._decisions_before, self._moves_before = (
                int(saved[f"run.{name}_before"]) for name in ("decisions", "moves")
            )
            self._seconds, self._evaluated_at = float(saved["run.seconds"]), int(saved["run.evaluated"])
            self._state()
        except (ValueError, RuntimeError) as error:
            raise ValueError(f"expected a run to resume in {self._folder}, got: {short(str(error))}") from None
