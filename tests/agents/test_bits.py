"""Sets as machine words."""

import numpy as np

from solitaire_agents.bits import count_ones, index_of


def test_the_index_of_each_bit() -> None:
    assert [index_of(1 << i) for i in range(63)] == list(range(63))


def test_the_number_of_bits() -> None:
    words = np.random.default_rng(1).integers(0, 2**63, 1_000) >> np.arange(1_000) % 63
    assert [count_ones(word) for word in words] == [int(word).bit_count() for word in words]
