"""Comparisons: their numbers depend on nothing but agents, deals and seed, and they can be interrupted."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from solitaire_evaluation import agent_specs, parallel, store
from solitaire_evaluation.chunks import CHUNKS
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.play import play
from solitaire_evaluation.pool import ThisMachine
from solitaire_evaluation.source_hash import source_files
from solitaire_training.commands.main import main
from tests.environments import walk
from tests.training.comparing import DEALS, PYRAMID, TOUR, compared, rows_of


def test_jobs_order_and_folder_change_nothing(tmp_path: Path) -> None:
    plain = rows_of(compared())
    assert rows_of(compared(workers=ThisMachine(2))) == plain
    assert rows_of(compared(tmp_path / "r")) == plain
    assert rows_of(compared(tmp_path / "r")) == plain


def test_resumes_where_it_stopped_and_plays_damaged_chunks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = rows_of(compared(tmp_path / "r"))
    chunks = sorted((tmp_path / "r" / CHUNKS).rglob("*.npy"))
    assert len(chunks) == 6
    chunks[0].unlink()
    chunks[1].write_bytes(chunks[1].read_bytes()[:100])
    chunks[2].write_bytes(b"")
    played: list[int] = []
    monkeypatch.setattr(parallel, "play", lambda *args, **kwargs: played.append(1) or play(*args, **kwargs))
    assert rows_of(compared(tmp_path / "r")) == whole
    assert len(played) == 3
    assert not list(tmp_path.rglob("*.partial"))


def test_an_earlier_agent_of_a_module_that_nobody_names_is_not_played_again(tmp_path: Path) -> None:
    """A folder may come from a stranger; only what the command names is imported."""
    folder = tmp_path / "r"
    compared(folder, deals=DEALS[:6])
    path = folder / store.RESULT
    path.write_text(
        path.read_text()
        .replace('"source":"uniform"', '"source": "stranger:Agent"')
        .replace('"source": "uniform"', '"source": "stranger:Agent"')
    )
    assert "stranger:Agent" in path.read_text()
    compared(folder, "careful", deals=DEALS[:6])  # its games are there
    for chunk in (folder / CHUNKS).rglob("*.npy"):
        chunk.unlink()
    with pytest.raises(ValueError, match="expected `--import stranger`, for a result to be played again is of"):
        compared(folder, "careful", deals=DEALS[:6])


def test_outcomes_are_in_the_order_of_the_deals_whatever_is_done_first(tmp_path: Path) -> None:
    whole = rows_of(compared(tmp_path / "r"))
    for chunk in (tmp_path / "r" / CHUNKS).rglob("00000.npy"):
        chunk.unlink()  # so that the first deals are played last
    assert rows_of(compared(tmp_path / "r")) == whole


def test_kill_in_the_middle(tmp_path: Path) -> None:
    arguments = ["compare", "--agents", "uniform,careful", "--deals", "4000", "--jobs", "1", "--out"]
    command = [sys.executable, "-m", "solitaire_training", *arguments, str(tmp_path / "killed")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and len(list(tmp_path.rglob("*.npy"))) < 3:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert 3 <= len(list(tmp_path.rglob("*.npy"))) < 40
    assert not (tmp_path / "killed" / store.RESULT).exists()
    for name in ("killed", "whole"):
        assert main([*arguments, str(tmp_path / name)]) == 0
    for name in (store.OUTCOMES, store.METRICS, store.DIFFERENCES):
        pd.testing.assert_frame_equal(
            pd.read_parquet(tmp_path / "killed" / name), pd.read_parquet(tmp_path / "whole" / name), check_exact=True
        )


def test_agents_are_added_to_a_folder(tmp_path: Path) -> None:
    compared(tmp_path / "r")
    found = compared(tmp_path / "r", "pyramid-first")
    assert list(found.agents["name"]) == ["uniform", "careful", "pyramid-first"]
    together = compared(agents="uniform,careful,pyramid-first")
    assert rows_of(found) == rows_of(together)


def test_lost_chunks_of_an_earlier_agent_are_played_again_by_the_same_agent_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared(tmp_path / "r")
    whole = rows_of(compared(tmp_path / "r", "pyramid-first"))
    next((tmp_path / "r" / CHUNKS).rglob("careful-*/*.npy")).unlink()
    assert rows_of(compared(tmp_path / "r", "pyramid-first")) == whole
    next((tmp_path / "r" / CHUNKS).rglob("careful-*/*.npy")).unlink()
    parallel._agent.cache_clear()
    other = source_files("solitaire_agents.uniform")
    monkeypatch.setattr(agent_specs, "source_files", lambda module: other)
    with pytest.raises(ValueError, match="expected careful with sha256 .* it has changed"):
        compared(tmp_path / "r", "uniform")


@pytest.mark.parametrize("env", walk())
def test_every_environment_can_be_compared(env: str) -> None:
    heuristics = [name for part, name in (("Pyramid", "careful"), ("Tour", "thrifty")) if part in env]
    agents = ["uniform", *heuristics]
    found = compared(agents=",".join(agents), env_specs=[make_env_spec(env, {})], deals=DEALS[:8])
    assert len(found.outcomes) == 8 * len(agents)


def test_wrong_requests() -> None:
    both = [make_env_spec(PYRAMID, {}), make_env_spec(TOUR, {})]
    with pytest.raises(ValueError, match="expected a baseline among the agents that play in .*uniform.*; got 'golf'"):
        compared(baseline="golf")
    with pytest.raises(ValueError, match="that play in solitaire/TourInfernale.*, uniform; got 'careful'"):
        compared(agents="uniform,careful", env_specs=both, baseline="careful")
    with pytest.raises(ValueError, match="expected an agent for .*Pyramid-v0, got none among thrifty"):
        compared(agents="thrifty", env_specs=both)


def test_comparing_rules_needs_neither_torch_nor_the_libraries_of_training() -> None:
    program = f"""
import sys
import numpy as np
from solitaire_evaluation import learning_curve
from solitaire_evaluation.compare import compare
from solitaire_evaluation.env_spec import make_env_spec
compare([make_env_spec({PYRAMID!r}, {{}})], ["uniform", "careful"], np.arange(2, dtype=np.uint64))
heavy = ("torch", "stable_baselines3", "sb3_contrib", "optuna", "solitaire_training")
print([name for name in heavy if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
