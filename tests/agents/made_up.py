"""Choices that tests make up: an observation lists the candidates and their inputs."""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.choices import Choices, copy
from solitaire_envs.jit import kernel

MOST, LONGEST, INPUTS = 6, 9, 30
SIZE: Final = 2 + MOST * (1 + LONGEST)
"""Slots: the number of candidates; of each, how many inputs it has, and which; and a last one that changes by moves."""


class Storage(NamedTuple):
    seen: Any


@kernel
def _count(storage: Any, observation: Any, mask: Any) -> int:
    copy(observation, storage.seen)
    return int(observation[0])


@kernel
def _describe(storage: Any, k: int, on: Any) -> int:
    at = 1 + k * (1 + LONGEST)
    for j in range(storage.seen[at]):
        on[j] = storage.seen[at + 1 + j]
    return int(storage.seen[at])


@kernel
def _moves(storage: Any, k: int, line: Any) -> int:
    """Candidate k is k + 1 moves, or 3 if that is more: 10k, 10k + 1, ..."""
    n = min(k + 1, 3)
    for j in range(n):
        line[j] = 10 * k + j
    return n


@kernel
def _after(observation: Any, action: int, after: Any) -> None:
    copy(observation, after)
    after[-1] += action + 1


def listed_choices(row_size: int = 2 + MOST + SIZE) -> Choices:
    return Choices(
        inputs=INPUTS,
        most_on=LONGEST,
        most_candidates=MOST,
        most_moves=3,
        row_size=row_size,
        new_storage=lambda: Storage(np.zeros(SIZE, np.int16)),
        count=_count,
        describe=_describe,
        moves=_moves,
        after=_after,
        worth=lambda outcomes: np.asarray(outcomes["won"], np.float32),
    )


def listed(candidates: list[list[int]]) -> NDArray[np.int16]:
    """Returns the observation that lists candidates, each by its inputs."""
    row = np.zeros(SIZE, np.int16)
    row[0] = len(candidates)
    for k, inputs in enumerate(candidates):
        at = 1 + k * (1 + LONGEST)
        row[at], row[at + 1 : at + 1 + len(inputs)] = len(inputs), inputs
    return row


def random_candidates(rng: np.random.Generator) -> list[list[int]]:
    """Returns none to six candidates; many inputs are shared, and some are there twice."""
    common = rng.integers(0, INPUTS, rng.integers(0, 6)).tolist()
    found = []
    for _ in range(rng.integers(0, MOST + 1)):
        own = rng.integers(0, INPUTS, rng.integers(0, LONGEST - len(common) + 1)).tolist()
        found.append(rng.permutation([*common, *own]).astype(int).tolist())
    return found
