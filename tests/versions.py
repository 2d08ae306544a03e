"""Runs the tests with the oldest and with the newest versions of all dependencies that pyproject.toml allows.

    python -m tests.versions
    python -m tests.versions --only oldest

Each set of versions has its own virtual environment, `.venv-oldest` and `.venv-newest`. A floor is the version that
a requirement begins with, so each floor in pyproject.toml is one that was tried.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = ("oldest", "newest")
EXTRAS = ("train", "test")
TESTS = ("tests/envs", "tests/agents", "tests/training")


def requirements(extras: Iterable[str]) -> Iterator[str]:
    """Yields what the package and some of its extras require."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting = [*project["dependencies"], f"{project['name']}[{','.join(extras)}]"]
    for requirement in waiting:  # it grows
        own = re.fullmatch(rf"{project['name']}\[([\w,]+)\]", requirement)
        if own is None:
            yield requirement
        else:
            waiting += [one for extra in own[1].split(",") for one in project["optional-dependencies"][extra]]


def floors() -> Iterator[str]:
    """Yields a constraint, such as ``numpy==2.0``, for each requirement with a lowest version."""
    for requirement in requirements(EXTRAS):
        floor = re.match(r"([\w-]+)(?:\[[\w,]+\])?>=([\w.]+)", requirement)
        if floor:
            yield f"{floor[1]}=={floor[2]}"


def run(kind: str) -> int:
    """Installs one set of versions and runs the tests; returns their exit code."""
    folder = ROOT / f".venv-{kind}"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{line}\n" for line in floors()) if kind == "oldest" else "")
    install = [python, "-m", "pip", "install", "--quiet", "--upgrade", "--constraint", constraints]
    subprocess.run([*install, "--editable", f".[{','.join(EXTRAS)}]"], cwd=ROOT, check=True)
    return subprocess.run([python, "-m", "pytest", "-n", "2", *TESTS], cwd=ROOT, check=False).returncode


def main() -> int:
    """Runs one set of versions, or both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=KINDS)
    chosen = parser.parse_args().only
    return max(run(kind) for kind in ([chosen] if chosen else KINDS))


if __name__ == "__main__":
    sys.exit(main())
