"""Time from the start of Python to the first step: with a warm and with a cold kernel cache.

    .venv/bin/python benchmarks/startup.py

Cold is a copy of the packages without any cache. Medians of several runs; wants a quiet machine.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIRST_STEP = 'import gymnasium, solitaire_envs; env = gymnasium.make("{}"); env.reset(seed=0); env.step(0)'
ONLY_IMPORT = "import gymnasium, solitaire_envs"
IDS = ("solitaire/Pyramid-v0", "solitaire/TourInfernale-v0")


def seconds_of(code: str, folder: Path) -> float:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, check=True)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default 5)")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{'seconds to':36}{'cold':>8}{'warm':>8}")
        for what, code in [("import", ONLY_IMPORT), *((f"first step of {i}", FIRST_STEP.format(i)) for i in IDS)]:
            times = {True: [], False: []}
            for _ in range(runs):
                shutil.rmtree(folder / "solitaire_envs", ignore_errors=True)
                shutil.copytree(
                    ROOT / "envs/solitaire_envs",
                    folder / "solitaire_envs",
                    ignore=shutil.ignore_patterns("__pycache__"),
                )
                for cold in (True, False):
                    times[cold].append(seconds_of(code, folder))
            print(f"{what:36}{statistics.median(times[True]):8.2f}{statistics.median(times[False]):8.2f}")


if __name__ == "__main__":
    main()
