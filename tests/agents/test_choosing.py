"""What is done at a choice, against plain Python: describing, rating, choosing and writing down."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.choices import new_steps
from solitaire_agents.choosing import Kernels, Scratch, kernels_of, new_scratch
from solitaire_agents.network import POLICY, VALUE, Network, random_network
from solitaire_envs.game import Options
from tests.agents.made_up import GAME, INPUTS, LONGEST, MOST, ROW, SIZE, listed, listed_choices, random_candidates

CHOICES = listed_choices()
NETWORK = random_network(INPUTS, (8, 4), 1)._replace(
    bias=np.linspace(-0.1, 0.1, 8, dtype=np.float32), last_bias=np.array([0.5, -0.5], np.float32)
)
NETWORK.last[POLICY] *= 30
KERNELS: Kernels = kernels_of(CHOICES)
MASKS = np.ones((1, 1), np.bool_)


def logit_of(network: Network, head: int, inputs: list[int]) -> float:
    """Returns what a head says of a position, from the sum of all of its inputs."""
    rows, bias, second, second_bias, last, last_bias = (np.asarray(array, np.float64) for array in network)
    first = np.maximum(rows[inputs].sum(axis=0) + bias, 0)
    return float(np.maximum(first @ second[head] + second_bias[head], 0) @ last[head] + last_bias[head])


def write(scratch: Scratch, kernels: Kernels, seen: NDArray[np.int16], size: int, most: int = MOST) -> tuple[Any, ...]:
    """Writes down one choice; returns its row, the number of candidates, their lines and the lengths of these."""
    rows, counts = np.full((1, size), 77, np.uint16), np.zeros(1, np.int64)
    lines, lengths = np.full((1, most, 3), -1, np.int16), np.zeros((1, most), np.int64)
    kernels.write(NETWORK, scratch, np.array([0]), seen[None], MASKS, rows, counts, lines, lengths)
    return rows[0], int(counts[0]), lines[0], lengths[0]


def read(row: NDArray[np.uint16]) -> tuple[list[int], list[list[int]]]:
    """Returns what a row says is shared, and each candidate's own inputs."""
    candidates, shared, *rest = row.tolist()
    sizes, inputs = rest[:candidates], rest[candidates:]
    own, end = [], shared
    for size in sizes:
        own.append(inputs[end : end + size])
        end += size
    assert not any(inputs[end:])
    return inputs[:shared], own


def choices(seed: int, count: int = 60) -> Iterator[list[list[int]]]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield random_candidates(rng)


def test_what_is_shared_and_each_ones_own_add_up_to_its_inputs_even_those_there_twice() -> None:
    scratch, twice, met = new_scratch(CHOICES), 0, set[int]()
    for candidates in choices(0, 200):
        row, count, _, _ = write(scratch, KERNELS, listed(candidates), ROW)
        assert count == len(candidates)
        if count < 2:
            assert not row.any()
            continue
        shared, own = read(row)
        assert [sorted(shared + one) for one in own] == [sorted(one) for one in candidates]
        common = set.intersection(*(set(one) for one in candidates))
        assert sorted(shared) == sorted(common)
        twice += any(len(set(one)) < len(one) for one in candidates)
        met.add(len(shared))
    assert twice > 50
    assert met >= {0, 1, 2, 3}


@pytest.mark.parametrize("head", [POLICY, VALUE])
def test_what_is_shared_is_summed_up_once_and_changes_no_logit(head: int) -> None:
    scratch, firsts = new_scratch(CHOICES, NETWORK), np.zeros(MOST, np.int64)
    for candidates in choices(1):
        found = KERNELS.rate(NETWORK, head, scratch, listed(candidates), MASKS[0], firsts)
        assert found == len(candidates)
        expected = [logit_of(NETWORK, head, one) for one in candidates]
        assert scratch.logits[:found] == pytest.approx(expected, abs=1e-4)
        assert firsts[:found].tolist() == [10 * k for k in range(found)]


@pytest.mark.parametrize("head", [POLICY, VALUE])
@pytest.mark.parametrize("loud", [0.0, 1.0, 1e6])
def test_the_highest_logit_with_its_noise_is_chosen(head: int, loud: float) -> None:
    seen = list(choices(2))
    n, rng = len(seen), np.random.default_rng(3)
    noise = (loud * rng.random((n, MOST))).astype(np.float32)
    lines, lengths = np.full((n, 3), -1, np.int16), np.full(n, 9)
    best, inputs = np.zeros(n, np.float32), np.zeros((n, LONGEST), np.uint16)
    scratch, rows, masks = (
        new_scratch(CHOICES, NETWORK),
        np.array([listed(one) for one in seen]),
        np.ones((n, 1), np.bool_),
    )
    KERNELS.choose(NETWORK, head, scratch, rows, masks, noise, lines, lengths, best, inputs)
    first, others = 0, 0
    for i, candidates in enumerate(seen):
        if not candidates:
            assert lengths[i] == 0
        if len(candidates) < 2:
            assert np.isnan(best[i])
            assert not inputs[i].any()
            k = 0
        else:
            logits = np.array([logit_of(NETWORK, head, one) for one in candidates])
            k = int((logits.astype(np.float64) + noise[i, : len(candidates)]).argmax())
            first, others = first + (k == 0), others + (k > 0)
            assert best[i] == pytest.approx(logits.max(), abs=1e-4)
            on = inputs[i][inputs[i] < INPUTS].tolist()
            assert sorted(on) == sorted(candidates[k])
            assert (inputs[i][len(on) :] == INPUTS).all()
        if candidates:
            assert lines[i, : lengths[i]].tolist() == [10 * k + j for j in range(min(k + 1, 3))]
    assert min(first, others) > 5


def test_inputs_are_written_only_if_asked_for() -> None:
    seen = listed([[1, 2], [2, 3]])
    lines, lengths, best = np.zeros((1, 3), np.int16), np.zeros(1, np.int64), np.zeros(1, np.float32)
    noise, nothing = np.zeros((1, MOST), np.float32), np.zeros((1, 0), np.uint16)
    scratch = new_scratch(CHOICES, NETWORK)
    KERNELS.choose(NETWORK, POLICY, scratch, seen[None], MASKS, noise, lines, lengths, best, nothing)
    assert lengths[0] > 0


def test_lines_are_written_beside_each_candidate() -> None:
    _, count, lines, lengths = write(new_scratch(CHOICES), KERNELS, listed([[1]] * 5), ROW)
    assert count == 5
    for k in range(5):
        assert lines[k, : lengths[k]].tolist() == [10 * k + j for j in range(min(k + 1, 3))]
    _, count, lines, lengths = write(new_scratch(CHOICES), KERNELS, listed([[1]]), ROW)
    assert (count, lengths[0], lines[0, 0]) == (1, 1, 0)


@pytest.mark.parametrize("size", [2, 14, 15, 16])
def test_where_a_row_is_too_short_it_is_said_how_long_it_has_to_be(size: int) -> None:
    """It holds two numbers, one of each candidate, what is shared, and what each has besides."""
    candidates = [[1, 2, 5], [3, 4, 5], [5, 6, 7], [5, 8, 9]]
    rows, counts = np.full((2, size), 77, np.uint16), np.zeros(2, np.int64)
    lines, lengths = np.zeros((2, MOST, 3), np.int16), np.zeros((2, MOST), np.int64)
    seen, masks = np.array([listed(candidates), listed([[1]])]), np.ones((2, 1), np.bool_)
    games = np.arange(2)
    assert KERNELS.write(NETWORK, new_scratch(CHOICES), games, seen, masks, rows, counts, lines, lengths) == 15
    assert counts.tolist() == [4, 1]
    if size < 15:
        assert not rows.any()
    else:
        shared, own = read(rows[0])
        assert [sorted(shared + one) for one in own] == candidates


@pytest.mark.parametrize("most", [1, 2, 4])
def test_of_more_candidates_those_of_the_highest_value_are_written_the_highest_first(most: int) -> None:
    scratch, left_out = new_scratch(CHOICES, NETWORK), 0
    for candidates in choices(4, 100):
        row, count, lines, lengths = write(scratch, KERNELS, listed(candidates), ROW, most)
        assert count == min(most, len(candidates))
        order = list(range(len(candidates)))
        if len(candidates) > most:
            order.sort(key=lambda k: -logit_of(NETWORK, VALUE, candidates[k]))
            left_out += 1
        if len(candidates) > 1:
            shared, own = read(row)
            for k, one in zip(order, own, strict=False):
                value = logit_of(NETWORK, VALUE, candidates[k])
                assert logit_of(NETWORK, VALUE, shared + one) == pytest.approx(value, abs=1e-5)  # there may be equals
            for k in range(count):
                written = int(lines[0 + k, 0]) // 10
                assert sorted(shared + own[k]) == sorted(candidates[written])
                assert lengths[k] == min(written + 1, 3)
    assert left_out > 20


def test_only_the_games_asked_for_are_written() -> None:
    rows, counts = np.full((3, ROW), 77, np.uint16), np.full(3, 77)
    lines, lengths = np.zeros((3, MOST, 3), np.int16), np.zeros((3, MOST), np.int64)
    seen, masks = np.array([listed([[k], [k + 1]]) for k in range(3)]), np.ones((3, 1), np.bool_)
    KERNELS.write(NETWORK, new_scratch(CHOICES), np.array([2, 0]), seen, masks, rows, counts, lines, lengths)
    assert counts.tolist() == [2, 77, 2]
    assert (rows[1] == 77).all()
    assert read(rows[2]) == ([], [[2], [3]])


def test_a_line_is_followed_from_what_was_seen_to_what_will_be() -> None:
    seen, lines = np.zeros((5, SIZE), np.int16), np.array([[4, 5, 6], [7, 8, 9]], np.int16)
    rows = np.array([listed([[1], [2]]), listed([[1]])])
    KERNELS.follow(new_steps(GAME, Options()), rows, lines, np.array([3, 2]), seen)
    assert seen[:, -1].tolist() == [0, 5, 11, 0, 8]
    assert seen[:, 0].tolist() == [2, 2, 2, 1, 1]
