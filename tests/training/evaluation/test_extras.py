"""The base install: what it runs without the extras, and what it says where one is missing."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from solitaire_evaluation.extras import EXTRAS, missing_extra

ROOT = Path(__file__).parents[3]
BARE = """
import contextlib, io, json, sys
class Missing:
    def find_spec(name, path=None, target=None):
        if name in {modules!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing)
from solitaire_training.commands.main import main
said = {{}}
for line in sys.argv[1:]:
    sys.stdin, output, errors = io.StringIO("hint\\nquit\\n"), io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            code = main(line.split())
        except SystemExit as ended:
            code = ended.code
    said[line] = [code or 0, output.getvalue(), errors.getvalue()]
print(json.dumps(said))
"""
"""One process for all command lines, since half of a second's work comes after seconds of imports."""
ALL = [module for modules in EXTRAS.values() for module in modules]
DISTRIBUTIONS = {"PIL": "pillow", "yaml": "pyyaml"}
"""Names of packages that are not those of their modules."""
BASE = [
    "play --deal 7",
    "play --env solitaire/TourInfernale-v0 --deal 7",
    "watch --agent careful --deal 7 --seconds 0 --save game.txt",
    "replay game.txt",
    "solve --deal 7",
    "label --count 2 --out labels.csv --jobs 1",
    "compare --agents uniform,careful,best,planner,oracle --deals 2 --jobs 1 --out r",
    "envs",
    "agents",
    "completion bash",
]
NEEDS = {
    "train --out run": "train",
    "train --out run --config pyramid-win": "train",
    "tune --out run --trials 1 --search ent_coef": "train",
    "serve --no-open --port 0": "web",
    "report r": "report",
}
"""Command line -> the extra that it needs."""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What each command line ends with and prints, in a process that has none of the modules of the extras."""
    command = [sys.executable, "-c", BARE.format(modules=ALL), *BASE, *NEEDS]
    done = subprocess.run(command, cwd=tmp_path_factory.mktemp("bare"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[Any]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("line", BASE)
def test_the_base_install_runs(line: str, said: dict[str, list[Any]]) -> None:
    code, output, errors = said[line]
    assert (code, "Traceback" in errors) == (0, False), errors
    if line.startswith("compare"):
        assert "regret" in output


@pytest.mark.parametrize("line", NEEDS)
def test_a_missing_extra_is_one_line(line: str, said: dict[str, list[Any]]) -> None:
    code, _, errors = said[line]
    assert code == 2
    told = errors.splitlines()[-1].rpartition("solitaire-rl " + line.split(maxsplit=1)[0])[2]
    assert told.startswith(": expected the module ")
    assert f"pip install 'solitaire-rl[{NEEDS[line]}]'" in told
    assert "Traceback" not in errors


def test_a_module_of_no_extra_is_a_defect() -> None:
    assert missing_extra(ModuleNotFoundError(name="solitaire_golf")) is None


def test_extras_bring_their_modules() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    base = " ".join(project["dependencies"])
    for extra, modules in EXTRAS.items():
        wanted = " ".join(project["optional-dependencies"][extra])
        for module in modules:
            name = DISTRIBUTIONS.get(module, module.replace("_", "-"))
            assert name in wanted
            assert name not in base
