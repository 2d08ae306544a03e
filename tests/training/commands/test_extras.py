"""The base install: what it runs without the extras, and what it says where one is missing."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from solitaire_training.commands.extras import EXTRAS, missing_extra
from solitaire_training.commands.main import main

ROOT = Path(__file__).parents[3]
BARE = """
import sys
class Missing:
    def find_spec(name, path=None, target=None):
        if name in {modules!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing)
from solitaire_training.commands.main import main
sys.exit(main(sys.argv[1:]))
"""
ALL = [module for modules in EXTRAS.values() for module in modules]
DISTRIBUTIONS = {"PIL": "pillow", "yaml": "pyyaml"}
"""Names of packages that are not those of their modules."""


def run_bare(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in a process that has none of the modules of the extras."""
    code = BARE.format(modules=ALL)
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, input="hint\nquit\n", capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "arguments",
    [
        "play --deal 7",
        "play --env solitaire/TourInfernale-v0 --deal 7",
        "watch --agent careful --deal 7 --seconds 0 --save game.txt",
        "solve --deal 7",
        "label --count 2 --out labels.csv --jobs 1",
        "compare --agents uniform,careful,planner,oracle --deals 2 --jobs 1 --out results",
        "envs",
        "agents",
        "completion bash",
    ],
)
def test_the_base_install_runs(arguments: str, tmp_path: Path) -> None:
    done = run_bare(tmp_path, *arguments.split())
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    if arguments.startswith("watch"):
        assert run_bare(tmp_path, "replay", "game.txt").returncode == 0
    if arguments.startswith("compare"):
        assert "regret" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        ("compare --agents best --deals 1", "policies"),
        ("watch --agent best --deal 1", "policies"),
        ("train --out run", "train"),
        ("train --out run --config pyramid-win", "train"),
        ("tune --out run --trials 1 --search ent_coef", "train"),
        ("serve --no-open --port 0", "web"),
    ],
)
def test_a_missing_extra_is_one_line(arguments: str, extra: str, tmp_path: Path) -> None:
    done = run_bare(tmp_path, *arguments.split())
    assert done.returncode == 2
    line = done.stderr.splitlines()[-1].rpartition("solitaire-rl " + arguments.split(maxsplit=1)[0])[2]
    assert line.startswith(": expected the module ")
    assert f"pip install 'solitaire-rl[{extra}]'" in line
    assert "Traceback" not in done.stderr


def test_a_report_needs_its_extra(tmp_path: Path) -> None:
    assert main(["compare", "--agents", "careful", "--deals", "2", "--out", str(tmp_path / "r")]) == 0
    assert "pip install 'solitaire-rl[report]'" in run_bare(tmp_path, "report", "r").stderr


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
