"""Agents as they are named on the command line, and their hashes."""

import gc
import itertools
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from solitaire_agents.trained import SHIPPED
from solitaire_agents.tree_planner import TreePlanner
from solitaire_envs.engine import Engine
from solitaire_evaluation import source_hash
from solitaire_evaluation.agent_specs import find_agent_specs, make_agent, trained_folder
from solitaire_evaluation.analysis import odds_of, policy_of
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.source_hash import source_files
from tests.training.comparing import DEALS, PYRAMID, TOUR, compared, rows_of


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        ("uniform,uniform", "expected each agent once, got 'uniform' 2 times"),
        ("careful@sample", "expected a trained agent before @sample, got 'careful'"),
        ("careful@no-bounds", "expected a trained agent before @no-bounds, got 'careful'"),
        ("careful@search", "expected a trained agent before @search, got 'careful'"),
        ("best@search@sample", "expected @search without other modes, got 'best@search@sample'"),
        ("best@search200@sample", "expected @search without other modes, got 'best@search200@sample'"),
        ("pyramid-score@search0", "expected 1 to 100,000 simulations after @search, got '0'"),
        ("pyramid-score@search200000", "expected 1 to 100,000 simulations after @search, got '200000'"),
        ("pyramid-score@searchmany", "expected an agent of pyramid among"),
        (
            "pyramid-win@search",
            "expected an agent that was trained for this objective to guide a search, got 'pyramid-win'",
        ),
        ("no/such-*", "expected folders that match 'no/such-\\*', got none"),
        ("golf", "expected an agent of pyramid"),
    ],
)
def test_wrong_agents(agents: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compared(agents=agents)


def test_an_agent_cannot_have_the_name_of_a_recipe(trained: Path, tmp_path: Path) -> None:
    recipe = f"careful={trained}/p*"
    with pytest.raises(ValueError, match="expected other names for recipes than for agents, got 'careful' for both"):
        compared(agents=f"careful,{recipe}", deals=DEALS[:6])
    compared(tmp_path / "r", "careful", deals=DEALS[:6])
    with pytest.raises(ValueError, match="got 'careful' for both"):
        compared(tmp_path / "r", recipe, deals=DEALS[:6])


def test_what_is_recorded_of_an_agent(trained: Path) -> None:
    env_spec = make_env_spec(PYRAMID, {})
    texts = ["uniform", "careful", "planner", "oracle", f"ppo={trained}/p*", f"{trained}/p1@sample"]
    found = {spec.name: spec for spec in find_agent_specs(texts, env_spec.game, env_spec.options)}
    assert [name for name, spec in found.items() if not spec.quick] == ["planner", "oracle"]
    assert [spec.title for spec in found.values() if not spec.fair] == ["oracle*"]
    assert [spec.training_seed for spec in found.values()] == [None] * 4 + [1, 2, 1]
    assert [spec.group for spec in found.values()] == [*texts[:4], "ppo", "ppo", texts[-1]]
    sampled = found[texts[-1]]
    assert sampled.sha256 != found["ppo#1"].sha256
    assert make_agent(sampled, env_spec.game, env_spec.options).mode == "sample"  # type: ignore[attr-defined]


def test_trained_agents_of_the_package_have_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyramid, tour = make_env_spec(PYRAMID, {}), make_env_spec(TOUR, {"passes": 1})
    texts = ["pyramid-win", "pyramid-win@sample", "score=pyramid-score", "tour-infernale-one-pass"]
    specs = find_agent_specs(texts, pyramid.game, pyramid.options, skip=True)
    assert [spec.source for spec in specs] == [*texts[:2], "pyramid-score"]
    assert [one.name for one in find_agent_specs(texts, tour.game, tour.options, skip=True)] == texts[3:]
    (tmp_path / "pyramid-win").mkdir()
    monkeypatch.chdir(tmp_path)
    assert trained_folder(specs[0], pyramid.game) == SHIPPED / "pyramid-win"
    agent = make_agent(specs[0], pyramid.game, pyramid.options)
    assert agent.folder == SHIPPED / "pyramid-win"
    with pytest.raises(ValueError, match="expected the card of a trained agent"):
        find_agent_specs(["./pyramid-win"], pyramid.game, pyramid.options)
    with pytest.raises(ValueError, match=r"expected an agent of pyramid among .*, pyramid-win, .*; got 'tour-infer"):
        find_agent_specs(["tour-infernale-one-pass"], pyramid.game, pyramid.options)


@pytest.mark.parametrize("suffix", ["", "@sample"])
def test_a_trained_agent_tells_no_odds_of_another_objective(suffix: str) -> None:
    for objective, name in itertools.product(("win", "score"), ("pyramid-win", "pyramid-score")):
        env_spec = make_env_spec(PYRAMID, {"objective": objective})
        (spec,) = find_agent_specs([name + suffix], env_spec.game, env_spec.options)
        agent, engine = make_agent(spec, env_spec.game, env_spec.options), Engine(env_spec.game, env_spec.options, 1)
        engine.deal_numbers([7])
        tells = name == f"pyramid-{objective}"
        assert (odds_of(agent, engine, 1) is not None) == tells
        judgement = policy_of(agent, engine)
        assert ("value" in judgement) == tells
        assert judgement["chances"]


def test_modes_of_a_trained_agent_may_be_combined(trained: Path) -> None:
    env_spec = make_env_spec(PYRAMID, {})
    texts = [f"{trained}/p1{modes}" for modes in ("", "@sample", "@no-bounds", "@no-bounds@sample")]
    specs = find_agent_specs(texts, env_spec.game, env_spec.options)
    agents: list[Any] = [make_agent(spec, env_spec.game, env_spec.options) for spec in specs]
    assert [(agent.mode, agent.bounds) for agent in agents] == [
        ("greedy", True),
        ("sample", True),
        ("greedy", False),
        ("sample", False),
    ]
    assert [spec.stochastic for spec in specs] == [False, True, False, True]
    assert len({spec.sha256 for spec in specs}) == 4


def test_a_trained_agent_guides_a_search(trained: Path) -> None:
    env_spec = make_env_spec(PYRAMID, {})
    plain, specs = (
        find_agent_specs([f"{trained}/p1{mode}"], env_spec.game, env_spec.options) for mode in ("", "@search")
    )
    agent = make_agent(specs[0], env_spec.game, env_spec.options)
    assert isinstance(agent, TreePlanner)
    assert agent.fair
    assert not specs[0].quick
    assert trained_folder(specs[0], env_spec.game) == agent.folder == trained / "p1"
    assert specs[0].sha256 != plain[0].sha256
    assert specs[0].training_seed == 1


def test_a_name_says_how_many_simulations(trained: Path) -> None:
    env_spec = make_env_spec(PYRAMID, {})
    texts = [f"{trained}/p1@search", f"{trained}/p*@search20"]
    specs = find_agent_specs(texts, env_spec.game, env_spec.options)
    assert len({spec.sha256 for spec in specs}) == len(specs) == 3
    agents: list[Any] = [make_agent(spec, env_spec.game, env_spec.options) for spec in specs]
    assert [agent.effort.simulations for agent in agents] == [1_000, 20, 20]


def test_results_of_a_planner_with_few_simulations_can_be_played_again(tmp_path: Path) -> None:
    """Its name stands for no module, as one with a colon would."""
    agents, tour = "best@search2", [make_env_spec(TOUR, {})]
    first, again = (compared(tmp_path / "r", agents, env_specs=tour, deals=DEALS[:2]) for _ in range(2))
    assert rows_of(first) == rows_of(again)
    assert set(first.agents["name"]) == {agents}


def test_what_an_agent_is_made_of() -> None:
    """Its hash changes with every module that it imports."""
    paths = {str(path) for path in source_files("solitaire_agents.tour_infernale.solving")}
    for wanted in ("tour_infernale/solving.py", "tour_infernale/solver/api.py", "kit.py", "game.py"):
        assert any(path.endswith(wanted) for path in paths), wanted
    assert not any("agents/solitaire_agents/pyramid/" in path for path in paths)


@pytest.fixture
def threads_change_everywhere() -> Iterator[None]:
    """Has the interpreter change threads as often as it can, within calls to C that allocate, too."""
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()

    def run_python(phase: str, info: dict[str, int]) -> None:
        sum(range(50))

    gc.callbacks.append(run_python)
    gc.set_threshold(50)
    sys.setswitchinterval(1e-6)
    yield
    gc.callbacks.remove(run_python)
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)


@pytest.mark.slow
@pytest.mark.usefixtures("threads_change_everywhere")
def test_threads_may_ask_at_once_what_agents_are_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_hash, "_imports", source_hash._imports.__wrapped__)  # each parses anew
    names = [
        f"solitaire_agents.{game}.{module}"
        for game in ("pyramid", "tour_infernale")
        for module in ("solving", "heuristics")
    ]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(source_files.__wrapped__, names * 3))
    assert found == [source_files(name) for name in names] * 3
