"""Checks a release as strangers would meet it. `make release-check`, or `python -m tests.release --tests tests/envs`.

Builds wheel and sdist and checks their metadata and contents. Then, in fresh environments and outside the checkout:
the base wheel runs what needs no network, the wheel with its extras trains and runs what the README says, and the tests
of the sdist pass.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

from tests.readme import README, commands, python_blocks, shortened, shortened_python

ROOT = Path(__file__).parents[1]
IN_THE_WHEEL = (
    "solitaire_agents/shipped/pyramid-win/agent.safetensors",
    "solitaire_agents/shipped/pyramid-score/agent.safetensors",
    "solitaire_agents/shipped/tour-infernale/agent.safetensors",
    "solitaire_agents/shipped/tour-infernale-one-pass/agent.safetensors",
    "solitaire_agents/shipped/tour-infernale-five-piles/agent.safetensors",
    "solitaire_seeds/pyramid-test.csv",
    "solitaire_seeds/pyramid-train.csv.gz",
    "solitaire_seeds/tour-infernale-one-pass-test.csv",
    "solitaire_agents/shipped/pyramid-win-other-rules/agent.safetensors",
    "solitaire_training/recipes/pyramid-win.yaml",
    "solitaire_evaluation/report/templates/report.html",
    "solitaire_envs/py.typed",
    "solitaire_web/static/page.js",
)
BASE = """
solitaire-rl --version
solitaire-rl envs
solitaire-rl agents solitaire/TourInfernale-v0
solitaire-rl play --deal 7
solitaire-rl watch --agent careful --deal 7 --seconds 0 --save game.txt
solitaire-rl replay game.txt
solitaire-rl solve --deal 7 --goal score
solitaire-rl label --count 2 --out labels.csv --jobs 1
solitaire-rl compare --agents uniform,careful,best,planner,oracle --deals 6 --jobs 1 --out results
solitaire-rl compare --env solitaire/TourInfernaleOnePass-v0 --agents best,planner --deals 2 --jobs 1
"""
ANY_WIDTH = ("solve", "label")
"""Commands that print paths and transcripts, in lines as long as they are."""
TRAINED = """
solitaire-rl train --config pyramid-win --out runs/a
solitaire-rl compare --agents careful,best,runs/a --out results/a
solitaire-rl report results/a
"""


class Place:
    """A fresh virtual environment with an empty folder to work in.

    Args:
        folder: Where both are made.
    """

    def __init__(self, folder: Path) -> None:
        self._bin, self.work = folder / "venv" / "bin", folder / "work"
        self.work.mkdir(parents=True)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)

    def install(self, *what: str) -> None:
        """Installs packages, in the versions that were tested together."""
        quiet = ["--quiet", "--disable-pip-version-check", "--constraint", str(ROOT / "constraints.txt")]
        self.run(["python", "-m", "pip", "install", *quiet, *what])

    def run(self, command: list[str], *, expect: int = 0) -> str:
        """Runs a command in the working folder; returns what it printed, or ends all if the exit code differs."""
        say(" ".join(command)[:100].partition("\n")[0])
        clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        done = subprocess.run(
            [self._bin / command[0], *command[1:]],
            cwd=self.work,
            env={**clean, "COLUMNS": "80", "PATH": f"{self._bin}:{clean.get('PATH', '')}"},
            input="hint\nquit\n",
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != expect:
            fail(f"expected exit code {expect} of {command}, got {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr


def say(text: str) -> None:
    print(f"release-check: {text}", flush=True)


def fail(text: str) -> None:
    sys.exit(f"release-check: {text}")


def check(good: bool, text: str) -> None:
    if not good:
        fail(text)


# --- The steps --------------------------------------------------------------------------------------------------------


def check_version(root: Path = ROOT) -> None:
    """Checks that project, changelog, citation and tag, as far as there are such, name one version."""
    with (root / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    heading = re.search(r"^## (\S+) \((.+)\)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    check(heading is not None and heading[1] == version, f"expected '## {version} (DATE)' first in CHANGELOG.md")
    citation = root / "CITATION.cff"
    if citation.exists():
        named = re.search(r"^version: (\S+)$", citation.read_text(encoding="utf-8"), re.MULTILINE)
        check(named is not None and named[1].strip("'\"") == version, f"expected version {version} in CITATION.cff")
    git = ["git", "tag", "--points-at", "HEAD"]
    tags = subprocess.run(git, cwd=root, capture_output=True, text=True, check=False).stdout.split()
    for tag in (tag for tag in tags if tag.startswith("v")):
        check(tag == f"v{version}", f"expected the tag v{version}, got {tag}")
        check(
            bool(heading and re.fullmatch(r"\d{4}-\d\d-\d\d", heading[2])), f"expected a date for {tag} in CHANGELOG.md"
        )


def build(folder: Path) -> tuple[Path, Path]:
    """Builds sdist and wheel, the wheel from the sdist, and checks them; returns both."""
    for command in (["build", "--outdir", folder, ROOT], ["twine", "check", "--strict"]):
        files = sorted(folder.glob("*")) if command[0] == "twine" else []
        say(f"{command[0]} ...")
        subprocess.run([sys.executable, "-m", *command, *files], check=True, stdout=subprocess.DEVNULL)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    names = zipfile.ZipFile(wheel).namelist()
    for name in IN_THE_WHEEL:
        check(name in names, f"expected {name} in {wheel.name}")
    ours = r"solitaire_(agents|envs|evaluation|seeds|training|web)/|solitaire_rl-"
    strange = [name for name in names if not re.match(ours, name)]
    check(not strange, f"expected nothing else in {wheel.name}, got {strange[:5]}")
    return wheel, sdist


def check_base(folder: Path, wheel: Path) -> None:
    """Checks the base install: what it runs without torch, and what it says where an extra is missing."""
    place = Place(folder)
    place.install(str(wheel))
    place.run(["python", "-c", "import torch"], expect=1)
    for line in BASE.strip().splitlines():
        printed = place.run(line.split())
        check("oracle" not in line or "regret" in printed, f"expected regret in the table, got {printed}")
        narrow = line.split()[1] in ANY_WIDTH or max(map(len, printed.splitlines())) <= 80
        check(narrow, f"expected 80 columns of {line}, got {printed}")
    for line in (
        "report results",
        "serve --no-open",
        "train --out run --config pyramid-win",
    ):
        printed = place.run(["solitaire-rl", *line.split()], expect=2)
        check("pip install 'solitaire-rl[" in printed.splitlines()[-1], f"expected an extra to install, got {printed}")


def check_whole(folder: Path, wheel: Path) -> None:
    """Checks the install with its extras: training by a recipe, and all that the README says."""
    place = Place(folder)
    place.install("torch")
    place.install(f"{wheel}[train,render]")
    for line in TRAINED.strip().splitlines():
        place.run(shortened(line.split()))
    text = README.read_text(encoding="utf-8")
    place.run(["python", "-c", shortened_python("\n".join(python_blocks(text)))])
    place.run(["python", "-c", "import shutil; shutil.rmtree('results')"])
    for command in commands(text):
        place.run(shortened(command))


def check_sdist(folder: Path, sdist: Path, tests: list[str]) -> None:
    """Checks that the tests of the sdist pass where it is installed."""
    place = Place(folder)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    unpacked = folder / sdist.name.removesuffix(".tar.gz")
    place.install("torch")
    place.install(f"{unpacked}[train,test]")
    place.work = unpacked
    parallel = ["-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder"]
    printed = place.run(["python", "-m", "pytest", "-q", "-m", "not slow", *parallel, *tests])
    say(printed.strip().splitlines()[-1])


def main() -> None:
    """Runs all checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--tests", nargs="*", default=["tests"], help="which tests of the sdist to run; none skips them"
    )
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="release-"))
    try:
        check_version()
        wheel, sdist = build(folder / "dist")
        check_base(folder / "base", wheel)
        check_whole(folder / "whole", wheel)
        if chosen.tests:
            check_sdist(folder / "sdist", sdist, chosen.tests)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    say("all is well")


if __name__ == "__main__":
    main()
