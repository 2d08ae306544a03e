"""Settings of all tests."""

import hypothesis
import numpy as np
import pytest
from numba import config

hypothesis.settings.register_profile("any machine", deadline=None)  # the first example may compile a kernel
hypothesis.settings.load_profile("any machine")

if config.DISABLE_JIT:  # SplitMix64 wraps, silently when compiled; NumPy's scalars say so
    np.seterr(over="ignore")  # in this thread


def pytest_configure(config: pytest.Config) -> None:
    """Keeps them quiet in other threads, too."""
    config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning")
