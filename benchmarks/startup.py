"""Time from the start of Python to the first step of a game, and to the end of a command.

    .venv/bin/python benchmarks/startup.py

First table: seconds to the first step, with a warm and with a cold cache of kernels; cold is a copy of the package
without any cache. Second table: CPU seconds of commands, cold in one run with an empty cache of its own, then warm, the
commands taking turns; and which of the heavy modules they load. Medians of several runs; wants a quiet machine.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIRST_STEP = 'import gymnasium, solitaire_envs; env = gymnasium.make("{}"); env.reset(seed=0); env.step(0)'
ONLY_IMPORT = "import gymnasium, solitaire_envs"
IDS = ("solitaire/Pyramid-v0", "solitaire/TourInfernale-v0")
GAME = "solitaire-rl transcript 1\ngame: pyramid\ndeal: 7\nmoves: draw KD draw\n"
LINES = (
    "--help",
    "compare --help",
    "replay FILE",
    "play --deal 7",
    "watch --agent careful --deal 7",
    "solve --deal 7",
    "compare --agents careful,pyramid-first --deals 100",
    "compare --agents best,planner --deals 4 --jobs 1",
    "train --num-envs 16 --n-steps 8 --total-steps 512 --eval-deals 8 --out OUT",
    "prepare --env solitaire/Pyramid-v0",
    "prepare --env solitaire/TourInfernale-v0",
    "prepare --env solitaire/Klondike-v0",
)
"""What is measured of the command line."""
HEAVY = ("numba", "pandas", "rich", "scipy.stats", "stable_baselines3", "torch")
NOTHING = "python -c pass"
COMMAND = """
import sys
from solitaire_training.commands.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)
"""


def seconds_of(code: str, folder: Path) -> float:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, check=True)
    return time.perf_counter() - started


def print_first_steps(runs: int, folder: Path) -> None:
    print(f"{'seconds to':36}{'cold':>8}{'warm':>8}")
    for what, code in [("import", ONLY_IMPORT), *((f"first step of {i}", FIRST_STEP.format(i)) for i in IDS)]:
        times = {True: [], False: []}
        for _ in range(runs):
            shutil.rmtree(folder / "solitaire_envs", ignore_errors=True)
            shutil.copytree(
                ROOT / "envs/solitaire_envs", folder / "solitaire_envs", ignore=shutil.ignore_patterns("__pycache__")
            )
            for cold in (True, False):
                times[cold].append(seconds_of(code, folder))
        print(f"{what:36}{statistics.median(times[True]):8.2f}{statistics.median(times[False]):8.2f}")


def cpu_seconds_of(arguments: Sequence[str], cache: Path) -> tuple[float, list[str]]:
    """Runs Python; returns its CPU seconds, user and system, and the last line that it wrote to stderr, in words."""
    roots = os.pathsep.join(str(ROOT / root) for root in ("envs", "agents", "training", "seeds"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": roots, "NUMBA_CACHE_DIR": str(cache)},
        input="quit\n",
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, ran.stderr.split("\n")[-2].split() if ran.stderr else []


def print_commands(runs: int, folder: Path) -> None:
    game = folder / "game.txt"
    game.write_text(GAME, encoding="utf-8")
    commands = {
        NOTHING: ["-c", "pass"],
        **{f"solitaire-rl {line}": ["-c", COMMAND, *line.replace("FILE", str(game)).split()] for line in LINES},
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    loaded: dict[str, list[str]] = {}
    for run in range(runs + 1):  # the first is the cold one
        for number, (name, arguments) in enumerate(commands.items()):
            words = [word.replace("OUT", str(folder / f"out-{number}-{run}")) for word in arguments]
            seconds, modules = cpu_seconds_of(words, folder / f"cache-{number}")
            loaded[name] = [module for module in HEAVY if module in modules]
            times[name].append(seconds)
    print(f"\n{'CPU seconds of':64}{'cold':>8}{'warm':>8}  loads of {', '.join(HEAVY)}")
    for name, (cold, *warm) in times.items():
        print(f"{name:64}{cold:8.2f}{statistics.median(warm):8.2f}  {', '.join(loaded[name]) or '-'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default 5)")
    parser.add_argument("--only-commands", action="store_true", help="the second table only")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if not chosen.only_commands:
            print_first_steps(chosen.runs, Path(name))
        print_commands(chosen.runs, Path(name))


if __name__ == "__main__":
    main()
