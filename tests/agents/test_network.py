"""The network, against plain sums."""

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.network import (
    POLICY,
    VALUE,
    Network,
    add_rows,
    ask_head,
    network_shapes,
    random_network,
    widths_of,
)
from solitaire_envs.jit import entry_point

_add_rows = entry_point("test of the network")(add_rows.py_func)  # type: ignore[attr-defined]
_ask_head = entry_point("test of the network")(ask_head.py_func)  # type: ignore[attr-defined]
NETWORK = random_network(40, (19, 5), 3)._replace(
    bias=np.linspace(-0.2, 0.2, 19, dtype=np.float32),
    second_bias=np.linspace(-1, 1, 10, dtype=np.float32).reshape(2, 5),
    last_bias=np.array([0.25, -0.5], np.float32),
)


def _asked(network: Network, head: int, sums: NDArray[np.float32]) -> float:
    width, second = widths_of(network)
    return float(_ask_head(network, head, sums, np.zeros(width, np.int64), np.zeros(second, np.float32)))


@pytest.mark.parametrize("count", range(10))
def test_rows_are_added_whatever_their_number_even_twice(count: int) -> None:
    on = np.random.default_rng(count).integers(0, 40, 12)
    sums = np.full(19, 0.5, np.float32)
    _add_rows(NETWORK, on, count, sums)
    assert sums == pytest.approx(0.5 + NETWORK.rows[on[:count]].sum(axis=0), abs=1e-6)


@pytest.mark.parametrize("head", [POLICY, VALUE])
def test_each_head_has_two_layers_of_its_own(head: int) -> None:
    for seed in range(5):
        sums = np.random.default_rng(seed).normal(size=19).astype(np.float32)
        second = np.maximum(np.maximum(sums, 0) @ NETWORK.second[head] + NETWORK.second_bias[head], 0)
        expected = second @ NETWORK.last[head] + NETWORK.last_bias[head]
        assert _asked(NETWORK, head, sums) == pytest.approx(float(expected), abs=1e-5)


def test_shapes() -> None:
    assert {name: array.shape for name, array in NETWORK._asdict().items()} == network_shapes(40, (19, 5))
    assert widths_of(NETWORK) == (19, 5)
    assert {array.dtype for array in NETWORK} == {np.dtype(np.float32)}


def test_a_seed_gives_its_own_network_again_whose_policy_is_close_to_uniform() -> None:
    one, again, other = (random_network(500, (64, 16), seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
    assert not np.array_equal(one.rows, other.rows)
    rng, logits = np.random.default_rng(0), []
    for _ in range(50):
        sums = one.rows[rng.integers(0, 500, 100)].sum(axis=0)
        logits.append([_asked(one, head, sums) for head in (POLICY, VALUE)])
    policy, value = np.std(logits, axis=0)
    assert policy < 0.1
    assert 3 * policy < value
