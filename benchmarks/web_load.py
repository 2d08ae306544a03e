"""How quickly the server answers a move while many play: `python benchmarks/web_load.py --clients 20 --seconds 60`.

Each client plays random games on a connection of its own, over the loopback. It makes a move, waits for the position,
and pauses as long as `--pause` says; 0 is a client that never pauses. The server is another process on this machine.
"""

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np

ENVS = ("solitaire/Pyramid-v0", "solitaire/TourInfernaleOnePass-v0", "solitaire/TourInfernale-v0")
BROKEN = 10_000
"""Deals from here on, so that no game that counts is in the way."""


class Client:
    """One player, who speaks plain HTTP over one connection."""

    def __init__(self, port: int, number: int) -> None:
        self.port, self.random = port, random.Random(number)
        self.seconds: list[float] = []
        self.errors = 0

    async def ask(self, content: dict[str, Any]) -> dict[str, Any]:
        body = json.dumps(content).encode()
        head = f"POST /api/position HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
        self.writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        headers = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        found = re.search(r"content-length: (\d+)", headers, re.IGNORECASE)
        answer = await self.reader.readexactly(int(found[1]) if found else 0)
        if " 200 " not in headers.partition("\r\n")[0]:
            self.errors += 1
        return dict(json.loads(answer))

    async def play(self, end: float, pause: float) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        await asyncio.sleep(self.random.random() * pause)
        while time.perf_counter() < end:
            env, deal, moves = self.random.choice(ENVS), BROKEN + self.random.randrange(10**6), list[str]()
            over = False
            while not over and len(moves) < 300 and time.perf_counter() < end:
                started = time.perf_counter()
                shown = await self.ask({"env": env, "deal": str(deal), "moves": " ".join(moves)})
                self.seconds.append(time.perf_counter() - started)
                over = bool(shown.get("over", True))
                if not over:
                    moves.append(self.random.choice(shown["legal"])["move"])
                await asyncio.sleep(pause * (0.5 + self.random.random()))
        self.writer.close()


def memory_of(process: int) -> float:
    """Returns the memory of a process in megabytes."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else float("nan")


async def load(port: int, process: int, clients: int, seconds: float, pause: float) -> None:
    players = [Client(port, number) for number in range(clients)]
    end = time.perf_counter() + seconds
    memory = [memory_of(process)]

    async def watch() -> None:
        while time.perf_counter() < end:
            await asyncio.sleep(seconds / 6)
            memory.append(memory_of(process))

    await asyncio.gather(watch(), *(player.play(end, pause) for player in players))
    times = 1_000 * np.concatenate([player.seconds for player in players])
    middle, most = np.percentile(times, [50, 99])
    errors = sum(player.errors for player in players)
    print(f"{clients} clients, {seconds:g} s, pause {pause:g} s: {len(times):,} answers, {len(times) / seconds:,.0f}/s")
    print(f"median {middle:.2f} ms, 99th percentile {most:.2f} ms, longest {times.max():.1f} ms, {errors} errors")
    print("memory, MB: " + ", ".join(f"{one:.0f}" for one in memory))


def ask(port: int, line: str, content: Any = None) -> tuple[int, str]:
    """Returns the status and the text of one answer; ``line`` is method and path."""
    connection = HTTPConnection("127.0.0.1", port)
    connection.request(*line.split(), json.dumps(content), {"content-type": "application/json"})
    answer = connection.getresponse()
    status, text = answer.status, answer.read().decode()
    connection.close()
    return status, text


@contextmanager
def serving() -> Iterator[tuple[int, int]]:
    """Starts a server that keeps nothing; yields its port and its process."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "solitaire_training", "serve", "--no-open", "--port", "0", "--data", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            port = int(server.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
            while ask(port, "GET /")[0] == 503:  # the games are being prepared
                time.sleep(0.1)
            yield port, server.pid
            server.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=0.2, help="mean pause between a client's moves, in seconds")
    chosen = parser.parse_args()
    with serving() as (port, process):
        asyncio.run(load(port, process, chosen.clients, chosen.seconds, chosen.pause))


if __name__ == "__main__":
    main()
