"""Sets of numbers 0..62 as machine words: bit i of an int64 is 1 if i is in the set."""

from typing import Any, Final

import numpy as np

from solitaire_envs.jit import kernel

_INDEX_OF_RESIDUE: Final = np.zeros(67, np.int64)  # 2 is a primitive root of 67: the first 66 powers of 2 all differ
_INDEX_OF_RESIDUE[[pow(2, i, 67) for i in range(63)]] = range(63)


@kernel
def index_of(bit: int) -> Any:
    """Returns the index, 0..62, of the only bit that is set."""
    return _INDEX_OF_RESIDUE[bit % 67]


@kernel
def count_ones(word: int) -> int:
    """Returns how many bits are set."""
    n = 0
    while word:
        word &= word - 1
        n += 1
    return n
