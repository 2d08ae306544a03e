"""Results of different protocols or of changed agents are never mixed in one folder."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import solitaire_envs
from solitaire_evaluation import store
from solitaire_evaluation.env_spec import make_env_spec
from tests.training.comparing import DEALS, PYRAMID, TOUR, compared


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"deals": DEALS[:449]}, "expected deals.count 450, as in .*, got 449"),
        ({"deals": DEALS + np.uint64(1)}, "expected deals.first 0"),
        ({"deals": DEALS[np.r_[0, 2, 1, 3:450]]}, "expected deals.sha256"),
        ({"seed": 1}, "expected seed 0"),
        (
            {"env_specs": [make_env_spec(PYRAMID, {"passes": 2})]},
            "environments.solitaire/Pyramid-v0.passes 3.*got 2",
        ),
        (
            {"env_specs": [make_env_spec(TOUR, {})], "agents": "thrifty"},
            "expected environments.solitaire/Pyramid-v0",
        ),
    ],
)
def test_nothing_is_mixed(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    compared(tmp_path / "r")
    before = (tmp_path / "r" / store.RESULT).read_bytes()
    with pytest.raises(ValueError, match=message):
        compared(tmp_path / "r", **changes)
    assert (tmp_path / "r" / store.RESULT).read_bytes() == before


def test_other_versions_and_changed_agents_are_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared(tmp_path / "r")
    with monkeypatch.context() as patch:
        patch.setattr(store, "versions", lambda: {"numpy": "1.0"})
        with pytest.raises(ValueError, match="expected versions"):
            compared(tmp_path / "r")
    monkeypatch.setattr("solitaire_evaluation.agent_specs.hash_files", lambda paths, text="": "0" * 64)
    with pytest.raises(ValueError, match="expected uniform with sha256 .* it has changed"):
        compared(tmp_path / "r")


def test_other_sources_of_the_game_make_another_protocol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared(tmp_path / "r", deals=DEALS[:6])
    sources = tmp_path / "solitaire_envs"
    shutil.copytree(Path(solitaire_envs.__file__).parent, sources, ignore=shutil.ignore_patterns("__pycache__"))
    with (sources / "engine.py").open("a") as file:
        file.write("# changed")
    monkeypatch.setattr(solitaire_envs, "__file__", str(sources / "__init__.py"))
    with pytest.raises(ValueError, match="expected environments_sha256 "):
        compared(tmp_path / "r", deals=DEALS[:6])


def test_what_only_one_of_two_protocols_has_is_a_difference() -> None:
    store.check_protocol("the folder", {"a": {"b": 1}}, {"a": {"b": 1}})
    with pytest.raises(ValueError, match=r"expected a\.c None, as in the folder, got 2: choose another folder"):
        store.check_protocol("the folder", {"a": {"b": 1}}, {"a": {"b": 1, "c": 2}})
    with pytest.raises(ValueError, match=r"expected a\.b 1, as in the folder, got None"):
        store.check_protocol("the folder", {"a": {"b": 1}}, {"a": {}})


def test_agents_of_one_module_are_different(tmp_path: Path) -> None:
    compared(tmp_path / "r", "mine=careful", deals=DEALS[:20])
    with pytest.raises(ValueError, match="expected mine with sha256 .* it has changed"):
        compared(tmp_path / "r", "mine=pyramid-first", deals=DEALS[:20])


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="expected a new folder or one of results"):
        compared(tmp_path)
    for content in ("{}", "[]", '{"format": "solitaire-rl policy 2"}'):
        (tmp_path / store.PROTOCOL).write_text(content)
        with pytest.raises(ValueError, match="expected format 'solitaire-rl result 1', got"):
            compared(tmp_path)


def test_the_result_says_how_to_repeat_it(tmp_path: Path) -> None:
    compared(tmp_path / "r", "careful,oracle", deals=DEALS[:40], baseline="oracle")
    content = json.loads((tmp_path / "r" / store.RESULT).read_text())
    assert content["format"] == "solitaire-rl result 1"
    assert content["environments"][PYRAMID]["information"] == "memory"
    assert content["deals"]["count"] == 40
    assert len(content["deals"]["sha256"]) == len(content["environments_sha256"]) == 64
    assert {"python", "numpy", "numba", "solitaire-rl"} <= set(content["versions"])
    assert content["hardware"]["cores"] >= 1
    careful, oracle = content["agents"]
    assert (careful["fair"], careful["information"]) == (True, "memory")
    assert (oracle["fair"], oracle["information"]) == (False, "open")
    assert len(careful["sha256"]) == 64
    assert content["differences"][0]["baseline"] == "oracle"
    assert {(row["stratum"], row["metric"]) for row in content["metrics"]} >= {("all", "won"), ("winnable", "score")}
    outcomes = pd.read_parquet(tmp_path / "r" / store.OUTCOMES)
    assert len(outcomes) == 80
    assert {"env", "agent", "deal", "score", "won", "moves"} <= set(outcomes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agents": None}, "expected agents to be list, got None"),
        ({"agents": [{}]}, r"expected agents\[0\].name to be str, got None"),
        ({"deals": {"count": "many"}}, "expected deals.count to be int, got 'many'"),
        ({"seed": True}, "expected seed to be int, got True"),
        ({"environments": []}, r"expected environments to be dict, got \[\]"),
        ({"tables_sha256": {}}, "expected tables_sha256.outcomes.parquet to be str, got None"),
    ],
)
def test_a_summary_of_another_shape_is_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    compared(tmp_path, deals=DEALS[:6])
    path = tmp_path / store.RESULT
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    with pytest.raises(ValueError, match=message):
        store.read_result(tmp_path)


@pytest.mark.parametrize("name", ["[/x]", "$\\bad$", "a\x1b[2J"])
def test_names_that_mean_something_to_a_terminal_a_table_or_a_plot_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected an agent's name without"):
        compared(tmp_path, f"{name}=careful", deals=DEALS[:6])
    compared(tmp_path, deals=DEALS[:6])
    path = tmp_path / store.RESULT
    content = json.loads(path.read_text())
    content["agents"][0]["name"] = name
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="expected an agent's name without"):
        store.read_result(tmp_path)


def test_results_are_loaded_as_they_were_computed(tmp_path: Path) -> None:
    found = compared(tmp_path, deals=DEALS[:6])
    loaded = store.load_results(str(tmp_path))
    for name in ("outcomes", "metrics", "differences"):
        pd.testing.assert_frame_equal(getattr(loaded, name), getattr(found, name))
    assert loaded.agents["name"].tolist() == found.agents["name"].tolist()
    assert loaded.result["deals"] == found.result["deals"]


def test_an_altered_table_is_refused(tmp_path: Path) -> None:
    compared(tmp_path, deals=DEALS[:6])
    result = store.read_result(tmp_path)
    assert len(store.read_table(tmp_path, store.OUTCOMES, result)) == 12
    for name in (store.OUTCOMES, store.METRICS, store.DIFFERENCES):
        pd.testing.assert_frame_equal(store.read_table(tmp_path, name, result), pd.read_parquet(tmp_path / name))
    (tmp_path / store.OUTCOMES).write_bytes((tmp_path / store.METRICS).read_bytes())
    with pytest.raises(ValueError, match=r"outcomes.parquet, got: another SHA-256 than in result.json"):
        store.read_table(tmp_path, store.OUTCOMES, result)
