"""Comparisons that can be cited: intervals that cover, results that can be resumed and cannot be mixed, the page."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from solitaire_agents.catalogue import find_agent
from solitaire_envs import pyramid
from solitaire_envs.cards import deck_of_deal
from solitaire_envs.catalogue import CATALOGUE, find_entry
from solitaire_training.commands.main import main
from solitaire_training.evaluation import agent_specs as contestants
from solitaire_training.evaluation import parallel
from solitaire_training.evaluation import store as results
from solitaire_training.evaluation.agent_specs import find_contestants
from solitaire_training.evaluation.compare import Comparison, compare, read_deals
from solitaire_training.evaluation.labels import count_blockers, label_deals, parts_of
from solitaire_training.evaluation.parallel import play_tasks
from solitaire_training.evaluation.play import play
from solitaire_training.evaluation.statistics import (
    Estimate,
    holm,
    interquartile_mean,
    mean,
    paired_mean,
    paired_share,
    share,
)
from solitaire_training.evaluation.store import make_arena, make_tasks
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.train import EVALUATIONS, read_evaluations, train
from solitaire_training.report.plots import Plots
from solitaire_training.report.replays import Showcase
from solitaire_training.report.tables import make_tables

REPETITIONS = 2_000
PYRAMID, TOUR = "solitaire/Pyramid-v0", "solitaire/TourInfernaleOnePass-v0"
Values = NDArray[np.float64]


# --- Intervals cover the truth as often as they say -------------------------------------------------------------------


def covered(estimate: Callable[[np.random.Generator], Estimate], truth: float) -> float:
    random = np.random.default_rng(20)
    inside = 0
    for _ in range(REPETITIONS):
        found = estimate(random)
        inside += found.low <= truth <= found.high
    return inside / REPETITIONS


def scores(random: np.random.Generator, size: int) -> Values:
    """Two humps and a long tail, as scores of Pyramid have."""
    lost, cleared = -random.gamma(4.0, 4.0, size), random.choice([20.0, 35.0, 50.0], size, p=[0.5, 0.4, 0.1])
    return np.where(random.random(size) < 0.3, cleared, lost).round(1)


TRUE_SCORE = 0.3 * (0.5 * 20 + 0.4 * 35 + 0.1 * 50) - 0.7 * 16


@pytest.mark.parametrize(("probability", "deals"), [(0.02, 1_000), (0.2, 300), (0.65, 600)])
def test_wilson_intervals_cover(probability: float, deals: int) -> None:
    coverage = covered(lambda random: share((random.random(deals) < probability).astype(float)), probability)
    assert 0.93 <= coverage <= 0.97


@pytest.mark.parametrize("deals", [12, 100])
def test_bootstrap_intervals_of_means_cover(deals: int) -> None:
    assert 0.93 <= covered(lambda random: mean(random.normal(3.0, 2.0, deals)), 3.0) <= 0.97


def test_bootstrap_intervals_of_skewed_means_cover() -> None:
    assert 0.93 <= covered(lambda random: mean(scores(random, 100)), TRUE_SCORE) <= 0.97


def test_counts_give_the_same_bootstrap_as_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values = scores(np.random.default_rng(0), 3_000).round()
    counted = mean(values)
    monkeypatch.setattr("solitaire_training.evaluation.statistics.COST_OF_COUNT", 1_000_000)
    drawn = mean(values)
    assert counted.value == drawn.value
    assert counted != drawn
    assert abs(counted.half_width / drawn.half_width - 1) < 0.05


def test_paired_bootstrap_intervals_cover() -> None:
    def difference(random: np.random.Generator) -> Estimate:
        shared = scores(random, 100)  # how easy the deals are: common to both
        return paired_mean(shared + random.normal(1.5, 3.0, 100), shared + random.normal(0.0, 5.0, 100)).estimate

    assert 0.93 <= covered(difference, 1.5) <= 0.97


@pytest.mark.parametrize(("gained", "lost", "deals"), [(0.12, 0.08, 400), (0.02, 0.01, 1_000), (0.3, 0.05, 60)])
def test_intervals_of_paired_shares_cover(gained: float, lost: float, deals: int) -> None:
    def difference(random: np.random.Generator) -> Estimate:
        ours, theirs = paired_outcomes(random, gained, lost, deals)
        return paired_share(ours, theirs).estimate

    assert 0.93 <= covered(difference, gained - lost) <= 0.97


def paired_outcomes(random: np.random.Generator, gained: float, lost: float, deals: int) -> tuple[Values, Values]:
    kind = random.choice(4, deals, p=[gained, lost, 0.2, 0.8 - gained - lost])
    return np.isin(kind, [0, 2]).astype(float), np.isin(kind, [1, 2]).astype(float)


@pytest.mark.parametrize("seeds", [(6,), (10,), (5, 5), (10, 10)])
def test_intervals_over_training_seeds_cover(seeds: tuple[int, ...]) -> None:
    def over_seeds(random: np.random.Generator) -> Estimate:
        return interquartile_mean([random.normal(2.0, 1.0, count) for count in seeds])

    assert 0.93 <= covered(over_seeds, 2.0) <= 0.97


def test_over_five_seeds_the_interval_is_their_range() -> None:
    """It covers a symmetric truth in all but 2 of 2^5 cases: 93.75 %."""
    values = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    assert interquartile_mean([values]) == Estimate(14 / 3, 1.0, 16.0)


def test_no_interval_over_fewer_than_five_seeds() -> None:
    found = interquartile_mean([np.array([1.0, 2.0, 4.0, 9.0])])
    assert found.value == 3.0
    assert np.isnan([found.low, found.high]).all()


def test_p_values_of_equals_are_seldom_small() -> None:
    random = np.random.default_rng(3)
    wins = [paired_share(*paired_outcomes(random, 0.1, 0.1, 300)).p_value for _ in range(1_000)]
    points = [paired_mean(scores(random, 50), scores(random, 50)).p_value for _ in range(1_000)]
    assert np.mean(np.array(wins) < 0.05) < 0.065
    assert np.mean(np.array(points) < 0.05) < 0.065


def test_holm() -> None:
    assert holm([0.01, 0.04, float("nan"), 0.03])[:2] == [0.03, 0.06]
    assert holm([0.04, 0.04]) == [0.08, 0.08]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_estimates_of_little() -> None:
    nothing = np.array([])
    assert np.isnan(share(nothing).value)
    assert np.isnan(mean(nothing).value)
    assert np.isnan(mean(np.ones(1)).low)
    assert mean(np.ones(5)) == Estimate(1.0, 1.0, 1.0)
    assert paired_share(np.ones(9), np.ones(9)).p_value == 1.0
    assert paired_mean(np.ones(9), np.ones(9)).p_value == 1.0
    one = paired_mean(np.ones(1), np.ones(1))
    assert one.estimate.value == 0
    assert np.isnan([one.estimate.low, one.estimate.high, one.p_value]).all()


def test_one_deal_has_no_interval_of_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "r")
    assert main(["compare", "--agents", "uniform,careful", "--deals", "1", "--jobs", "1", "--out", out]) == 0
    assert "nan" not in capsys.readouterr().out
    figures = pd.read_parquet(tmp_path / "r" / results.FIGURES)
    rows = figures[figures["figure"].isin(["score", "moves", "passes"])]
    assert rows["low"].isna().all()
    assert main(["report", out]) == 0


# --- Comparisons ------------------------------------------------------------------------------------------------------

DEALS = np.arange(450, dtype=np.uint64)


def compared(folder: Path | None = None, agents: str = "uniform,careful", **changes: Any) -> Comparison:
    arguments: dict[str, Any] = {"arenas": [make_arena(PYRAMID, {})], "deals": DEALS, "folder": folder, **changes}
    return compare(specs=agents.split(","), **arguments)


def numbers(found: Comparison) -> list[list[dict[str, Any]]]:
    return [results.to_records(table) for table in (found.outcomes, found.figures, found.differences)]


def test_jobs_order_and_folder_change_nothing(tmp_path: Path) -> None:
    plain = numbers(compared())
    assert numbers(compared(jobs=2)) == plain
    assert numbers(compared(tmp_path / "r")) == plain
    assert numbers(compared(tmp_path / "r")) == plain


def test_slow_agents_play_in_processes() -> None:
    arena = make_arena(PYRAMID, {})
    (oracle,) = find_contestants(["oracle"], arena.game, arena.options)
    assert not oracle.quick
    tasks = make_tasks(arena, oracle, DEALS[:40], 0)
    assert [len(task.deals) for task in tasks] == [20, 20]
    here = {task.number: outcomes for task, outcomes, _ in play_tasks(tasks, 1)}
    there = {task.number: outcomes for task, outcomes, _ in play_tasks(tasks, 2)}
    assert all((here[number] == there[number]).all() for number in (0, 1))


def test_goes_on_where_it_stopped_and_heals_what_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = numbers(compared(tmp_path / "r"))
    parts = sorted((tmp_path / "r" / "parts").rglob("*.npy"))
    assert len(parts) == 6
    parts[0].unlink()
    parts[1].write_bytes(parts[1].read_bytes()[:100])
    parts[2].write_bytes(b"")
    played: list[int] = []
    monkeypatch.setattr(
        "solitaire_training.evaluation.parallel.play", lambda *args, **kwargs: played.append(1) or play(*args, **kwargs)
    )
    assert numbers(compared(tmp_path / "r")) == whole
    assert len(played) == 3
    assert not list(tmp_path.rglob("*.partial"))


def test_kill_in_the_middle(tmp_path: Path) -> None:
    arguments = ["compare", "--agents", "uniform,careful", "--deals", "4000", "--jobs", "1", "--out"]
    command = [sys.executable, "-m", "solitaire_training", *arguments, str(tmp_path / "killed")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and len(list(tmp_path.rglob("*.npy"))) < 3:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert 3 <= len(list(tmp_path.rglob("*.npy"))) < 40
    assert not (tmp_path / "killed" / results.RESULT).exists()
    for name in ("killed", "whole"):
        assert main([*arguments, str(tmp_path / name)]) == 0
    for name in (results.OUTCOMES, results.FIGURES, results.DIFFERENCES):
        pd.testing.assert_frame_equal(
            pd.read_parquet(tmp_path / "killed" / name), pd.read_parquet(tmp_path / "whole" / name), check_exact=True
        )


def test_agents_are_added_to_a_folder(tmp_path: Path) -> None:
    compared(tmp_path / "r")
    found = compared(tmp_path / "r", "pyramid-first")
    assert list(found.agents["name"]) == ["uniform", "careful", "pyramid-first"]
    together = compared(agents="uniform,careful,pyramid-first")
    assert numbers(found) == numbers(together)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"deals": DEALS[:449]}, "expected deals.count 450, as in .*, got 449"),
        ({"deals": DEALS + np.uint64(1)}, "expected deals.first 0"),
        ({"deals": DEALS[np.r_[0, 2, 1, 3:450]]}, "expected deals.sha256"),
        ({"seed": 1}, "expected seed 0"),
        (
            {"arenas": [make_arena(PYRAMID, {"passes": 2})]},
            "environments.solitaire/Pyramid-v0.passes 3.*got 2",
        ),
        ({"arenas": [make_arena(TOUR, {})], "agents": "tidy"}, "expected environments.solitaire/Pyramid-v0"),
    ],
)
def test_nothing_is_mixed(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    compared(tmp_path / "r")
    before = (tmp_path / "r" / results.RESULT).read_bytes()
    with pytest.raises(ValueError, match=message):
        compared(tmp_path / "r", **changes)
    assert (tmp_path / "r" / results.RESULT).read_bytes() == before


def test_other_versions_and_changed_agents_are_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared(tmp_path / "r")
    with monkeypatch.context() as patch:
        patch.setattr(results, "versions", lambda: {"numpy": "1.0"})
        with pytest.raises(ValueError, match="expected versions"):
            compared(tmp_path / "r")
    monkeypatch.setattr("solitaire_training.evaluation.agent_specs.hash_files", lambda paths, text="": "0" * 64)
    with pytest.raises(ValueError, match="expected uniform with sha256 .* it has changed"):
        compared(tmp_path / "r")


def test_what_is_missing_of_an_earlier_agent_is_played_again_by_the_same_agent_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared(tmp_path / "r")
    whole = numbers(compared(tmp_path / "r", "pyramid-first"))
    next((tmp_path / "r" / "parts").rglob("careful-*/*.npy")).unlink()
    assert numbers(compared(tmp_path / "r", "pyramid-first")) == whole
    next((tmp_path / "r" / "parts").rglob("careful-*/*.npy")).unlink()
    parallel._agent.cache_clear()
    other = contestants._sources("solitaire_agents.uniform")
    monkeypatch.setattr(contestants, "_sources", lambda module: other)
    with pytest.raises(ValueError, match="expected careful with sha256 .* it has changed"):
        compared(tmp_path / "r", "uniform")


def test_agents_of_one_module_are_told_apart(tmp_path: Path) -> None:
    compared(tmp_path / "r", "mine=careful", deals=DEALS[:20])
    with pytest.raises(ValueError, match="expected mine with sha256 .* it has changed"):
        compared(tmp_path / "r", "mine=pyramid-first", deals=DEALS[:20])


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="expected a new folder or one of results"):
        compared(tmp_path)
    (tmp_path / results.PROTOCOL).write_text("{}")
    with pytest.raises(ValueError, match="expected format"):
        compared(tmp_path)


def test_the_result_tells_how_to_repeat_it(tmp_path: Path) -> None:
    compared(tmp_path / "r", "careful,oracle", deals=DEALS[:40], baseline="oracle")
    content = json.loads((tmp_path / "r" / results.RESULT).read_text())
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
    outcomes = pd.read_parquet(tmp_path / "r" / results.OUTCOMES)
    assert len(outcomes) == 80
    assert {"env", "agent", "deal", "score", "won", "moves"} <= set(outcomes)


def test_the_oracle_has_no_regret_and_a_mark(capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(agents="careful,oracle", deals=DEALS[:60])
    figures = found.figures[found.figures["part"] == "all"].set_index(["agent", "figure"])["value"]
    assert figures["oracle", "regret"] == 0
    assert figures["careful", "regret"] > 5
    assert figures["careful", "winnable won"] > figures["careful", "won"]
    assert main(["compare", "--agents", "careful,oracle", "--deals", "20", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    assert "oracle*" in printed
    assert "careful*" not in printed


def test_parts_of_the_deals(tmp_path: Path) -> None:
    labels = label_deals(make_arena(PYRAMID, {}), DEALS)
    parts = dict(parts_of(labels))
    for kind in ("solver nodes", "blockers"):
        inside = np.array([mask for name, mask in parts.items() if name.startswith(kind)])
        assert 2 <= len(inside) <= 4
        assert (inside.sum(axis=0) == 1).all()
    assert (parts["winnable"] ^ parts["not winnable"]).all()
    assert set(label_deals(make_arena(PYRAMID, {"passes": 2}), DEALS)["winnable"]) == {-1}
    beyond = label_deals(make_arena(PYRAMID, {}), DEALS + np.uint64(20_000))
    assert beyond["best_score"].isna().all()


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (0, None),
        (20_000, None),
        (999_999, "5 of the 6 deals are validation"),
        (2**64 - 6, "6 of the 6 deals are training"),
    ],
)
def test_what_is_no_test_is_said(first: int, words: str | None, tmp_path: Path, capsys: Any) -> None:
    deals = tmp_path / "deals.txt"
    deals.write_text("\n".join(str(first + offset) for offset in range(6)))
    arguments = ["--agents", "uniform,careful", "--deals", str(deals), "--jobs", "1", "--out", str(tmp_path / "r")]
    assert main(["compare", *arguments]) == 0
    assert main(["report", str(tmp_path / "r")]) == 0
    for told in (capsys.readouterr().out, (tmp_path / "r" / "report.html").read_text(encoding="utf-8")):
        assert ("Not test results" in told) == (words is not None)
        assert words is None or words in told


def test_missing_labels_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an installed wheel, which brings no seeds/."""
    monkeypatch.setattr("solitaire_training.evaluation.labels.SEEDS", tmp_path)
    found = compared(deals=DEALS[:12])
    assert "regret" not in set(found.figures["figure"])
    assert found.protocol["labels"][PYRAMID] == {"file": "pyramid-test.csv", "sha256": None}
    table, _ = make_tables(found)
    assert "Without the labels pyramid-test.csv" in str(table.caption)


def test_blockers() -> None:
    for deal in range(20):
        deck = deck_of_deal(deal)
        pairs = [(low, high) for low in range(28) for high in pyramid.all_covers(low)]
        expected = sum(int(deck[low]) % 13 + int(deck[high]) % 13 + 2 == 13 for low, high in pairs)
        assert count_blockers(np.array([deal], dtype=np.uint64))[0] == expected


@pytest.mark.parametrize("agent", ["foundation-only", "greedy", "tidy"])
def test_games_that_go_round_in_circles_end_as_they_would(agent: str) -> None:
    entry = find_entry(TOUR)
    options = make_arena(TOUR, {}).options
    chosen = find_agent(agent, entry.game, options)
    cut = play(chosen, entry.game, options, DEALS)
    chosen.memoryless = False
    assert (play(chosen, entry.game, options, DEALS).outcomes == cut.outcomes).all()
    assert (cut.outcomes["moves"] == 1_000).any()


@pytest.mark.parametrize("passes", [1, None])
@pytest.mark.parametrize("agent", ["greedy", "uniform"])
def test_games_that_need_not_end_are_refused(agent: str, passes: int | None) -> None:
    arena = make_arena(TOUR, {"passes": passes, "max_moves": None})
    with pytest.raises(ValueError, match="expected max_moves, for games of tour_infernale need not end without"):
        play(find_agent(agent, arena.game, arena.options), arena.game, arena.options, DEALS)


@pytest.mark.parametrize("env", list(CATALOGUE))
def test_every_environment_can_be_compared(env: str) -> None:
    arena = make_arena(env, {})
    heuristic = "careful" if "Pyramid" in env else "tidy"
    found = compared(agents=f"uniform,{heuristic}", arenas=[arena], deals=DEALS[:8])
    assert len(found.outcomes) == 16


def test_wrong_requests(tmp_path: Path) -> None:
    both = [make_arena(PYRAMID, {}), make_arena(TOUR, {})]
    for agents, message in (
        ("uniform,uniform", "expected each agent once, got 'uniform' 2 times"),
        ("careful@sample", "expected the folder of a policy before @sample"),
        ("no/such-*", "expected folders that match 'no/such-\\*', got none"),
        ("golf", "expected an agent of pyramid"),
    ):
        with pytest.raises(ValueError, match=message):
            compared(agents=agents)
    with pytest.raises(ValueError, match="expected the baseline among the agents"):
        compared(baseline="golf")
    with pytest.raises(ValueError, match="expected an agent for .*Pyramid-v0, got none among tidy"):
        compared(agents="tidy", arenas=both)
    path = tmp_path / "deals.txt"
    path.write_text("1\n2\n1\n")
    with pytest.raises(ValueError, match="expected each deal once, got 1 in places 1 and 3"):
        read_deals(str(path))
    assert main(["compare", "--env", f"{PYRAMID},{TOUR}", "--agents", "uniform", "--json", "x.json"]) == 2
    assert main(["report", str(tmp_path / "none")]) == 2


# --- Training seeds and the page --------------------------------------------------------------------------------------

TINY: dict[str, Any] = {
    "num_envs": 16,
    "rollout_steps": 8,
    "batch_size": 64,
    "epochs": 1,
    "token_width": 4,
    "trunk_width": 8,
    "trunk_layers": 1,
    "eval_every": 128,
    "eval_deals": 8,
    "total_steps": 512,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of heuristics, the oracle, and two training seeds in both games."""
    root = tmp_path_factory.mktemp("report")
    for name, env in (("p", PYRAMID), ("t", TOUR)):
        for seed in (1, 2):
            config = TrainConfig(env=env, seed=seed, **TINY)
            train(config, root / f"{name}{seed}", progress_bar=False, say=lambda line: None)
    arenas = [make_arena(PYRAMID, {}), make_arena(TOUR, {})]
    agents = f"uniform,careful,tidy,oracle,ppo={root}/p*+{root}/t*,{root}/p1@sample"
    compared(root / "r", agents, arenas=arenas, deals=DEALS[:40], baseline="careful")
    assert main(["report", str(root / "r")]) == 0
    return root


def test_training_seeds(folder: Path) -> None:
    figures = pd.read_parquet(folder / "r" / results.FIGURES)
    rows = figures[(figures["group"] == "ppo") & (figures["figure"] == "score") & (figures["part"] == "all")]
    assert list(rows["agent"]) == ["ppo#1", "ppo#2", "ppo"] * 2
    assert list(rows["seeds"]) == [1, 1, 2] * 2
    values = rows["value"].to_numpy()
    assert values[2] == pytest.approx((values[0] + values[1]) / 2)
    over_all = figures[figures["env"] == "(all)"]
    assert (over_all["agent"].item(), over_all["seeds"].item(), over_all["count"].item()) == ("ppo", 2, 4)
    agents = json.loads((folder / "r" / results.RESULT).read_text())["agents"]
    assert len({agent["sha256"] for agent in agents if agent["group"] == "ppo"}) == 4
    assert {repr(agent["training_seed"]) for agent in agents} == {"1", "2", "None"}


def test_an_agent_cannot_go_by_the_name_of_a_recipe(folder: Path, tmp_path: Path) -> None:
    recipe = f"careful={folder}/p*"
    with pytest.raises(ValueError, match="expected other names for recipes than for agents, got 'careful' for both"):
        compared(agents=f"careful,{recipe}", deals=DEALS[:6])
    compared(tmp_path / "r", "careful", deals=DEALS[:6])
    with pytest.raises(ValueError, match="got 'careful' for both"):
        compared(tmp_path / "r", recipe, deals=DEALS[:6])


def test_learning_curves_are_kept(folder: Path) -> None:
    points = read_evaluations(folder / "p1")
    assert [point["steps"] for point in points] == [128, 256, 384, 512]
    assert points[0]["deals"] == 8
    assert points[0]["figures"]["score"]["low"] <= points[0]["figures"]["score"]["value"]
    with (folder / "p1" / EVALUATIONS).open("a") as file:
        file.write('{"steps": 64')
    assert len(read_evaluations(folder / "p1")) == 4
    assert read_evaluations(folder / "nowhere") == []


def test_the_page(folder: Path) -> None:
    page = (folder / "r" / "report.html").read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\s\"'<>]+", page)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not re.search(r"<(link|script|img|iframe)[^>]+(src|href)=\"(?!data:|#)", page)
    for words in ("oracle*", "Learning curves", "Regret", "blockers", "IQM of 2 seeds", "solitaire-rl compare --env"):
        assert words in page
    command = re.search(r"<pre>(.*?)</pre>", page, re.DOTALL)
    assert command is not None
    assert "--deals 40 --seed 0 --baseline careful --out DIR" in command[1]
    ids = re.findall(r"\bid=\"([^\"]+)\"", page)
    assert len(ids) == len(set(ids))
    assert len(list((folder / "r" / "plots").glob("*.png"))) == len(list((folder / "r" / "plots").glob("*.svg"))) >= 9


def test_games_on_the_page(folder: Path) -> None:
    page = (folder / "r" / "report.html").read_text(encoding="utf-8")
    scripts = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    pyramid_games, tour_games = (json.loads(script) for script in scripts)
    assert pyramid_games
    assert tour_games
    for game in pyramid_games:
        *frames, last = game["frames"]
        assert last["move"] is None
        bests = [frame["solver"]["best"] for frame in frames]
        assert bests == sorted(bests, reverse=True)  # no move makes the optimum better
        outlook = [frame["solver"]["winnable"] for frame in frames]
        assert outlook == sorted(outlook, reverse=True)
        for frame in frames:
            chances = [chance for _, chance in frame["chances"]]
            assert chances == sorted(chances, reverse=True)
            assert 0 < sum(chances) <= 1.001
            assert frame["move"] == frame["chances"][0][0]
            assert frame["value"].startswith("expects")


def test_a_game_that_was_won_could_be_won() -> None:
    """Also from positions that the solver leaves open, as the first ones of this deal."""
    arena = make_arena(TOUR, {})
    (tidy,) = find_contestants(["tidy"], arena.game, arena.options)
    *frames, _ = Showcase(arena, tidy).play(1, "won")["frames"]
    assert all(frame["solver"]["winnable"] for frame in frames)


def test_the_share_that_can_be_won_is_in_the_picture() -> None:
    found, labels = compared(deals=DEALS[:40]), label_deals(make_arena(PYRAMID, {}), DEALS[:40])
    (axes,) = Plots(found.outcomes, found.figures, labels).shares_won().axes
    assert axes.get_xlim()[1] > 100 * labels["winnable"].mean()


def test_a_page_without_the_policies(folder: Path, tmp_path: Path) -> None:
    """Figures stand by themselves: the page can be made where the runs are not."""
    shutil.copytree(folder / "r", tmp_path / "r")
    moved = [path.rename(tmp_path / path.name) for path in sorted(folder.glob("[pt]?"))]
    try:
        assert main(["report", str(tmp_path / "r")]) == 0
    finally:
        for path in moved:
            path.rename(folder / path.name)
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "oracle*" in page
    assert "Games to step through" not in page
    assert "No games to show: expected" in page
    (tmp_path / "r" / results.FIGURES).write_bytes(b"damaged")
    assert main(["report", str(tmp_path / "r")]) == 2


def test_what_an_agent_is_made_of() -> None:
    """Its hash changes with every module that it imports, and with how a policy is played."""
    paths = {str(path) for path in contestants._sources("solitaire_agents.tour_infernale.oracle")}
    for wanted in ("tour_infernale/oracle.py", "tour_infernale/solver/api.py", "line_follower.py", "game.py"):
        assert any(path.endswith(wanted) for path in paths), wanted
    assert not any("agents/solitaire_agents/pyramid/" in path for path in paths)
    assert contestants.hash_files([], "@sample") != contestants.hash_files([])
