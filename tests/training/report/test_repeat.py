"""What it takes to repeat a comparison."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from solitaire_evaluation import store
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.report.repeat import agent_grid, command_of, provenance_grid, summary_of
from solitaire_training.commands.main import main
from tests.training.comparing import PYRAMID, compared


def test_the_command_repeats_the_comparison(tmp_path: Path) -> None:
    spec = make_env_spec(PYRAMID, {"passes": 2})
    first = compared(tmp_path / "a", env_specs=[spec], deals=np.arange(8, dtype=np.uint64), seed=7, baseline="careful")
    result = store.read_result(tmp_path / "a")
    command = shlex.split(command_of(result).replace("\\\n", "").replace("DIR", str(tmp_path / "b")))
    assert main([*command[1:], "--jobs", "1"]) == 0
    again = store.read_result(tmp_path / "b")
    assert again["metrics"] == result["metrics"]
    assert again["differences"] == result["differences"]
    assert again["seed"] == 7
    assert len(first.outcomes) == 16


@pytest.mark.parametrize(
    ("deals", "words"),
    [([0, 1, 2, 3], "--deals 4 "), ([4, 5, 6], "--deals FILE "), ([1, 2], "--deals FILE "), ([0, 2, 1, 3], "FILE ")],
)
def test_a_list_that_is_no_count_needs_its_file(deals: list[int], words: str, tmp_path: Path) -> None:
    compared(tmp_path, deals=np.array(deals, dtype=np.uint64))
    assert words in command_of(store.read_result(tmp_path))


def test_what_was_compared_and_with_what(tmp_path: Path) -> None:
    compared(tmp_path, "careful,oracle", deals=np.arange(8, dtype=np.uint64))
    result = store.read_result(tmp_path)
    assert summary_of(result).startswith("2 agents in 1 environment, all on the same 8 deals (numbers 0 to 7)")
    told = dict(provenance_grid(result).rows)
    assert told["deals, SHA-256"] == result["deals"]["sha256"]
    assert json.loads(told["options"]) == result["environments"]
    careful, oracle = agent_grid(result).rows
    assert (careful[0], oracle[0]) == ("careful", "oracle*")
    assert "information: open" in oracle[2]
