"""The files of a run that goes on: the policy, and a checkpoint of weights, optimiser and number of steps."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from safetensors.torch import save as to_bytes
from torch import Tensor

from solitaire_agents.files import write_whole
from solitaire_agents.policy import read_card, save_policy
from solitaire_training.learning.config import TrainConfig, check_same, load_config
from solitaire_training.learning.model import TaughtPPO, uses_bfloat16
from solitaire_training.provenance import versions

CHECKPOINT = "checkpoint.safetensors"


def save_run(folder: Path, model: TaughtPPO, config: TrainConfig, revision: str | None) -> None:
    """Writes the policy and the checkpoint; each file is replaced whole or not at all.

    Args:
        folder: The run's folder.
        model: The model.
        config: Its settings.
        revision: The revision of the code that trains it.
    """
    about = {
        "env": config.env,
        "steps": int(model.num_timesteps),
        "hyperparameters": config.to_json(),
        "computed": {"device": model.device.type, "precision": "bfloat16" if uses_bfloat16(config) else "float32"},
        "versions": versions(),
        "git_revision": revision,
    }
    save_policy(folder, model.policy.network, config.game(), config.game_options(), about)
    tensors = {name: tensor.contiguous() for name, tensor in _tensors(model).items()}
    write_whole(folder / CHECKPOINT, to_bytes(tensors))


def _tensors(model: TaughtPPO) -> dict[str, Tensor]:
    """Returns a model's state at one moment: its counters, its weights, its optimiser."""
    slots = model.policy.optimizer.state_dict()["state"]
    return {
        "steps": torch.tensor(model.num_timesteps),
        "taught": torch.tensor(model.taught),
        "updates": torch.tensor(model._n_updates),
        **{f"network.{name}": tensor for name, tensor in model.policy.network.state_dict().items()},
        **{f"optimizer.{key}.{name}": tensor for key, named in slots.items() for name, tensor in named.items()},
    }


def load_checkpoint(folder: Path, model: TaughtPPO, config: TrainConfig) -> None:
    """Restores a model from a run's checkpoint; its next deals are ones that the run has not played yet.

    Raises:
        ValueError: The folder holds no checkpoint, a damaged one, or one of another network.
    """
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
    model.env.seed(config.seed + steps)


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

    Args:
        config: The settings of the run so far.
        file: A YAML file of settings; None: those of the run so far.
        overrides: Settings that take precedence.

    Raises:
        ValueError: A setting differs from the run's, other than the number of steps and how they are computed.
    """
    asked = load_config(file, overrides) if file else replace(config, **overrides)
    check_same(config.fixed(), asked.fixed(), "the run so far, with --resume")
    return asked
