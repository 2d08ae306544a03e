"""Where a result comes from: versions, revision, hashes, hardware."""

import hashlib
import os
import platform
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any


def hash_files(paths: Sequence[Path], text: str = "") -> str:
    """Returns the SHA-256 of the contents of files, one after the other, and of a text behind them."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths) + text.encode()).hexdigest()


def about_machine() -> dict[str, Any]:
    """Returns what the playing ran on."""
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


def versions() -> dict[str, str]:
    """Returns the versions of Python and of the packages that a result depends on."""
    packages = ("solitaire-rl", "gymnasium", "numba", "numpy", "sb3-contrib", "stable-baselines3", "torch")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def git_revision() -> str | None:
    """Returns the revision of this project's repository, with ``+`` where it has changes; None outside of it."""
    here = Path(__file__).parent

    def git(*arguments: str) -> Any:
        return subprocess.run(["git", *arguments], cwd=here, capture_output=True, text=True, check=True).stdout.strip()

    try:
        if git("rev-parse", "--show-prefix") != "training/solitaire_training/":
            return None  # installed in the tree of some other repository
        return str(git("rev-parse", "HEAD")) + ("+" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return None
