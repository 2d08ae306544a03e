"""The network of all trained agents: it rates candidates by the inputs that are on for them.

The first layer sums the rows of the inputs that are on. Two heads of two layers follow: the policy's logit, and the
value. The network is so small that kernels evaluate it thousands of times per game, without torch.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_envs.jit import kernel

MAX_WIDTH: Final = 8_192
POLICY, VALUE = 0, 1
"""The heads."""


class Network(NamedTuple):
    """Weights, all float32: W and S are the widths of the hidden layers; each head has layers of its own."""

    rows: Any  # [inputs, W]
    bias: Any  # [W]
    second: Any  # [2, W, S]
    second_bias: Any  # [2, S]
    last: Any  # [2, S]
    last_bias: Any  # [2]


def network_shapes(inputs: int, widths: tuple[int, int]) -> dict[str, tuple[int, ...]]:
    """Returns the shape of each array of a network."""
    width, second = widths
    shapes = (inputs, width), (width,), (2, width, second), (2, second), (2, second), (2,)
    return dict(zip(Network._fields, shapes, strict=True))


def widths_of(network: Network) -> tuple[int, int]:
    """Returns the widths of the hidden layers."""
    return network.second.shape[1], network.second.shape[2]


def random_network(inputs: int, widths: tuple[int, int], seed: int) -> Network:
    """Returns an untrained network, whose policy is close to uniform."""
    rng = np.random.default_rng(seed)
    arrays = {name: np.zeros(shape, np.float32) for name, shape in network_shapes(inputs, widths).items()}
    for name, scale in (("rows", 0.05), ("second", widths[0] ** -0.5), ("last", widths[1] ** -0.5)):
        arrays[name] = rng.normal(0, scale, arrays[name].shape).astype(np.float32)
    arrays["last"][POLICY] *= 0.1
    return Network(**arrays)


def join_networks(networks: Sequence[Network]) -> Network:
    """Returns one network whose outputs are the means of those of several: their layers stand side by side."""
    second = np.zeros((2, *np.sum([widths_of(each) for each in networks], axis=0)), np.float32)
    width = half = 0
    for each in networks:
        w, s = widths_of(each)
        second[:, width : width + w, half : half + s] = each.second
        width, half = width + w, half + s
    share = np.float32(1 / len(networks))
    return Network(
        rows=np.concatenate([each.rows for each in networks], axis=1),
        bias=np.concatenate([each.bias for each in networks]),
        second=second,
        second_bias=np.concatenate([each.second_bias for each in networks], axis=1),
        last=np.concatenate([share * each.last for each in networks], axis=1),
        last_bias=np.sum([share * each.last_bias for each in networks], axis=0),
    )


@kernel
def add_rows(network: Any, on: Any, n: int, sums: Any) -> None:
    """Adds the rows of `n` inputs that are on to sums, float32 [W]."""
    rows = network.rows
    for k in range(0, n - n % 8, 8):  # eight at a time, since reading and writing the sums takes most of the time
        a, b, c, d = rows[on[k]], rows[on[k + 1]], rows[on[k + 2]], rows[on[k + 3]]
        e, f, g, i = rows[on[k + 4]], rows[on[k + 5]], rows[on[k + 6]], rows[on[k + 7]]
        for h in range(len(sums)):
            half = sums[h] + (a[h] + b[h] + (c[h] + d[h]))
            sums[h] = half + (e[h] + f[h] + (g[h] + i[h]))
    for k in range(n - n % 8, n - n % 4, 4):
        a, b, c, d = rows[on[k]], rows[on[k + 1]], rows[on[k + 2]], rows[on[k + 3]]
        for h in range(len(sums)):
            sums[h] += a[h] + b[h] + (c[h] + d[h])
    for k in range(n - n % 4, n):
        row = rows[on[k]]
        for h in range(len(sums)):
            sums[h] += row[h]


@kernel
def ask_head(network: Any, head: int, sums: Any, above: Any, second: Any) -> float:
    """Returns a head's output for a position: the policy's logit, or the value as a logit.

    Args:
        network: The network.
        head: `POLICY` or `VALUE`.
        sums: float32 [W]: the sum of the bias and the rows of the inputs that are on.
        above: int64 [W], working storage.
        second: float32 [S], working storage.
    """
    weights, last = network.second[head], network.last[head]
    for j in range(len(second)):
        second[j] = network.second_bias[head, j]
    units = 0
    for h in range(len(sums)):  # lists the units above zero, a quarter in trained networks, without a branch
        above[units] = h
        units += sums[h] > 0
    whole = units - units % 8
    for k in range(0, whole, 8):  # eight at a time
        o, p, q, r = above[k], above[k + 1], above[k + 2], above[k + 3]
        s, t, u, v = sums[o], sums[p], sums[q], sums[r]
        a, b, c, d = weights[o], weights[p], weights[q], weights[r]
        o, p, q, r = above[k + 4], above[k + 5], above[k + 6], above[k + 7]
        w, x, y, z = sums[o], sums[p], sums[q], sums[r]
        e, f, g, i = weights[o], weights[p], weights[q], weights[r]
        for j in range(len(second)):
            half = second[j] + s * a[j] + t * b[j] + u * c[j] + v * d[j]
            second[j] = half + w * e[j] + x * f[j] + y * g[j] + z * i[j]
    for k in range(whole, units):
        row = weights[above[k]]
        for j in range(len(second)):
            second[j] += sums[above[k]] * row[j]
    value = network.last_bias[head]
    for j in range(len(second)):
        value += last[j] * max(second[j], np.float32(0))
    return float(value)
