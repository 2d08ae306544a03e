"""Runs that start from trained agents."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.network import POLICY, VALUE, Network
from solitaire_agents.trained import WEIGHTS
from solitaire_evaluation.learning_curve import read_evaluations
from solitaire_training.config import TrainConfig
from tests.training.learning.runs import TINY, quiet_train
from tests.training.learning.test_run import network_in


def outputs(network: Network) -> NDArray[np.float64]:
    """Returns what both heads say of some sets of inputs, [2, sets]."""
    on = np.random.default_rng(0).random((100, len(network.rows))) < 0.1
    sums = np.maximum(on @ network.rows + network.bias, 0)
    above = np.maximum(sums @ network.second + network.second_bias[:, None], 0)
    return np.einsum("hns,hs->hn", above, network.last) + network.last_bias[:, None]


def test_starting_from_an_agent(run: Path, tmp_path: Path) -> None:
    still: dict[str, Any] = {**TINY, "total_steps": 1, "learning_rate": 0.0, "learning_rate_end": 0.0}
    quiet_train(TrainConfig(start_from=str(run), **still), tmp_path / "next")
    assert (tmp_path / "next" / WEIGHTS).read_bytes() == (run / WEIGHTS).read_bytes()
    assert [point["steps"] for point in read_evaluations(tmp_path / "next")] == [0, 128]
    quiet_train(TrainConfig(start_from=str(run), start_scale=4.0, **still), tmp_path / "loud")
    before, after = network_in(run), network_in(tmp_path / "loud")
    assert np.array_equal(after.last[POLICY], 4 * before.last[POLICY])
    assert np.array_equal(after.last_bias[POLICY], 4 * before.last_bias[POLICY])
    assert np.array_equal(after.last[VALUE], before.last[VALUE])
    with pytest.raises(ValueError, match=r"expected width and second_width \(8, 4\), as in .*; got \(9, 4\)"):
        quiet_train(TrainConfig(**{**still, "width": 9}, start_from=str(run)), tmp_path / "other")
    with pytest.raises(ValueError, match="expected the card of a trained agent at nowhere/agent.json, got"):
        quiet_train(TrainConfig(**still, start_from="nowhere"), tmp_path / "nowhere")
    with pytest.raises(ValueError, match="expected an agent that has learned passes=1"):
        quiet_train(TrainConfig(**still, start_from=str(run), options={"passes": 1}), tmp_path / "rules")


def test_agents_to_start_from_are_joined(run: Path, tmp_path: Path) -> None:
    """In each choice, one network says the mean of what the others say."""
    still: dict[str, Any] = {**TINY, "total_steps": 1, "learning_rate": 0.0, "learning_rate_end": 0.0}
    quiet_train(TrainConfig(**{**still, "width": 5, "second_width": 3, "seed": 9}), tmp_path / "other")
    given = {"start_from": f"{run}+{tmp_path / 'other'}", "width": 13, "second_width": 7}
    quiet_train(TrainConfig(**{**still, **given}), tmp_path / "joined")
    first, second, joined = (outputs(network_in(each)) for each in (run, tmp_path / "other", tmp_path / "joined"))
    assert joined == pytest.approx((first + second) / 2, abs=2e-3)
    assert np.abs(joined - second).max() > 0.02
    with pytest.raises(ValueError, match=r"expected width and second_width \(13, 7\), as in .*other; got \(8, 4\)"):
        quiet_train(TrainConfig(**{**still, **given, "width": 8, "second_width": 4}), tmp_path / "narrow")
    with pytest.raises(ValueError, match="expected the card of a trained agent at agent.json"):
        quiet_train(TrainConfig(**{**still, **given, "start_from": f"{run}+"}), tmp_path / "none")


def test_an_agent_to_start_from_may_be_elsewhere(run: Path, tmp_path: Path) -> None:
    config = TrainConfig(**{**TINY, "total_steps": 128}, start_from="far/away")
    quiet_train(config, tmp_path, starts=[run])
    assert read_evaluations(tmp_path)[0]["steps"] == 0
