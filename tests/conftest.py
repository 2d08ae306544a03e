"""Settings of all tests."""

import hypothesis
import numpy as np
from numba import config

hypothesis.settings.register_profile("any machine", deadline=None)  # the first example may compile a kernel
hypothesis.settings.load_profile("any machine")

if config.DISABLE_JIT:  # SplitMix64 wraps, silently when compiled; NumPy's scalars say so
    np.seterr(over="ignore")
