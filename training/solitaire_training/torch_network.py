"""The network of `solitaire_agents.network` in PyTorch, for training, and its input batches."""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from solitaire_agents.network import POLICY, VALUE, Network
from solitaire_envs.jit import entry_point

ABSENT = -1e9
"""Logit of a candidate that does not exist."""


class Batch(NamedTuple):
    """A batch of n choices as bags of inputs: one for the shared inputs of each choice, then one for each candidate."""

    on: Tensor
    """int32: the inputs of all bags, one bag after another."""
    starts: Tensor
    """int32 [n + N]: where each bag begins: first those of the n choices, then those of the N candidates."""
    choice: Tensor
    """int64 [N]: the choice that each candidate belongs to."""
    column: Tensor
    """int64 [N]: the number of each candidate within its choice."""
    choices: int
    """n, the number of choices."""

    def to(self, device: torch.device) -> "Batch":
        """Returns the batch on another device."""
        on, starts, choice, column = (tensor.to(device) for tensor in self[:4])
        return Batch(on, starts, choice, column, self.choices)


def unpack_bags(rows: NDArray[np.uint16]) -> Batch:
    """Unpacks rows of choices, [n, size], as `choosing` writes them.

    A row of zeros, which stands for no choice, becomes one candidate without inputs.
    """
    n = len(rows)
    candidates = np.maximum(rows[:, 0], 1)
    total, on_in_all = np.zeros(1, np.int64), int(candidates.sum())
    _count_on(rows, total)
    on, starts = np.zeros(int(total[0]), np.int32), np.zeros(n + on_in_all, np.int32)
    choice, column = np.zeros(on_in_all, np.int64), np.zeros(on_in_all, np.int64)
    _unpack(rows, on, starts, choice, column)
    return Batch(torch.from_numpy(on), torch.from_numpy(starts), torch.from_numpy(choice), torch.from_numpy(column), n)


@entry_point("choices")
def _count_on(rows: Any, total: Any) -> None:
    for i in range(len(rows)):
        for k in range(rows[i, 0] + 1):
            total[0] += rows[i, 1 + k]


@entry_point("choices")
def _unpack(rows: Any, on: Any, starts: Any, choice: Any, column: Any) -> None:
    """Fills the arrays of a `Batch`: first the bags of the shared inputs, then those of the candidates."""
    n, end, c = len(rows), 0, 0
    for i in range(n):
        starts[i], first = end, 2 + rows[i, 0]
        for j in range(rows[i, 1]):
            on[end] = rows[i, first + j]
            end += 1
    for i in range(n):
        at = 2 + rows[i, 0] + rows[i, 1]
        for k in range(max(rows[i, 0], 1)):
            starts[n + c], choice[c], column[c] = end, i, k
            for j in range(rows[i, 2 + k] if rows[i, 0] else 0):
                on[end] = rows[i, at + j]
                end += 1
            at += rows[i, 2 + k]
            c += 1


class _SumRows(torch.autograd.Function):
    """torch's embedding bag with its own gradient for CPUs, where torch's takes three times as long."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, on: Tensor, starts: Tensor) -> Tensor:
        ctx.save_for_backward(on, starts)
        ctx.shape = rows.shape
        return functional.embedding_bag(on, rows, starts, mode="sum")

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        on, starts = ctx.saved_tensors
        rows = torch.zeros(ctx.shape)
        _add_gradients(on.numpy(), starts.numpy(), gradient.contiguous().numpy(), rows.numpy())
        return rows, None, None


def sum_rows(rows: Tensor, on: Tensor, starts: Tensor) -> Tensor:
    """Sums the rows of the inputs in each bag, [bags, W]; arguments as in `Batch`."""
    if rows.device.type == "cpu":
        sums: Tensor = _SumRows.apply(rows, on, starts)  # type: ignore[no-untyped-call]
        return sums
    return functional.embedding_bag(on, rows, starts, mode="sum")


@entry_point("choices")
def _add_gradients(on: Any, starts: Any, gradients: Any, rows: Any) -> None:
    """Adds the gradient of each bag's sum, float32 [bags, W], to the rows of its inputs."""
    for bag in range(len(starts)):
        gradient = gradients[bag]
        for j in range(starts[bag], starts[bag + 1] if bag + 1 < len(starts) else len(on)):
            row = rows[on[j]]
            for h in range(len(gradient)):
                row[h] += gradient[h]


class TorchNetwork(nn.Module):
    """The network, with the arrays of a `Network` as parameters."""

    rows: Tensor
    bias: Tensor
    second: Tensor
    second_bias: Tensor
    last: Tensor
    last_bias: Tensor

    def __init__(self, network: Network) -> None:
        super().__init__()
        for name, array in network._asdict().items():
            self.register_parameter(name, nn.Parameter(torch.tensor(array)))

    def forward(self, batch: Batch, candidates: int) -> tuple[Tensor, Tensor]:
        """Computes the policy's logits, `ABSENT` where there is no candidate, and the values as logits, both [n, C]."""
        bags = sum_rows(self.rows, batch.on, batch.starts)
        n = batch.choices
        hidden = torch.relu(bags[n:] + (bags[:n] + self.bias)[batch.choice])
        second = torch.relu(hidden @ torch.cat([*self.second], dim=1) + self.second_bias.flatten())
        rated = (second.reshape(len(hidden), *self.last.shape) * self.last).sum(2) + self.last_bias
        padded = torch.full((2, n, candidates), ABSENT, device=rated.device)
        place = batch.choice, batch.column
        return padded[POLICY].index_put(place, rated[:, POLICY]), padded[VALUE].index_put(place, rated[:, VALUE])

    def values(self, on: Tensor, starts: Tensor) -> Tensor:
        """Computes the values of n single positions, given as bags of inputs, as logits [n]."""
        hidden = torch.relu(sum_rows(self.rows, on, starts) + self.bias)
        second = torch.relu(hidden @ self.second[VALUE] + self.second_bias[VALUE])
        return second @ self.last[VALUE] + self.last_bias[VALUE]

    def arrays(self) -> Network:
        """Returns copies of the arrays."""
        return Network(**{name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()})
