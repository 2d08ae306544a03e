"""The tables of metrics."""

import json
from pathlib import Path

import pandas as pd
import pytest

from solitaire_evaluation import store
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.labels import label_deals, strata
from solitaire_evaluation.statistics import holm
from solitaire_training.commands.main import main
from tests.training.comparing import DEALS, PYRAMID, compared


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


def test_metrics_are_those_of_the_deals_in_their_stratum() -> None:
    found, labels = compared(deals=DEALS[:60]), label_deals(make_env_spec(PYRAMID, {}), DEALS[:60])
    metrics = found.metrics.set_index(["agent", "stratum", "metric"])["value"]
    for agent, outcomes in found.outcomes.groupby("agent"):
        for stratum, inside in strata(labels):
            for metric in ("won", "cleared", "score"):
                assert metrics[agent, stratum, metric] == pytest.approx(outcomes[metric][inside].mean()), stratum
        winnable = (labels["winnable"] == 1).to_numpy()
        assert metrics[agent, "all", "winnable won"] == pytest.approx(outcomes["won"][winnable].mean())
        regret = labels["best_score"].to_numpy() - outcomes["score"].to_numpy()
        assert metrics[agent, "winnable", "regret"] == pytest.approx(regret[winnable].mean())


def test_differences_are_ours_less_the_baseline_with_p_values_for_all_agents() -> None:
    found = compared(agents="uniform,careful,pyramid-first", baseline="careful", deals=DEALS[:60])
    means = found.outcomes.groupby("agent")[["won", "score"]].mean()
    rows = found.differences.set_index(["agent", "metric"])
    assert set(rows["baseline"]) == {"careful"}
    for agent in ("uniform", "pyramid-first"):
        for metric in ("won", "score"):
            assert rows.loc[(agent, metric), "value"] == pytest.approx(
                means.loc[agent, metric] - means.loc["careful", metric]
            )
    for _, same in found.differences.groupby("metric"):
        assert same["p_holm"].tolist() == holm(same["p_value"].tolist())
        assert (same["p_holm"] > same["p_value"]).any()


def test_a_recipe_has_interquartile_means_in_each_stratum(trained: Path) -> None:
    metrics = pd.read_parquet(trained / "r" / store.METRICS)
    own = metrics[(metrics["group"] == "ppo") & (metrics["env"] == PYRAMID)]
    single, recipe = (own[own["seeds"] == seeds] for seeds in (1, 2))
    means = single.groupby(["stratum", "metric"])["value"].mean()
    found = recipe.set_index(["stratum", "metric"])["value"]
    assert set(found.index) == set(means.index)
    assert found.sort_index().tolist() == pytest.approx(means.sort_index().tolist())


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
