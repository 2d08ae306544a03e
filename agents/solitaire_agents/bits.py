"""Kernels for words that hold a set, one bit for each member."""

from typing import Any, Final

import numpy as np

from solitaire_envs.jit import kernel

_INDEX_OF_BIT: Final = np.zeros(67, np.int64)  # 2 is a primitive root of 67, so 2**i % 67 differs for all i < 66
_INDEX_OF_BIT[[pow(2, i, 67) for i in range(64)]] = range(64)


@kernel
def index_of(bit: int) -> Any:
    """Returns the number of a single bit."""
    return _INDEX_OF_BIT[bit % 67]


@kernel
def count(word: int) -> int:
    """Returns the number of bits that are set."""
    n = 0
    while word:
        word &= word - 1
        n += 1
    return n
