"""A run for tests that only read it, and processes that several tests give work to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from solitaire_evaluation.pool import ThisMachine
from solitaire_training.config import TrainConfig
from tests.training.learning.runs import TINY, quiet_train


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a run of 512 decisions of Pyramid, by PPO alone; copy it before you change it."""
    folder = tmp_path_factory.mktemp("run")
    quiet_train(TrainConfig(total_steps=512, **TINY), folder)
    return folder


@pytest.fixture(scope="session")
def two_workers() -> Iterator[ThisMachine]:
    """Two processes, which take seconds to start."""
    with ThisMachine(2) as workers:
        yield workers
