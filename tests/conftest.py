"""Settings of all tests."""

import gc
from pathlib import Path

import hypothesis
import numpy as np
import pytest
from numba import config

TESTS = Path(__file__).parent
SHARED = ("trained", "two_workers")
"""Fixtures that all tests of a session share."""
LONG = (
    *("agents/klondike", "agents/pyramid", "agents/tour_infernale", "trained", "two_workers"),
    *("web/test_browser.py", "examples/test_golf.py"),
)
"""Groups that begin first, so that no process is left with one at the end. The first compile the kernels."""

hypothesis.settings.register_profile(
    "any machine",
    deadline=None,  # the first example may compile a kernel
    derandomize=True,  # what passes today passes tomorrow; `make test-slow` draws other examples each time
)
hypothesis.settings.register_profile("other examples", deadline=None)
hypothesis.settings.load_profile("any machine")

if config.DISABLE_JIT:  # SplitMix64 wraps, silently when compiled; NumPy's scalars say so
    np.seterr(over="ignore")  # in this thread


def pytest_configure(config: pytest.Config) -> None:
    """Keeps them quiet in other threads, too."""
    config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning")


@pytest.hookimpl(tryfirst=True)  # xdist looks at the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lets one process run all tests of a file, or of a game's agents, so that nothing is trained or compiled twice."""
    groups = {item: _group(item) for item in items}
    for item, group in groups.items():
        item.add_marker(pytest.mark.xdist_group(group))
    order = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(groups[item], len(LONG)))


def pytest_collection_finish() -> None:
    """Spares the garbage collector what is there before the first test, which saves a tenth of the tests' time."""
    gc.collect()
    gc.freeze()


def _group(item: pytest.Item) -> str:
    for fixture in SHARED:
        if fixture in getattr(item, "fixturenames", ()):
            return fixture
    file = item.path.relative_to(TESTS)
    return file.parent.as_posix() if file.parts[0] == "agents" and len(file.parts) > 2 else file.as_posix()
