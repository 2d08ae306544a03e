"""Uses this package from other libraries, as their users would: `make test-clients`.

    python -m tests.clients
    python -m tests.clients --only torchrl

Each client has a virtual environment of its own, `.venv-clients/NAME`, with this checkout and the newest version of the
client that installs beside it, and a script in this folder. The script runs in an empty folder and in a network that
is only a loopback.
"""

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path

from tests.training.cluster import APART

ROOT = Path(__file__).parents[2]
CLIENTS = {
    "d3rlpy": ("d3rlpy", ".[datasets]"),
    "gem": ("gem-llm", "."),
    "minari": ("minari[create,hdf5]", ".[datasets]"),
    "openenv": ("openenv", ".[openenv]"),
    "rllib": ("ray[rllib]", ".[ray]"),
    "sb3": ("sb3-contrib", ".[train]"),
    "skrl": ("skrl", "."),
    "skyrl": ("skyrl-gym", "."),
    "textarena": ("textarena", "."),
    "tianshou": ("tianshou", "."),
    "torchrl": ("torchrl", ".[torchrl]"),
    "trl": ("trl", "."),
    "verifiers": ("verifiers[openenv]", ".[openenv]"),
}
"""The requirement of each client, and this package with what the script needs."""


def what_is_tried(name: str) -> str:
    """Returns what a script says of itself."""
    text = (ROOT / "tests" / "clients" / f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").removesuffix(".")


def version_of(folder: Path, requirement: str) -> str:
    """Returns the version that is installed in a virtual environment; '-' if none is."""
    paths = [str(path) for path in folder.glob("lib/*/site-packages")]
    found = distributions(name=requirement.partition("[")[0], path=paths)
    return next((one.version for one in found), "-")


def try_client(name: str) -> tuple[str, str]:
    """Installs a client and runs its script; returns its version, and 'ok' or the last line of the error."""
    folder = ROOT / ".venv-clients" / name
    python, (requirement, package) = folder / "bin" / "python", CLIENTS[name]
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    script = 'ip link set lo up && exec "$0" -m "$1"'
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "MINARI_DATASETS_PATH": f"{place}/datasets"}
        try:
            if not python.exists():
                run([sys.executable, "-m", "venv", folder])
                run([*install, "--constraint", "constraints.txt", "torch"])  # first and alone, as in the Makefile
            run([*install, "--upgrade", requirement, "--editable", package])
            run([*APART, "sh", "-c", script, python, f"tests.clients.{name}"], place, environment)
        except subprocess.CalledProcessError as error:
            print(error.stderr, file=sys.stderr)
            return version_of(folder, requirement), (error.stderr.strip().splitlines() or ["no message"])[-1]
    return version_of(folder, requirement), "ok"


def run(command: list[str | Path], place: str | Path = ROOT, environment: dict[str, str] | None = None) -> None:
    """Runs a command quietly.

    Raises:
        subprocess.CalledProcessError: It has failed.
    """
    subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=True)


def main() -> int:
    """Tries one client, or all, and prints a table; returns 1 if one has failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=CLIENTS)
    chosen = parser.parse_args().only
    results = []
    for name in [chosen] if chosen else CLIENTS:
        version, result = try_client(name)
        print(f"{name:9} {version:7} {what_is_tried(name):90} {result}", flush=True)
        results.append(result)
    return int(any(result != "ok" for result in results))


if __name__ == "__main__":
    sys.exit(main())
