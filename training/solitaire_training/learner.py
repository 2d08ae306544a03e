"""The interface of self-play and PPO, through which a run trains, saves and resumes them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import torch

from solitaire_agents.network import POLICY, VALUE, Network
from solitaire_training.checkpoint_file import Tensors


class Learner(ABC):
    """One stage of a run. It learns in updates, and can be saved between them."""

    unit: ClassVar[str]
    """Unit of the progress: games or steps."""

    total: int
    """Progress at the end of the stage."""
    progress: int = 0
    """Progress after the latest update."""
    decisions: int = 0
    """Decisions learned from so far."""
    moves: int = 0
    """Moves played so far, forced moves included."""

    @abstractmethod
    def update(self) -> Mapping[str, float]:
        """Learns from the next games; returns figures for the logs."""

    @abstractmethod
    def state(self) -> Tensors:
        """Returns copies of everything that the rest of the stage depends on; the network's arrays as ``network.*``."""

    @abstractmethod
    def restore(self, tensors: Tensors) -> None:
        """Restores a state.

        Args:
            tensors: Finite tensors with the names, dtypes and shapes of those of `state`.

        Raises:
            ValueError, RuntimeError: No run can have reached this state.
        """


def network_of(tensors: Tensors) -> Network:
    """Returns the network of a state, rounded to half precision as in the saved files."""
    return Network(**{name: tensor.half().float().numpy() for name, tensor in named(tensors, "network.").items()})


def arrays_of(network: Network) -> Tensors:
    """Returns a network's arrays as tensors named ``network.*``."""
    return {f"network.{name}": torch.from_numpy(array) for name, array in network._asdict().items()}


def named(tensors: Tensors, prefix: str) -> Tensors:
    """Returns the tensors whose names have a prefix, without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def prefixed(tensors: Mapping[str, torch.Tensor], prefix: str) -> Tensors:
    """Returns copies of tensors in main memory, with a prefix added to each name."""
    return {prefix + name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}


def policy_of_values(network: Network) -> Network:
    """Returns a network whose policy head is a copy of its value head."""
    heads = ("second", "second_bias", "last", "last_bias")
    return network._replace(**{name: getattr(network, name)[[VALUE, VALUE]].copy() for name in heads})


def scale_policy(network: Network, factor: float) -> Network:
    """Returns a network with the policy's logits times a factor."""
    last, last_bias = network.last.copy(), network.last_bias.copy()
    last[POLICY] *= factor
    last_bias[POLICY] *= factor
    return network._replace(last=last, last_bias=last_bias)
