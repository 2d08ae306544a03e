"""Records where a result comes from: versions, revision, hashes, hardware."""

import hashlib
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("solitaire-rl", "gymnasium", "numba", "numpy", "sb3-contrib", "stable-baselines3", "torch")
"""Packages whose versions are recorded."""


def hash_files(paths: Sequence[Path], text: str = "") -> str:
    """Returns the SHA-256 of the files' contents, joined in their order, and a text after them."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths) + text.encode()).hexdigest()


def about_machine() -> dict[str, Any]:
    """Returns the hardware and the operating system."""
    try:
        cpu = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        cpu = ""
    names = [line.partition(":")[2].strip() for line in cpu.splitlines() if line.startswith("model name")]
    return {
        "cpu": names[0] if names else platform.processor(),
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "system": platform.platform(),
    }


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Returns the versions of Python and of those packages that are installed."""
    found = {"python": platform.python_version()}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def git_revision() -> str | None:
    """Returns the git revision of this project, with ``+`` for uncommitted changes; None outside its repository."""
    here = Path(__file__).parent

    def git(*arguments: str) -> Any:
        return subprocess.run(["git", *arguments], cwd=here, capture_output=True, text=True, check=True).stdout.strip()

    try:
        if git("rev-parse", "--show-prefix") != "training/solitaire_evaluation/":
            return None  # installed in the tree of some other repository
        return str(git("rev-parse", "HEAD")) + ("+" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return None
