"""The tables of metrics."""

import json
from pathlib import Path

import pandas as pd
import pytest

from solitaire_training.commands.main import main
from solitaire_training.evaluation import store
from tests.training.comparing import DEALS, compared


def test_one_deal_has_no_interval_of_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "r")
    assert main(["compare", "--agents", "uniform,careful", "--deals", "1", "--jobs", "1", "--out", out]) == 0
    assert "nan" not in capsys.readouterr().out
    metrics = pd.read_parquet(tmp_path / "r" / store.METRICS)
    rows = metrics[metrics["metric"].isin(["score", "moves", "passes"])]
    assert set(rows["metric"]) == {"score", "moves", "passes"}
    assert rows["low"].isna().all()
    assert main(["report", out]) == 0


def test_the_oracle_has_no_regret() -> None:
    found = compared(agents="careful,oracle", deals=DEALS[:60])
    metrics = found.metrics[found.metrics["stratum"] == "all"].set_index(["agent", "metric"])["value"]
    assert metrics["oracle", "regret"] == 0
    assert metrics["careful", "regret"] > 5
    assert metrics["careful", "winnable won"] > metrics["careful", "won"]


def test_training_seeds(trained: Path) -> None:
    metrics = pd.read_parquet(trained / "r" / store.METRICS)
    rows = metrics[(metrics["group"] == "ppo") & (metrics["metric"] == "score") & (metrics["stratum"] == "all")]
    assert list(rows["agent"]) == ["ppo#1", "ppo#2", "ppo"] * 2
    assert list(rows["seeds"]) == [1, 1, 2] * 2
    values = rows["value"].to_numpy()
    assert values[2] == pytest.approx((values[0] + values[1]) / 2)
    over_all = metrics[metrics["env"] == "(all)"]
    assert (over_all["agent"].item(), over_all["seeds"].item(), over_all["count"].item()) == ("ppo", 2, 4)
    agents = json.loads((trained / "r" / store.RESULT).read_text())["agents"]
    assert len({agent["sha256"] for agent in agents if agent["group"] == "ppo"}) == 4
    assert {repr(agent["training_seed"]) for agent in agents} == {"1", "2", "None"}
