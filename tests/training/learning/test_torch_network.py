"""The network in torch: the same numbers as the compiled one, and torch's own gradients."""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch.nn import functional

from solitaire_agents.choosing import kernels_of, new_scratch
from solitaire_agents.network import POLICY, VALUE, random_network
from solitaire_training.torch_network import ABSENT, TorchNetwork, sum_rows, unpack_bags
from tests.agents.made_up import INPUTS, MOST, ROW, listed, listed_choices, random_candidates
from tests.agents.test_choosing import logit_of

CHOICES = listed_choices()
NETWORK = random_network(INPUTS, (8, 4), 0)._replace(
    bias=np.linspace(-0.1, 0.1, 8, dtype=np.float32),
    second_bias=np.linspace(-0.1, 0.2, 8, dtype=np.float32).reshape(2, 4),
    last_bias=np.array([0.25, -0.5], np.float32),
)


def some_choices(seed: int, n: int = 80) -> tuple[list[list[list[int]]], NDArray[np.uint16]]:
    """Returns choices of none to six candidates, and how they are written down."""
    rng = np.random.default_rng(seed)
    candidates = [random_candidates(rng) for _ in range(n)]
    rows, counts = np.zeros((n, ROW), np.uint16), np.zeros(n, np.int64)
    lines, lengths = np.zeros((n, MOST, 3), np.int16), np.zeros((n, MOST), np.int64)
    seen, masks = np.array([listed(one) for one in candidates]), np.ones((n, 1), np.bool_)
    arrays = (np.arange(n), seen, masks, rows, counts, lines, lengths)
    kernels_of(CHOICES).write(NETWORK, new_scratch(CHOICES, NETWORK), *arrays)
    return candidates, rows


def test_torch_and_kernels_agree() -> None:
    candidates, rows = some_choices(1)
    logits, values = TorchNetwork(NETWORK)(unpack_bags(rows), MOST)
    scratch, kernels, firsts = new_scratch(CHOICES, NETWORK), kernels_of(CHOICES), np.zeros(MOST, np.int64)
    asked = 0
    assert ABSENT < -1e6
    for i, one in enumerate(candidates):
        if len(one) < 2:
            continue
        asked += 1
        for head, found in ((POLICY, logits), (VALUE, values)):
            kernels.rate(NETWORK, head, scratch, listed(one), np.ones(1, np.bool_), firsts)
            assert found[i, : len(one)].tolist() == pytest.approx(scratch.logits[: len(one)], abs=1e-4)
            assert (found[i, len(one) :] == ABSENT).all()
    assert asked > 40


def test_a_choice_that_is_none_becomes_one_candidate_without_inputs() -> None:
    rows = np.zeros((2, ROW), np.uint16)
    _, written = some_choices(2)
    rows[1] = written[written[:, 0] > 1][0]
    batch = unpack_bags(rows)
    assert (batch.choices, batch.choice.tolist()[:2], batch.column.tolist()[:2]) == (2, [0, 1], [0, 0])
    logits, values = TorchNetwork(NETWORK)(batch, MOST)
    assert logits[0, 0].item() == pytest.approx(logit_of(NETWORK, POLICY, []), abs=1e-5)
    assert values[0, 0].item() == pytest.approx(logit_of(NETWORK, VALUE, []), abs=1e-5)
    assert (logits[0, 1:] == ABSENT).all()
    again = TorchNetwork(NETWORK)(unpack_bags(rows[1:]), MOST)[0]
    assert torch.allclose(again[0], logits[1])


def test_single_positions_have_the_values_of_candidates() -> None:
    candidates, _ = some_choices(3)
    bags = [inputs for one in candidates for inputs in one]
    starts = torch.tensor(np.cumsum([0, *map(len, bags[:-1])]), dtype=torch.int32)
    on = torch.tensor([one for bag in bags for one in bag], dtype=torch.int32)
    values = TorchNetwork(NETWORK).values(on, starts)
    assert values.tolist() == pytest.approx([logit_of(NETWORK, VALUE, bag) for bag in bags], abs=1e-4)


@pytest.mark.parametrize("sizes", [[3, 0, 5, 1], [0, 0, 4], [2, 2, 0]])
def test_sums_and_their_gradients_are_those_of_torch(sizes: list[int]) -> None:
    rng = np.random.default_rng(sum(sizes))
    on = torch.tensor(rng.integers(0, 6, sum(sizes)), dtype=torch.int32)  # some of them twice
    starts = torch.tensor(np.cumsum([0, *sizes[:-1]]), dtype=torch.int32)
    weights = torch.tensor(rng.normal(size=(len(sizes), 4)), dtype=torch.float32)
    gradients: list[Any] = []
    for own in (True, False):
        rows = torch.tensor(np.random.default_rng(0).normal(size=(6, 4)), dtype=torch.float32, requires_grad=True)
        sums = sum_rows(rows, on, starts) if own else functional.embedding_bag(on, rows, starts, mode="sum")
        (sums * weights).sum().backward()
        gradients.append((sums.detach(), rows.grad))
    assert torch.equal(gradients[0][0], gradients[1][0])
    assert torch.allclose(gradients[0][1], gradients[1][1], atol=1e-6)


def test_a_gradient_that_is_not_contiguous() -> None:
    rows = torch.ones((3, 2), requires_grad=True)
    sum_rows(rows, torch.tensor([0, 2], dtype=torch.int32), torch.tensor([0, 1], dtype=torch.int32)).sum().backward()
    assert rows.grad is not None
    assert rows.grad.tolist() == [[1, 1], [0, 0], [1, 1]]


def test_every_weight_learns_from_choices() -> None:
    network, (_, rows) = TorchNetwork(NETWORK), some_choices(4)
    logits, values = network(unpack_bags(rows), MOST)
    (torch.log_softmax(logits, 1)[:, 0].sum() + values[:, 0].sum()).backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in network.parameters())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_gpu_computes_the_same() -> None:
    _, rows = some_choices(6)
    found = []
    for device in (torch.device("cpu"), torch.device("cuda")):
        network = TorchNetwork(NETWORK).to(device)
        logits, values = network(unpack_bags(rows).to(device), MOST)
        (torch.log_softmax(logits, 1)[:, 0].sum() + values[:, 0].sum()).backward()
        found.append([tensor.detach().cpu() for tensor in (logits, values, network.rows.grad, network.last.grad)])
        assert all(map(np.array_equal, network.arrays(), NETWORK))
    for one, other in zip(*found, strict=True):
        assert torch.allclose(one, other, rtol=1e-3, atol=1e-3)


def test_the_arrays_are_copies() -> None:
    network = TorchNetwork(NETWORK)
    arrays = network.arrays()
    assert all(np.array_equal(one, other) for one, other in zip(arrays, NETWORK, strict=True))
    with torch.no_grad():
        network.bias += 1
    assert np.array_equal(arrays.bias, NETWORK.bias)
    assert NETWORK.bias.max() < 1
