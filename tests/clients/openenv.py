"""GenericEnvClient: 200 games, 64 sessions at once, a client that is killed, wrong messages, tasks."""

import asyncio
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from openenv import GenericEnvClient
from websockets.sync.client import connect

from examples import openenv_client
from solitaire_evaluation.chat_env import ChatEnv
from tests.clients._serving import by_chance, play_in_process, serving

ENVS, GAMES, SESSIONS = ("solitaire/Pyramid-v0", "solitaire/FreeCell-v0"), 200, 64
HOLDS = f"""
import sys, time
from openenv import GenericEnvClient
clients = [GenericEnvClient(base_url=sys.argv[1]).sync() for _ in range({SESSIONS})]
for client in clients:
    client.connect()
    client.reset(seed=0)
print("holding", flush=True)
time.sleep(600)
"""


async def play(address: str, index: int) -> tuple[float, dict[str, Any]]:
    answer, total = by_chance(index), 0.0
    async with GenericEnvClient(base_url=address) as env:
        result = await env.reset(split="validation", index=index)
        assert not result.observation["metadata"]
        while not result.done:
            result = await env.step({"move": answer(result.observation["text"])})
            total += result.reward
        state = await env.state()
    assert result.metadata.items() <= state.items()
    return total, result.metadata


async def play_all(address: str) -> tuple[list[tuple[float, dict[str, Any]]], float]:
    """Plays the games, `SESSIONS` at a time; returns their results, and the turns a second."""
    places, started = asyncio.Semaphore(SESSIONS), time.perf_counter()

    async def one(index: int) -> tuple[float, dict[str, Any]]:
        async with places:
            return await play(address, index)

    results = await asyncio.gather(*map(one, range(GAMES)))
    return results, sum(info["turns"] for _, info in results) / (time.perf_counter() - started)


def request(address: str, path: str, data: Any) -> tuple[int, Any]:
    asked = urllib.request.Request(address + path, json.dumps(data).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(asked) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def resident(process: int) -> int:
    """Returns the memory of a process, in MiB."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4 // 1024


for env_id in ENVS:
    with serving("--env", env_id, "--max-turns", "60", "--reward", "score") as (address, _):
        results, speed = asyncio.run(play_all(address))
        print(f"{env_id}: {GAMES} games, {SESSIONS} at a time, {speed:.0f} turns a second")
        env = ChatEnv(env_id, max_turns=60, reward="score")
        assert results == [play_in_process(env, by_chance(i), split="validation", index=i) for i in range(GAMES)]

with serving("--env", ENVS[0], "--sessions", str(SESSIONS)) as (address, server):
    used = []
    for _ in range(4):
        holding = subprocess.Popen([sys.executable, "-c", HOLDS, address], stdout=subprocess.PIPE, text=True)
        assert holding.stdout is not None
        assert holding.stdout.readline() == "holding\n"
        try:  # all places are taken
            GenericEnvClient(base_url=address).sync().reset(seed=0)
            raise AssertionError("one session too many")
        except RuntimeError as error:
            assert "CAPACITY_REACHED" in str(error)
        holding.kill()
        holding.wait()
        used.append(resident(server.pid))
    assert used[-1] - used[1] < 8, used  # each round has 64 games; the first two fill caches

    assert request(address, "/Pyramid-v0/num_tasks", {"split": "validation"}) == (200, {"num_tasks": 10_000})
    task = {"id": "validation-3", "split": "validation", "index": 3, "deal": 1_000_003}
    assert request(address, "/Pyramid-v0/task", {"split": "validation", "index": 3}) == (200, {"task": task})
    status, refused = request(address, "/Pyramid-v0/tasks", {"split": "test"})
    assert (status, refused["detail"]) == (400, "expected split among train, validation; got 'test'")
    status, refused = request(address, "/step", {"action": {"move": "draw"}})
    assert (status, refused["detail"]) == (400, "expected a game under way, got none: reset() deals one")

    with connect(address.replace("http", "ws") + "/ws") as socket:

        def said(message: str) -> dict[str, Any]:
            socket.send(message)
            return dict(json.loads(socket.recv()))

        first = said('{"type": "reset", "data": {"split": "validation", "index": 0}}')
        table = first["data"]["observation"]["text"].partition("\n\n\n")[2]
        wrong = {
            "{": "INVALID_JSON",
            '{"type": "step", "data": {}}': "VALIDATION_ERROR",
            '{"type": "step", "data": {"move": "draw", "more": 1}}': "VALIDATION_ERROR",
            '{"type": "dance"}': "UNKNOWN_TYPE",
            '{"type": "reset", "data": {"split": "test"}}': "EXECUTION_ERROR",
            '{"type": "reset", "data": {"deal": 7}}': "EXECUTION_ERROR",
            '{"type": "reset", "data": {"seed": "seven"}}': "EXECUTION_ERROR",
        }
        for message, code in wrong.items():
            answer = said(message)
            assert (answer["type"], answer["data"]["code"]) == ("error", code), answer
        assert said('{"type": "state"}')["data"]["turns"] == 0  # none of them has cost a turn
        for move in ("10", "null", '"nonsense"', '["draw"]'):
            answer = said(f'{{"type": "step", "data": {{"move": {move}}}}}')["data"]
            assert answer["observation"]["text"].startswith("expected a legal move, one of: draw, ")
            assert answer["observation"]["text"].endswith(table)
            assert (answer["reward"], answer["done"]) == (0, False)
        assert said('{"type": "state"}')["data"]["turns"] == 4  # each of them has

with serving("--env", ENVS[1]) as (address, _):
    played = openenv_client.play(address, "validation", 0)
    assert played["turns"] == 1_000
    assert played["deal"] == 1_000_000
