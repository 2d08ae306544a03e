"""What is known of deals in advance."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import solitaire_seeds
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.labels import label_deals, strata
from solitaire_evaluation.report.tables import make_tables
from tests.training.comparing import DEALS, PYRAMID, compared


def test_strata_of_the_deals() -> None:
    labels = label_deals(make_env_spec(PYRAMID, {}), DEALS)
    found = dict(strata(labels))
    assert found["all"].all()
    inside = np.array([mask for name, mask in found.items() if name.startswith("solver nodes")])
    assert 2 <= len(inside) <= 4
    assert (inside.sum(axis=0) == 1).all()
    assert (found["winnable"] ^ found["not winnable"]).all()


def test_labels_are_used_for_their_rules_and_deals_only() -> None:
    assert set(label_deals(make_env_spec(PYRAMID, {"passes": 2}), DEALS)["winnable"]) == {-1}
    beyond = label_deals(make_env_spec(PYRAMID, {}), DEALS + np.uint64(20_000))
    assert beyond["best_score"].isna().all()


def test_labels_are_in_the_order_of_the_deals() -> None:
    shuffled = np.random.default_rng(0).permutation(DEALS)
    ordered = label_deals(make_env_spec(PYRAMID, {}), DEALS).set_index("deal")
    found = label_deals(make_env_spec(PYRAMID, {}), shuffled)
    assert found["deal"].tolist() == shuffled.tolist()
    for column in ("winnable", "best_score"):
        assert found[column].tolist() == ordered.loc[shuffled, column].tolist()


def test_open_deals_are_neither_winnable_nor_lost() -> None:
    labels = pd.DataFrame({"winnable": [1, 0, -1, -1], "nodes": np.nan})
    found = {name: inside.tolist() for name, inside in strata(labels)}
    assert found["winnable"] == [True, False, False, False]
    assert found["not winnable"] == [False, True, False, False]


def test_missing_labels_are_mentioned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an installation without the frozen lists."""
    monkeypatch.setattr(solitaire_seeds, "FOLDER", tmp_path)
    found = compared(deals=DEALS[:12])
    assert "regret" not in set(found.metrics["metric"])
    assert found.result["labels"][PYRAMID] == {"file": "pyramid-test.csv", "sha256": None}
    table, _ = make_tables(found)
    assert "Without the labels pyramid-test.csv" in str(table.caption)
