"""Work on a Ray cluster gives what it gives on one core, whatever is lost meanwhile.

The clusters are local, in a network namespace of their own: Ray has no login, so nothing else may reach them.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from solitaire_training.commands.main import main
from solitaire_training.config import TrainConfig
from tests.training.cluster import APART
from tests.training.learning.runs import TINY, quiet_train

ROOT = Path(__file__).parents[3]


def _why_not() -> str:
    if importlib.util.find_spec("ray") is None:
        return "Ray is not installed: pip install '.[cluster]'"
    try:
        subprocess.run([*APART, "ip", "link", "set", "lo", "up"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"no network namespace can be made here: {error}"
    return ""


WHY_NOT = _why_not()
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)


def run(scenario: str, folder: Path) -> dict[str, Any]:
    """Runs a scenario in a namespace of its own; returns what it has found."""
    command = [*APART, sys.executable, "-m", "tests.training.cluster.scenarios", scenario, str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-5_000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(found)
    return found


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    quiet_train(TrainConfig(**{**TINY, "total_steps": 128}), tmp_path / "agent")
    return tmp_path / "agent"


def outcomes(folder: Path) -> dict[str, bytes]:
    """Returns the outcomes of a comparison, without playing times, by file."""
    import numpy as np

    from solitaire_evaluation.chunks import CHECKSUM_SIZE, CHUNKS

    found = {}
    for path in sorted((folder / CHUNKS).rglob("*.npy")):
        with path.open("rb") as file:
            file.seek(CHECKSUM_SIZE)
            found[str(path.relative_to(folder))] = np.load(file).tobytes()
    return found


@pytest.mark.slow
def test_a_cluster_gives_what_one_core_gives(agent: Path, tmp_path: Path) -> None:
    found = run("quick", tmp_path)
    assert found["doubled"] == list(range(0, 40, 2))
    assert "expected another piece, got 3" in found["error"]
    assert found["killed"] == [["a", "b"], 2]
    assert main(["label", "--count", "60", "--jobs", "1", "--out", str(tmp_path / "alone.csv")]) == 0
    assert (tmp_path / "alone.csv").read_bytes() == (tmp_path / "labels.csv").read_bytes()
    agents = f"careful,uniform,{agent},{agent}@sample"
    assert main(["compare", "--agents", agents, "--deals", "60", "--jobs", "1", "--out", str(tmp_path / "alone")]) == 0
    assert outcomes(tmp_path / "results") == outcomes(tmp_path / "alone")


@pytest.mark.slow
def test_labels_survive_a_lost_node_and_a_killed_driver(tmp_path: Path) -> None:
    found = run("label", tmp_path)
    assert len(set(found["sha256"].values())) == 1
    assert len(found["sha256"]) == 4
    assert found["begun again"] >= 1


@pytest.mark.slow
def test_a_comparison_survives_a_lost_node(agent: Path, tmp_path: Path) -> None:
    run("compare", tmp_path)
    agents = f"careful,{agent},planner"
    assert main(["compare", "--agents", agents, "--deals", "200", "--jobs", "1", "--out", str(tmp_path / "alone")]) == 0
    assert outcomes(tmp_path / "results") == outcomes(tmp_path / "alone")


@pytest.mark.slow
def test_training_seeds_survive_a_lost_node_and_a_killed_driver(tmp_path: Path) -> None:
    assert all(run("seeds", tmp_path)["same"].values())


@pytest.mark.slow
def test_a_search_for_settings_survives_a_lost_node(tmp_path: Path) -> None:
    assert run("tune", tmp_path)["same"]


def test_no_cluster_is_one_line(tmp_path: Path) -> None:
    command = [
        *APART,
        sys.executable,
        "-m",
        "solitaire_training",
        "label",
        "--count",
        "1",
        "--out",
        str(tmp_path / "x.csv"),
    ]
    done = subprocess.run([*command, "--cluster", "auto"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
