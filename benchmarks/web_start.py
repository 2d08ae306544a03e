"""How soon `solitaire-rl serve` listens and is ready: `python benchmarks/web_start.py`.

The first start has an empty NUMBA_CACHE_DIR, as on a new machine; the second one has what the first one has compiled.
The first analysis follows the first move at once, so it waits for what the server still prepares.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from web_load import ask

POSITION = {"env": "solitaire/Pyramid-v0", "deal": "10007", "moves": ""}


def start(folder: str) -> dict[str, float]:
    """Starts a server; returns the seconds until it listens and is ready, and those of its first answers."""
    command = [sys.executable, "-m", "solitaire_training", "serve", "--no-open", "--port", "0", "--data", folder]
    began = time.perf_counter()

    def since() -> float:
        nonlocal began
        before, began = began, time.perf_counter()
        return began - before

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
        seconds = {"address": since()}
        ask(port, "GET /")
        seconds["first page"] = since()
        while ask(port, "GET /")[0] == 503:
            time.sleep(0.2)
        seconds["ready"] = since()
        ask(port, "POST /api/position", POSITION)
        seconds["first move"] = since()
        asked: dict[str, Any] = {**POSITION, "agent": "best", "solver": True}
        _, lines = ask(port, "POST /api/analyse", asked)
        assert any(json.loads(line)["kind"] == "verdict" for line in lines.splitlines()), lines
        seconds["first analysis"] = since()
        server.terminate()
    return seconds


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = os.path.join(folder, "numba")
        for name in ("new machine", "next start"):
            print(f"{name}: " + ", ".join(f"{what} {one:.2f} s" for what, one in start(folder).items()), flush=True)


if __name__ == "__main__":
    main()
