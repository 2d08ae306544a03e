"""Whether an update shared by processes pays on one machine: one thread, two threads, and DDP over two processes.

    .venv/bin/python benchmarks/ddp.py

An update is what PPO does with a minibatch of the Pyramid recipe: losses of policy and value, their gradients, a step
of Adam. With DDP each process has half the minibatch, and gradients are averaged over the loopback. The three take
turns; medians. Wants a quiet machine.
"""

import argparse
import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import torch
import torch.multiprocessing as processes
from torch import distributed
from torch.nn.functional import cross_entropy, mse_loss
from torch.nn.parallel import DistributedDataParallel

from solitaire_training.learning.config import load_config
from solitaire_training.learning.model import build_model
from solitaire_training.learning.recipes import find_recipe

PROCESSES = 2


def new_update(batch_size: int, precision: str, *, shared: bool) -> Callable[[], None]:
    """Returns an update with a minibatch of observations of the first moves."""
    chosen = {"num_envs": batch_size, "device": "cpu", "precision": precision}
    config = load_config(find_recipe("pyramid-win"), chosen)
    model: Any = build_model(config)
    observations = model.policy.obs_to_tensor(model.env.reset())[0]
    actions = torch.as_tensor(np.concatenate(model.env.env_method("action_masks"))).int().argmax(dim=1)  # any legal one
    judge = model.policy.mlp_extractor
    network = DistributedDataParallel(judge) if shared else judge

    def update() -> None:
        logits, values = network(observations)
        loss = cross_entropy(logits, actions) + mse_loss(values.flatten(), torch.zeros(batch_size))
        model.policy.optimizer.zero_grad()
        loss.backward()
        model.policy.optimizer.step()

    return update


def seconds_of(update: Callable[[], None], updates: int) -> float:
    started = time.perf_counter()
    for _ in range(updates):
        update()
    return time.perf_counter() - started


def work(rank: int, batch_size: int, precision: str, updates: int, turns: int) -> None:
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29511", "GLOO_SOCKET_IFNAME": "lo"}
    distributed.init_process_group("gloo", rank=rank, world_size=PROCESSES)
    torch.set_num_threads(1)
    alone = new_update(batch_size, precision, shared=False)
    shared = new_update(batch_size // PROCESSES, precision, shared=True)
    found: dict[str, list[float]] = {"one thread": [], "two threads": [], "two processes": []}
    for _ in range(1 + turns):  # the first warms up
        for name, seconds in found.items():
            distributed.barrier()
            if name == "two processes":
                seconds.append(seconds_of(shared, updates))
            elif rank == 0:
                torch.set_num_threads(1 + (name == "two threads"))
                seconds.append(seconds_of(alone, updates))
                torch.set_num_threads(1)
    if rank == 0:
        print(f"{'minibatches of ' + str(batch_size):24}{'a second':>10}{'ratio':>8}")
        base = median(found["one thread"][1:])
        for name, seconds in found.items():
            print(f"{name:24}{updates / median(seconds[1:]):10.2f}{base / median(seconds[1:]):8.2f}")
    distributed.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch-size", type=int, nargs="+", default=[512, 2_048], help="of a minibatch")
    parser.add_argument("--updates", type=int, default=10, help="in a turn (default 10)")
    parser.add_argument("--turns", type=int, default=5, help="measurements of each (default 5)")
    parser.add_argument("--precision", default="float32", help="of the network's products (default float32)")
    chosen = parser.parse_args()
    for batch_size in chosen.batch_size:
        processes.spawn(work, (batch_size, chosen.precision, chosen.updates, chosen.turns), nprocs=PROCESSES)


if __name__ == "__main__":
    main()
