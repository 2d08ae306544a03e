"""Checkpoints: named tensors with a checksum, from which a run is resumed."""

import hashlib
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save
from torch import Tensor

from solitaire_agents.files import write_whole
from solitaire_envs.checks import short

CHECKPOINT = "checkpoint.safetensors"
MOST = 2**53
"""Highest value of a count."""
Tensors = dict[str, Tensor]


def write_checkpoint(folder: Path, tensors: Tensors) -> None:
    """Writes the checkpoint of a run; the file is replaced atomically."""
    write_whole(folder / CHECKPOINT, save(tensors, {"sha256": _checksum(tensors)}))


def read_checkpoint(folder: Path) -> Tensors:
    """Reads the checkpoint of a run.

    Raises:
        OSError: There is none.
        SafetensorError: The file is not in the safetensors format.
        ValueError: Its checksum is missing or wrong.
    """
    path = folder / CHECKPOINT
    tensors: Tensors = load_file(path)
    with safe_open(path, "pt") as file:
        if (file.metadata() or {}).get("sha256") != _checksum(tensors):
            raise ValueError(f"{path} is damaged, or of an older version")
    return tensors


def check_alike(expected: Tensors, got: Tensors) -> None:
    """Checks that a checkpoint has the names, dtypes and shapes of the one at the start of a run.

    Args:
        expected: The state at the start. A dimension of length 0 stands for any length. Scalars are counts, which
            never fall.
        got: The checkpoint to check.

    Raises:
        ValueError: It has other names, types or shapes, numbers that are not finite, or a count out of range.
    """
    for name in sorted(expected.keys() | got.keys()):
        if name not in got or name not in expected:
            raise ValueError(f"{'no' if name in expected else 'another'} tensor {short(name)}")
        start, tensor = expected[name], got[name]
        fits = len(start.shape) == len(tensor.shape) and all(
            wanted in (0, size) for wanted, size in zip(start.shape, tensor.shape, strict=True)
        )
        if not fits or start.dtype != tensor.dtype or not tensor.isfinite().all():
            raise ValueError(f"other or infinite numbers in {name}")
        if not tensor.shape and not start <= tensor <= MOST:
            raise ValueError(f"{short(tensor.item())} for {name}")


def optimizer_state(optimizer: torch.optim.Adam) -> Tensors:
    """Returns the state of an optimiser, as tensors by name; zeros for parameters without a step so far."""
    slots = optimizer.state_dict()["state"]
    for key, parameter in enumerate(_parameters(optimizer)):
        zeros = torch.zeros_like(parameter)
        slots.setdefault(key, {"step": torch.tensor(0.0), "exp_avg": zeros, "exp_avg_sq": zeros})
    return {f"optimizer.{key}.{name}": tensor for key, slot in slots.items() for name, tensor in slot.items()}


def restore_optimizer(optimizer: torch.optim.Adam, tensors: Tensors) -> None:
    """Restores what `optimizer_state` returned.

    Raises:
        ValueError: A mean of squares is negative.
    """
    slots: dict[int, Tensors] = {}
    for key, _ in enumerate(_parameters(optimizer)):
        slots[key] = {name: tensors[f"optimizer.{key}.{name}"] for name in ("step", "exp_avg", "exp_avg_sq")}
        if slots[key]["exp_avg_sq"].min() < 0:
            raise ValueError("a negative mean of squares in the optimiser")
    optimizer.load_state_dict({"state": slots, "param_groups": optimizer.state_dict()["param_groups"]})


def _parameters(optimizer: torch.optim.Adam) -> list[Tensor]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _checksum(tensors: Tensors) -> str:
    checksum = hashlib.sha256()
    for name in sorted(tensors):
        checksum.update(name.encode() + tensors[name].reshape(-1).view(torch.uint8).numpy().tobytes())
    return checksum.hexdigest()
