"""Kills commands at random moments, fills their disk, kills their workers, starts two at once: `make faults`.

Prints a table: for each fault how often it was tried, and how often something was lost (a run could not go on, or went
on with less than was there before), left behind (a process, or a file that only a writer needs) or differing (the end
was not that of a run left alone). Ends with 1 unless all of these are zero.
`python -m tests.faults --tries 2 --only label` tries less.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from safetensors.numpy import load_file

from solitaire_agents.files import PARTIAL
from solitaire_agents.trained import WEIGHTS
from solitaire_evaluation import store
from solitaire_evaluation.learning_curve import read_evaluations
from solitaire_training.tune import JOURNAL

SECONDS_TO_END = 15.0
"""After which the processes of a command that has ended, in whatever way, should be gone."""
LATEST_KILL = 10.0
"""Seconds after the start of a command; it goes on where it was, so that later moments come, too."""
LIMIT = 600.0
"""Seconds that a command may take."""
SMALL = [
    *("--num-envs", "16", "--n-steps", "16", "--batch-size", "128", "--n-epochs", "1", "--eval-deals", "20"),
    *("--width", "8", "--second-width", "4", "--threads", "1", "--checkpoint-minutes", "0.01"),
]


@dataclass(frozen=True)
class Job:
    """A command that goes on where it was stopped."""

    name: str
    start: Sequence[str]
    go_on: Sequence[str]
    """``OUT`` stands for where its results go."""
    result: Callable[[Path], object]
    """What has to be the same in the end."""
    done: Callable[[Path], int]
    """How much is done: never less after a fault."""


@dataclass
class Row:
    """A row of the table."""

    name: str
    tried: int = 0
    lost: int = 0
    left_behind: int = 0
    differing: int = 0
    seconds: float = field(default=0.0)


def jobs_to_try(work: float = 1.0) -> Iterator[Job]:
    """Yields the commands, with all of their work or a share of it."""

    def share(count: int) -> str:
        return str(round(work * count))

    learn = ["train", "--out", "OUT", *SMALL, "--total-steps", share(40_000), "--eval-every", share(10_000)]
    both = [*learn, "--games", share(2_000), "--games-per-update", "100"]
    yield Job("train", both, ["train", "--out", "OUT", "--resume"], _trained, _evaluations)
    search = ["tune", "--out", "OUT", "--trials", "4", "--search", "learning_rate,batch_size", *SMALL]
    searched = [*search, "--total-steps", share(6_000), "--eval-every", share(2_000)]
    yield Job("tune", searched, searched, _tuned, _trials)
    for jobs in ("1", "2"):
        played = [
            "compare",
            "--agents",
            "uniform,careful,oracle",
            "--deals",
            share(2_000),
            "--jobs",
            jobs,
            "--out",
            "OUT",
        ]
        yield Job(f"compare, {jobs} jobs", played, played, _compared, _chunks)
        labelled = ["label", "--count", share(3_000), "--jobs", jobs, "--out", "OUT/labels.csv"]
        yield Job(f"label, {jobs} jobs", labelled, labelled, _labels, _lines)


# --- What a command has done ------------------------------------------------------------------------------------------


def _trained(out: Path) -> object:
    weights = {name: array.tobytes() for name, array in load_file(out / WEIGHTS).items()}
    curve = [{name: point[name] for name in point if name != "seconds"} for point in read_evaluations(out)]
    return weights, curve


def _evaluations(out: Path) -> int:
    return len(read_evaluations(out))


def _tuned(out: Path) -> object:
    return [_trained(trial) for trial in sorted(out.glob("trial-*"))]


def _trials(out: Path) -> int:
    journal = out / JOURNAL
    return journal.read_bytes().count(b'"state": 1') if journal.exists() else 0


def _compared(out: Path) -> object:
    result = store.read_result(out)
    tables = [store.read_table(out, name, result) for name in (store.OUTCOMES, store.METRICS)]
    return [table.to_json() for table in tables]


def _chunks(out: Path) -> int:
    return len(list(out.glob("chunks/*/*/*.npy")))


def _labels(out: Path) -> object:
    return (out / "labels.csv").read_bytes()


def _lines(out: Path) -> int:
    path = out / "labels.csv"
    return path.read_bytes().count(b"\n") if path.exists() else 0


# --- Running a command ------------------------------------------------------------------------------------------------


def begin(arguments: Sequence[str], out: Path) -> "subprocess.Popen[str]":
    """Starts a command as the leader of a session of its own, by which its processes are found."""
    words = [word.replace("OUT", str(out), 1) if word.startswith("OUT") else word for word in arguments]
    return subprocess.Popen(
        [sys.executable, "-m", "solitaire_training", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def finish(arguments: Sequence[str], out: Path) -> tuple[int, str]:
    """Runs a command to its end; returns its exit code and the last line of its errors."""
    with begin(arguments, out) as process:
        errors = process.communicate(timeout=LIMIT)[1]
    return process.returncode, (errors.strip().splitlines() or [""])[-1]


def processes_of(session: int) -> list[int]:
    """Returns the processes of a session that are alive."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, leader = status.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(leader) == session and state != "Z":
            found.append(int(status.parent.name))
    return found


def gone(session: int) -> bool:
    """Waits for the processes of a session to end; kills those that do not."""
    end = time.monotonic() + SECONDS_TO_END
    while left := processes_of(session):
        if time.monotonic() > end:
            for process in left:
                os.kill(process, signal.SIGKILL)
            return False
        time.sleep(0.05)
    return True


def partials(out: Path) -> int:
    """Returns how many files there are that only a writer needs."""
    return sum(1 for _ in out.rglob(f".*{PARTIAL}"))


# --- Faults -----------------------------------------------------------------------------------------------------------


def kill_at_random_moments(job: Job, folder: Path, whole: object, seconds: float, tries: int) -> Row:
    """Kills a command again and again, until it was tried often enough; then lets it end."""
    row, out, draw, killed = Row(f"kill: {job.name}"), folder / "killed", random.Random(job.name), 0
    while killed < tries:
        shutil.rmtree(out, ignore_errors=True)
        arguments, ended = job.start, False
        while killed < tries and not ended:
            before = job.done(out)
            with begin(arguments, out) as process:
                try:
                    process.wait(draw.uniform(0.2, min(seconds, LATEST_KILL)))
                    ended = process.returncode == 0
                    row.lost += not ended
                except subprocess.TimeoutExpired:
                    process.send_signal(draw.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
                    process.wait(LIMIT)
                    killed += 1
                assert process.stderr is not None
                process.stderr.close()
            row.left_behind += not gone(process.pid)
            row.lost += job.done(out) < before
            arguments = job.go_on if job.name != "train" or (out / "checkpoint.safetensors").exists() else job.start
        code, message = (0, "") if ended else finish(arguments, out)
        row.lost += code != 0
        row.differing += code == 0 and job.result(out) != whole
        row.left_behind += partials(out)
        if code:
            print(f"{row.name}: ended with {code}: {message}", flush=True)
    row.tried = killed
    return row


def fill_the_disk(job: Job, folder: Path, whole: object, tries: int) -> Row:
    """Lets a command run out of disk, then gives it more."""
    row = Row(f"full disk: {job.name}")
    for number in range(tries):
        out = folder / "disk"
        out.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={8 + 24 * number}k", "none", out], check=False)
        if mounted.returncode:
            print(f"{row.name}: not tried, for no small disk can be mounted here", flush=True)
            out.rmdir()
            return row
        try:
            row.tried += 1
            code, message = finish(job.start, out)
            if code != 0:
                said = message.startswith("solitaire-rl ") and str(out) in message and len(message) < 500
                row.lost += code != 2 or not said
                row.left_behind += partials(out)
                if code != 2 or not said:
                    print(f"{row.name}: ended with {code}: {message}", flush=True)
                subprocess.run(["mount", "-o", "remount,size=64m", out], check=True)
                resumable = job.name != "train" or (out / "checkpoint.safetensors").exists()
                code, message = finish(job.go_on if resumable else job.start, out)
            if code:
                print(f"{row.name}: went on with {code}: {message}", flush=True)
            row.lost += code != 0
            row.differing += code == 0 and job.result(out) != whole
        finally:
            subprocess.run(["umount", out], check=True)
            out.rmdir()
    return row


def kill_workers(job: Job, folder: Path, whole: object, seconds: float, tries: int) -> Row:
    """Kills a worker of a command now and then; the command should not mind, or say that one piece was hit thrice."""
    row, out, draw = Row(f"kill a worker: {job.name}"), folder / "workers", random.Random(job.name)
    while row.tried < tries:
        shutil.rmtree(out, ignore_errors=True)
        with begin(job.start, out) as process:
            while process.poll() is None:
                time.sleep(draw.uniform(0.1, seconds / 4))
                workers = [one for one in processes_of(process.pid) if _is_worker(one)]
                if workers and row.tried < tries:
                    os.kill(draw.choice(workers), signal.SIGKILL)
                    row.tried += 1
            assert process.stderr is not None
            said = process.stderr.read()
        row.left_behind += not gone(process.pid)
        code = process.returncode
        if code and "got its process killed each time" in said:  # one piece was hit three times: it says so, and ends
            code = finish(job.go_on, out)[0]
        row.lost += code != 0
        row.differing += code == 0 and job.result(out) != whole
        row.left_behind += partials(out)
    return row


def _is_worker(process: int) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def two_at_once(job: Job, folder: Path, whole: object, tries: int) -> Row:
    """Starts a command twice at a time: both may end well, or the second says in a line who is at work."""
    row, draw = Row(f"two at once: {job.name}"), random.Random(job.name)
    for number in range(tries):
        out = folder / f"two-{number}"
        with begin(job.start, out) as first:
            time.sleep(draw.uniform(0, 3))
            with begin(job.start, out) as second:
                ends = [(one, one.communicate(timeout=LIMIT)[1]) for one in (first, second)]
        row.tried += 1
        told = [one.returncode == 2 and "got it held by process" in said for one, said in ends]
        row.lost += sum(one.returncode != 0 and not line for (one, _), line in zip(ends, told, strict=True))
        row.lost += all(told)
        row.differing += job.result(out) != whole
        row.left_behind += partials(out) + sum(not gone(one.pid) for one, _ in ends)
        shutil.rmtree(out)
    return row


def different_agents_at_once(folder: Path, tries: int) -> Row:
    """Compares different agents in one folder at once; all should be in the tables."""
    row, names = Row("two at once: compare, different agents"), ["uniform", "careful", "pyramid-first"]
    for number in range(tries):
        out = folder / f"three-{number}"
        commands = [["compare", "--agents", name, "--deals", "500", "--jobs", "1", "--out", "OUT"] for name in names]
        started = [begin(command, out) for command in commands]
        errors = [process.communicate(timeout=LIMIT)[1] for process in started]
        row.tried += 1
        row.lost += any(process.returncode for process in started)
        row.differing += sorted(one["name"] for one in store.read_result(out)["agents"]) != sorted(names)
        row.left_behind += partials(out)
        if any(process.returncode for process in started):
            print(f"{row.name}: {errors}", flush=True)
    return row


# --- The table --------------------------------------------------------------------------------------------------------


def try_all(folder: Path, tries: int, only: str) -> list[Row]:
    """Tries all faults with the commands whose name has a word in it."""
    rows: list[Row] = []

    def add(fault: Callable[..., Row], *arguments: object) -> None:
        began = time.monotonic()
        row = fault(*arguments)
        row.seconds = time.monotonic() - began
        rows.append(row)
        print(json.dumps(vars(row)), flush=True)

    for job in jobs_to_try():
        if only not in job.name:
            continue
        own = folder / "".join(sign for sign in job.name if sign.isalnum())
        began = time.monotonic()
        code, message = finish(job.start, own / "whole")
        if code:
            raise RuntimeError(f"{job.name} ended with {code}: {message}")
        whole, seconds = job.result(own / "whole"), time.monotonic() - began
        add(kill_at_random_moments, job, own, whole, seconds, tries)
        add(two_at_once, job, own, whole, max(1, tries // 10))
        if "2 jobs" in job.name:
            add(kill_workers, job, own, whole, seconds, tries)
        else:
            add(fill_the_disk, job, own, whole, max(1, tries // 5))
    if only in "compare":
        add(different_agents_at_once, folder, max(1, tries // 10))
    return rows


def main() -> int:
    """Prints the table; returns 1 if anything was lost, left behind, or differing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=20, help="kills of each command")
    parser.add_argument("--only", default="", help="only commands with this word in their name")
    chosen = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        rows = try_all(Path(folder), chosen.tries, chosen.only)
    print(f"\n{'fault':44} {'tried':>5} {'lost':>5} {'left behind':>11} {'differing':>9} {'seconds':>8}")
    for row in rows:
        counts = f"{row.tried:5} {row.lost:5} {row.left_behind:11} {row.differing:9}"
        print(f"{row.name:44} {counts} {row.seconds:8.0f}")
    print(f"\n{sum(row.tried for row in rows)} faults in {time.monotonic() - began:.0f} seconds")
    return int(any(row.lost or row.left_behind or row.differing for row in rows))


if __name__ == "__main__":
    sys.exit(main())
