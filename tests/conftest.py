"""Settings of all tests."""

import numpy as np
from numba import config

if config.DISABLE_JIT:  # SplitMix64 wraps, silently when compiled; NumPy's scalars say so
    np.seterr(over="ignore")
