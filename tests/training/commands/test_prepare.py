"""The command ``prepare``, and what is said where something has to be compiled."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from solitaire_agents.catalogue import agents_of
from solitaire_envs.catalogue import CATALOGUE
from solitaire_evaluation.agent_specs import find_agent_spec
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.preparing import specs_of
from solitaire_training.commands.main import main

ENV = "climb:climb/Climb-v0"


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command with a cache of its own."""
    return subprocess.run(
        [sys.executable, "-m", "solitaire_training", *command.split()],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=True,
        timeout=500,
    )


def test_what_is_prepared_is_compiled_once(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parents[2] / "envs/climb.py", tmp_path)
    prepared = run(f"prepare --env {ENV}", tmp_path)
    said = [line for line in prepared.stderr.splitlines() if line.startswith("compiling ")]
    assert prepared.stdout.startswith(f"{ENV}: ")
    assert prepared.stdout.endswith(" s for the engine, uniform\n")
    assert len(said) == len(set(said)) == len(prepared.stderr.splitlines())
    assert any(line.startswith("compiling ") and line.endswith(" s, this first time only") for line in said)
    compiled = sorted(tmp_path.rglob("*.nbc"))
    for command in (f"prepare --env {ENV}", f"compare --env {ENV} --agents uniform --deals 3 --jobs 1"):
        assert run(command, tmp_path).stderr == ""
    assert sorted(tmp_path.rglob("*.nbc")) == compiled


def test_all_environments_are_prepared(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("solitaire_evaluation.preparing.prepare", lambda env_spec: iter(["nothing"]))
    assert main(["prepare"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in lines] == list(CATALOGUE)
    assert main(["prepare", "--env", "solitaire/Nothing-v0"]) == 2


@pytest.mark.parametrize("env", CATALOGUE)
def test_all_agents_are_prepared_but_those_that_refuse_the_rules(env: str) -> None:
    spec = make_env_spec(env, {})
    names = [one.name for one in specs_of(spec)]
    assert names[:1] == ["uniform"]
    for name in agents_of(spec.game):
        if name not in names:
            with pytest.raises(ValueError, match=f"^expected rules for {name} that a trained agent of .* has learned"):
                find_agent_spec(name, spec.game, spec.options)
