"""The file from which a run goes on: tensors by name, with a checksum."""

import hashlib
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save
from torch import Tensor

from solitaire_agents.files import write_whole

CHECKPOINT = "checkpoint.safetensors"
Tensors = dict[str, Tensor]


def write_checkpoint(folder: Path, tensors: Tensors) -> None:
    """Writes the checkpoint of a run; it is replaced whole or not at all."""
    write_whole(folder / CHECKPOINT, save(tensors, {"sha256": _checksum(tensors)}))


def read_checkpoint(folder: Path) -> Tensors:
    """Reads the checkpoint of a run.

    Raises:
        OSError: There is none.
        SafetensorError: It is no such file.
        ValueError: It is damaged.
    """
    path = folder / CHECKPOINT
    tensors: Tensors = load_file(path)
    with safe_open(path, "pt") as file:
        if (file.metadata() or {}).get("sha256") != _checksum(tensors):
            raise ValueError(f"{path} is damaged, or of an older version")
    return tensors


def named(tensors: Tensors, prefix: str) -> list[str]:
    """Returns the names with a prefix; those with a number after it by rising numbers."""
    return sorted((name for name in tensors if name.startswith(prefix)), key=lambda name: (len(name), name))


def optimizer_state(optimizer: torch.optim.Optimizer) -> Tensors:
    """Returns the state of an optimiser, as tensors by name."""
    slots = optimizer.state_dict()["state"]
    return {f"optimizer.{key}.{name}": tensor for key, slot in slots.items() for name, tensor in slot.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Tensors) -> None:
    """Restores an optimiser from what `optimizer_state` returned.

    Raises:
        ValueError: It is that of other parameters, or has infinite numbers.
    """
    slots: dict[int, Tensors] = {}
    for name in named(tensors, "optimizer."):
        _, key, slot = name.split(".")
        slots.setdefault(int(key), {})[slot] = tensors[name]
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    shapes = {
        key: {"step": torch.Size(), "exp_avg": parameter.shape, "exp_avg_sq": parameter.shape}
        for key, parameter in enumerate(parameters)
    }
    if slots and {key: {name: tensor.shape for name, tensor in slot.items()} for key, slot in slots.items()} != shapes:
        raise ValueError("an optimiser of other parameters")
    if not all(tensor.isfinite().all() for slot in slots.values() for tensor in slot.values()):
        raise ValueError("infinite numbers in the optimiser")
    optimizer.load_state_dict({"state": slots, "param_groups": optimizer.state_dict()["param_groups"]})


def _checksum(tensors: Tensors) -> str:
    checksum = hashlib.sha256()
    for name in sorted(tensors):
        checksum.update(name.encode() + tensors[name].reshape(-1).view(torch.uint8).numpy().tobytes())
    return checksum.hexdigest()
