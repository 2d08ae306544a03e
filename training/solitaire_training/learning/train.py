"""Fits a masked PPO agent: sb3-contrib's MaskablePPO over the native batched engine.

A run is a folder: ``policy.safetensors`` and ``policy.json`` (the policy, an agent by itself),
``checkpoint.safetensors`` (where ``--resume`` goes on), ``evaluations.jsonl`` (the learning curve on the validation
deals, with intervals), ``tensorboard/`` (logs, each metric explained in docs/training.md).
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from safetensors.torch import save as to_bytes
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import get_device
from torch import Tensor
from tqdm import TqdmExperimentalWarning

from solitaire_agents.catalogue import find_agent, kit_of
from solitaire_agents.files import write_whole
from solitaire_agents.policy import SHIPPED, PolicyAgent, load_policy, read_card, save_policy
from solitaire_training.evaluation.deals import VALIDATION_DEALS
from solitaire_training.evaluation.learning_curve import Metrics, append_evaluation
from solitaire_training.evaluation.play import play
from solitaire_training.learning.config import TrainConfig, load_config
from solitaire_training.learning.imitate import TaughtPPO, imitate
from solitaire_training.learning.sb3_policy import NetworkPolicy
from solitaire_training.learning.sb3_vec_env import SolitaireVecEnv
from solitaire_training.provenance import git_revision, versions

CHECKPOINT = "checkpoint.safetensors"
FREE_SETTINGS = ("total_steps", "threads", "device", "precision")
"""What may change when a run goes on."""


def train(
    config: TrainConfig,
    folder: Path,
    *,
    resume: bool = False,
    progress_bar: bool = True,
    say: Callable[[str], None] = print,
    evaluated: Callable[[Metrics], None] = lambda metrics: None,
) -> int:
    """Trains a policy and saves it, also when interrupted by Ctrl-C.

    Args:
        config: The settings; on resuming, those of the run so far, but for ``total_steps``.
        folder: The run's folder.
        resume: Goes on from the folder's checkpoint.
        progress_bar: Whether to show one.
        say: Told what is going on, a line at a time.
        evaluated: Called with the metrics of each evaluation.

    Returns:
        The number of environment steps done in all.

    Raises:
        ValueError: The folder holds a run already, or none to resume; the teacher or the policy to start from is
            unknown or does not fit; or the device is missing.
        KeyboardInterrupt: Ctrl-C, after the policy has been saved.
    """
    if not resume and (folder / CHECKPOINT).exists():
        raise ValueError(f"expected a new folder, got {folder}, which holds a run: add --resume, or choose another")
    torch.set_num_threads(config.threads)
    torch.distributions.Distribution.set_default_validate_args(False)  # 8-10 % of the update's time
    model = build_model(config)
    if resume:
        _load_checkpoint(folder, model, config)
    model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard", "csv"]))
    save = partial(save_run, folder, model, config, git_revision())  # the code's revision now, not when it has ended
    watch = _Watch(config, folder, say, save, evaluated)
    try:
        if not resume:
            _start_from(model, config)
        if config.teacher and not model.num_timesteps:
            teacher = find_agent(config.teacher, config.game(), config.game_options())
            imitate(model, teacher, config, say, save)
        left = config.total_steps - model.num_timesteps  # SB3 adds what is done already
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TqdmExperimentalWarning)  # SB3's progress bar is tqdm's rich one
            model.learn(left, callback=watch, progress_bar=progress_bar, reset_num_timesteps=not resume)
    except KeyboardInterrupt:
        say(f"interrupted: saving the policy after {model.num_timesteps:,} steps in {folder}")
        save()
        raise
    finally:
        model.logger.close()
    save()
    return int(model.num_timesteps)


def build_model(config: TrainConfig) -> TaughtPPO:
    """Returns an untrained model over its environments."""
    env = SolitaireVecEnv(
        config.game(),
        config.game_options(),
        config.num_envs,
        reward_scale=config.reward_scale,
        truncation_ends=config.discount == 1,
    )
    if config.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("expected a GPU for device 'cuda', got none: choose 'cpu' or 'auto'")
    start, end = config.learning_rate, config.learning_rate_end
    return TaughtPPO(
        NetworkPolicy,
        env,
        seed=config.seed,
        n_steps=config.rollout_steps,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        learning_rate=lambda remaining: end + (start - end) * max(0.0, remaining),  # a last rollout may overshoot
        clip_range=config.clip_range,
        ent_coef=config.entropy,
        vf_coef=config.value_weight,
        max_grad_norm=config.max_grad_norm,
        gamma=config.discount,
        gae_lambda=config.gae_lambda,
        policy_kwargs={"game": config.game(), "network": config.network(), "bfloat16": _bfloat16(config)},
        device=config.device,
    )


def _bfloat16(config: TrainConfig) -> bool:
    """Returns whether to multiply in bfloat16: faster where the hardware can, and changes little else."""
    if config.precision != "auto":
        return config.precision == "bfloat16"
    if get_device(config.device).type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return bool(torch.cpu.get_capabilities().get("amx_bf16", False))


def _start_from(model: TaughtPPO, config: TrainConfig) -> None:
    """Takes the weights of another policy, where the configuration says so."""
    if config.start_from:
        shipped = SHIPPED / config.start_from
        folder = shipped if shipped.is_dir() else Path(config.start_from)
        network = load_policy(folder, kit_of(config.game()), int(model.action_space.n)).network
        if network.config != config.network():
            raise ValueError(f"expected a policy of {config.network()} to start from, got one of {network.config}")
        model.policy.network.load_state_dict(network.state_dict())


class _Watch(BaseCallback):
    """Evaluates and saves now and then, between a rollout and its update."""

    def __init__(
        self,
        config: TrainConfig,
        folder: Path,
        say: Callable[[str], None],
        save: Callable[[], None],
        evaluated: Callable[[Metrics], None],
    ) -> None:
        super().__init__()
        self._config, self._folder, self._say, self._save, self._tell = config, folder, say, save, evaluated
        self._deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + config.eval_deals, dtype=np.uint64)

    def _on_training_start(self) -> None:
        self._evaluated = self._saved = self.num_timesteps
        if not self.num_timesteps and (self._config.teacher or self._config.start_from):
            self._evaluate()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        if self.num_timesteps - self._saved >= self._config.checkpoint_every:
            self._saved = self.num_timesteps
            self._save()
        due = self.num_timesteps - self._evaluated >= self._config.eval_every
        if due and self.num_timesteps < self._config.total_steps:  # at the end, after the last update
            self._evaluated = self.num_timesteps
            self._evaluate()

    def _on_training_end(self) -> None:
        if self._evaluated < self.num_timesteps:
            self._evaluate()

    def _evaluate(self) -> None:
        policy = cast("NetworkPolicy", self.model.policy)
        agent = PolicyAgent(policy.network, "policy", self._config.eval_actions)
        played = play(agent, self._config.game(), self._config.game_options(), self._deals)
        for name in played.outcomes.dtype.names:
            self.logger.record(f"eval/{name}", float(played.column(name).mean()))
        metrics = append_evaluation(self._folder, self.num_timesteps, played)
        score, won, moves = (played.column(name).mean() for name in ("score", "won", "moves"))
        told = f"{won:6.1%} won, mean score {score:.2f}, {moves:.1f} moves"
        self._say(f"{self.num_timesteps:>12,} steps: on validation deals {told}")
        self._tell(metrics)


def save_run(folder: Path, model: TaughtPPO, config: TrainConfig, revision: str | None) -> None:
    """Writes the policy, and a checkpoint in one file, so that weights, optimiser and steps are of one moment."""
    about = {
        "env": config.env,
        "steps": int(model.num_timesteps),
        "hyperparameters": config.to_json(),
        "computed": {"device": model.device.type, "precision": "bfloat16" if _bfloat16(config) else "float32"},
        "versions": versions(),
        "git_revision": revision,
    }
    save_policy(folder, model.policy.network, config.game(), config.game_options(), about)
    slots = model.policy.optimizer.state_dict()["state"]
    tensors = {
        "steps": torch.tensor(model.num_timesteps),
        "taught": torch.tensor(model.taught),
        "updates": torch.tensor(model._n_updates),
        **{f"network.{name}": tensor for name, tensor in model.policy.network.state_dict().items()},
        **{f"optimizer.{key}.{name}": tensor for key, named in slots.items() for name, tensor in named.items()},
    }
    write_whole(folder / CHECKPOINT, to_bytes({name: tensor.contiguous() for name, tensor in tensors.items()}))


def resumed_config(folder: Path) -> TrainConfig:
    """Returns the settings of the run in a folder.

    Raises:
        ValueError: The folder holds no run, or its description is damaged.
    """
    card = read_card(folder)
    try:
        return TrainConfig(**card["hyperparameters"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"{folder}: expected the hyperparameters of a run of this version, got: {error}") from None


def change_on_resume(config: TrainConfig, file: Path | None, overrides: Mapping[str, Any]) -> TrainConfig:
    """Returns the settings to resume a run with.

    Raises:
        ValueError: A setting differs from the run's, other than the number of steps and how they are computed.
    """
    asked = load_config(file, overrides) if file else replace(config, **overrides)
    for name, value in config.to_json().items():
        got = getattr(asked, name)
        if name not in FREE_SETTINGS and value != got:
            raise ValueError(f"expected {name} {value!r}, as in the run so far, with --resume; got {got!r}")
    return asked


def _load_checkpoint(folder: Path, model: TaughtPPO, config: TrainConfig) -> None:
    network: dict[str, Tensor] = {}
    slots: dict[int, dict[str, Tensor]] = {}
    try:
        tensors = load_file(folder / CHECKPOINT)
        steps, taught, updates = (int(tensors.pop(name)) for name in ("steps", "taught", "updates"))
        for name, tensor in tensors.items():
            kind, _, rest = name.partition(".")
            if kind == "network":
                network[rest] = tensor
            else:
                key, slot = rest.split(".")
                slots.setdefault(int(key), {})[slot] = tensor
        model.policy.network.load_state_dict(network)
    except (OSError, SafetensorError, ValueError, KeyError, RuntimeError) as error:
        raise ValueError(f"expected a run to resume in {folder}, got: {error}") from None
    optimizer = model.policy.optimizer
    optimizer.load_state_dict({"state": slots, "param_groups": optimizer.state_dict()["param_groups"]})
    model.num_timesteps, model.taught, model._n_updates = steps, taught, updates
    model.env.seed(config.seed + steps)  # deals that the run has not played yet
