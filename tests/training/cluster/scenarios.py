"""What is tried on a local Ray cluster: `python -m tests.training.cluster.scenarios NAME FOLDER`.

Run it in a network namespace of its own, where Ray can only talk to itself (see `test_cluster`). Each scenario prints
what it has found as JSON, in its last line.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "error", "OMP_NUM_THREADS": "1"}

import numpy as np
import ray.cluster_utils

from solitaire_agents.catalogue import labels_of
from solitaire_agents.trained import WEIGHTS
from solitaire_envs.catalogue import GAMES
from solitaire_evaluation.cluster import Cluster
from solitaire_evaluation.learning_curve import read_evaluations
from solitaire_evaluation.pool import ThisMachine
from tests.training.evaluation.test_pool import die_once, double, fail_at_3

NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100 * 2**20, "include_dashboard": False}
COMMAND = [sys.executable, "-m", "solitaire_training"]
SMALL = [
    *("--num-envs", "16", "--n-steps", "8", "--batch-size", "64", "--n-epochs", "1", "--width", "8"),
    *("--second-width", "4", "--games-per-update", "100", "--eval-every", "2000", "--eval-deals", "20"),
]


@contextmanager
def two_nodes() -> Iterator[Any]:
    """A cluster of two nodes with a core each; the head holds the first."""
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp") as folder:  # short: sockets have short names
        Path("/tmp/ray").mkdir(exist_ok=True)  # Ray notes the address there, and expects the folder to exist
        cluster = ray.cluster_utils.Cluster(initialize_head=True, head_node_args={**NODE, "temp_dir": folder})
        cluster.add_node(**NODE)
        try:
            yield cluster
        finally:
            cluster.shutdown()


def replace_node(cluster: Any) -> None:
    """Kills the node that is not the head, and adds another."""
    (node,) = cluster.worker_nodes
    cluster.remove_node(node, allow_graceful=False)
    cluster.add_node(**NODE)


def start(cluster: Any, *arguments: object) -> "subprocess.Popen[str]":
    command = [*COMMAND, *map(str, arguments), "--cluster", cluster.address]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=sys.stderr, text=True)


def end(process: "subprocess.Popen[str]") -> str:
    said, _ = process.communicate()
    print(said, file=sys.stderr)
    assert process.returncode == 0, process.args
    return said


def wait_until(holds: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    """Waits for something that a command does, and does before its end."""
    while not holds():
        assert process.poll() is None, "the command has ended too early to be disturbed"
        time.sleep(0.02)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def ended(run: Path) -> tuple[str, list[Any]]:
    """Returns what a run has in common with one that was left alone."""
    return sha256(run / WEIGHTS), [(point["steps"], point["metrics"]) for point in read_evaluations(run)]


def repeats(said: str) -> int:
    found = [line for line in said.splitlines() if "were begun again" in line]
    return int(found[0].split()[0].replace(",", "")) if found else 0


# --- The scenarios ----------------------------------------------------------------------------------------------------


def quick(folder: Path) -> dict[str, Any]:
    """Pieces, errors, a killed process; labels; agents of all kinds."""
    with two_nodes() as cluster, Cluster(cluster.address, modules=["tests"]) as workers:
        found: dict[str, Any] = {"doubled": sorted(workers.share(double, range(20)))}
        try:
            list(workers.share(fail_at_3, range(8)))
        except ValueError as error:
            found["error"] = str(error)
        (folder / "pieces").mkdir()
        pieces = [folder / "pieces" / name for name in "ab"]
        found["killed"] = sorted(workers.share(die_once, pieces)), workers.repeated
        workers.close()
        end(start(cluster, "label", "--count", 60, "--out", folder / "labels.csv"))
        agents = f"careful,uniform,{folder / 'agent'},{folder / 'agent'}@sample"
        end(start(cluster, "compare", "--agents", agents, "--deals", 60, "--out", folder / "results"))
    return found


def label(folder: Path) -> dict[str, Any]:
    """Labels, with a node lost, and with a driver killed and begun again."""
    count = int(os.environ.get("LABEL_DEALS", "1000"))
    chosen = ("label", "--count", count, "--out")
    begin = time.monotonic()
    subprocess.run([*COMMAND, *map(str, chosen), str(folder / "alone.csv"), "--jobs", "1"], check=True)
    found: dict[str, Any] = {"seconds alone": time.monotonic() - begin}
    with two_nodes() as cluster:
        begin = time.monotonic()
        end(start(cluster, *chosen, folder / "cluster.csv"))
        found["seconds on the cluster"] = time.monotonic() - begin
        disturbed = start(cluster, *chosen, folder / "node.csv")
        wait_until((folder / "node.csv").exists, disturbed)
        replace_node(cluster)
        found["begun again"] = repeats(end(disturbed))
        killed = start(cluster, *chosen, folder / "driver.csv")
        wait_until((folder / "driver.csv").exists, killed)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        said = end(start(cluster, *chosen, folder / "driver.csv"))
        found["labelled after the kill"] = int(said.split(" deals labelled")[0].split()[-1].replace(",", ""))
    return {**found, "sha256": {path.stem: sha256(path) for path in sorted(folder.glob("*.csv"))}}


def compare(folder: Path) -> dict[str, Any]:
    """A rule, a trained agent, a planner; a node is lost."""
    chosen = ("compare", "--agents", f"careful,{folder / 'agent'},planner", "--deals", 200, "--out")
    with two_nodes() as cluster:
        disturbed = start(cluster, *chosen, folder / "results")
        wait_until(lambda: len(list((folder / "results").rglob("planner*/*.npy"))) > 0, disturbed)
        replace_node(cluster)
        return {"begun again": repeats(end(disturbed))}


def seeds(folder: Path) -> dict[str, Any]:
    """Runs of two seeds; a node is lost, and so is the driver."""
    chosen = ("train", "--out", folder / "cluster", "--seeds", "0-1", "--checkpoint-minutes", 0.02)
    more = [*SMALL, "--games", 2_000, "--total-steps", 40_000]
    alone = [*chosen[:2], folder / "alone", *chosen[3:5], *more]
    subprocess.run([*COMMAND, *map(str, alone)], check=True)
    run = folder / "cluster" / "seed-0" / WEIGHTS
    with two_nodes() as cluster:
        disturbed = start(cluster, *chosen, *more)
        wait_until(run.exists, disturbed)
        replace_node(cluster)
        wait_until((folder / "cluster" / "seed-1" / WEIGHTS).exists, disturbed)
        disturbed.send_signal(signal.SIGKILL)
        disturbed.communicate()
        said = end(start(cluster, *chosen[:5], "--resume", *chosen[5:]))
    runs = [f"seed-{seed}" for seed in (0, 1)]
    same = {run: ended(folder / "alone" / run) == ended(folder / "cluster" / run) for run in runs}
    return {"same": same, "begun again": repeats(said)}


def tune(folder: Path) -> dict[str, Any]:
    """A search in batches of two; a node is lost."""
    chosen = ("tune", "--trials", 4, "--batch", 2, "--search", "learning_rate,batch_size", *SMALL)
    more = ("--total-steps", 20_000, "--checkpoint-minutes", 0.02, "--out")
    alone = subprocess.run([*COMMAND, *map(str, (*chosen, *more)), folder / "alone"], check=True, capture_output=True)
    with two_nodes() as cluster:
        disturbed = start(cluster, *chosen, *more, folder / "cluster")
        wait_until(lambda: len(list(folder.glob(f"cluster/trial-*/{WEIGHTS}"))) > 2, disturbed)
        replace_node(cluster)
        said = end(disturbed)
    expected = alone.stdout.decode().splitlines()
    kept = [line for line in said.splitlines() if line in expected]  # Ray reports a lost node in between
    return {"same": kept == expected, "said": kept, "begun again": repeats(said)}


def overhead(folder: Path) -> dict[str, Any]:
    """Deals per second on two nodes of a core each against two processes, by turns, both warm."""
    table, per_round, rates = labels_of(GAMES["pyramid"]), 500, dict[str, list[float]]()
    with two_nodes() as cluster, Cluster(cluster.address) as there, ThisMachine(2) as here:
        for number in range(1 + int(os.environ.get("ROUNDS", "5"))):  # the first round loads and compiles
            deals = np.arange(number * per_round, (number + 1) * per_round, dtype=np.uint64)
            chunks = [deals[first : first + table.chunk] for first in range(0, per_round, table.chunk)]
            for name, workers in (("jobs", here), ("cluster", there)):
                begin = time.monotonic()
                assert len(list(workers.share(table.label, chunks))) == len(chunks)
                rates.setdefault(name, []).append(per_round / (time.monotonic() - begin))
    ratios = [there / here for here, there in zip(rates["jobs"][1:], rates["cluster"][1:], strict=True)]
    return {"deals per second": rates, "ratios": ratios, "median": float(np.median(ratios))}


SCENARIOS = {one.__name__: one for one in (quick, label, compare, seeds, tune, overhead)}


def main() -> None:
    """Runs a scenario, with nothing up but the loopback."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    name, folder = sys.argv[1:]
    print(json.dumps(SCENARIOS[name](Path(folder))))


if __name__ == "__main__":
    main()
