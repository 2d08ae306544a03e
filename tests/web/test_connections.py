"""Bursts on a real server: what each connection may send, how many there may be, how many analyses."""

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn

from solitaire_evaluation.people import Games
from solitaire_web import guard
from solitaire_web.analyses import MAX_STREAMS
from solitaire_web.app import Server, make_app
from solitaire_web.connections import MAX_CONNECTIONS, MAX_HEADER, make_config
from tests.web.test_positions import PYRAMID

pytestmark = pytest.mark.anyio
SOON = 60.0
"""Seconds: longer than a busy machine needs."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def serving(server: Server, token: str = "") -> AsyncIterator[int]:
    """Yields the port."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    running = uvicorn.Server(make_config(make_app(server, [f"127.0.0.1:{port}"], token)))
    task = asyncio.create_task(running.serve(sockets=[listening]))
    while not running.started:
        await asyncio.sleep(0.01)
    yield port
    running.should_exit = True
    await task


async def ask(port: int, name: str, **content: Any) -> tuple[int, bytes]:
    """Returns the status and the rest of the answer."""
    body = json.dumps(content).encode()
    head = f"POST /api/{name} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{head}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    answer = await asyncio.wait_for(reader.read(), SOON)
    writer.close()
    return int(answer.split()[1]), answer


@pytest.mark.parametrize("piece", [b"x" * 4_096, b"x: y\r\n" * 1_000], ids=["one", "many"])
@pytest.mark.parametrize("token", ["", "secret"])
async def test_a_header_has_an_end(games: Games, piece: bytes, token: str) -> None:
    async with serving(Server(games), token) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nx: ")
        for _ in range(2 * MAX_HEADER // len(piece) + 1):
            writer.write(piece)
        assert (await asyncio.wait_for(reader.read(), SOON)).startswith(b"HTTP/1.1 4")
        writer.close()


async def test_the_silent_keep_nobody_out(games: Games) -> None:
    async with serving(Server(games)) as port:
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MAX_CONNECTIONS + 100)]
        status, _ = await ask(port, "position", env=PYRAMID, deal="7", moves="")
        assert status == 200
        closed = 0
        for reader, writer in silent:
            closed += reader.at_eof()
            writer.close()
        assert closed >= 100


async def test_a_body_has_to_come(games: Games, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.05)
    async with serving(Server(games)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"POST /api/position HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: 10\r\n\r\n{{".encode())
        assert (await asyncio.wait_for(reader.read(), SOON)).startswith(b"HTTP/1.1 408")
        writer.close()


async def test_of_many_analyses_at_once_eight_begin(games: Games, monkeypatch: pytest.MonkeyPatch) -> None:
    server, gate = Server(games), threading.Event()

    def wait(*asked: Any) -> Iterator[dict[str, Any]]:
        yield {"waited": gate.wait(SOON)}

    monkeypatch.setattr(server._analyses, "choice", wait)
    asked = {"env": PYRAMID, "deal": "7", "moves": "", "agent": "careful"}
    async with serving(server) as port:
        for _ in range(2):  # the places are given back
            gate.clear()
            tasks = [asyncio.create_task(ask(port, "choice", **asked)) for _ in range(40)]
            first = zip(range(40 - MAX_STREAMS), asyncio.as_completed(tasks), strict=False)
            refused = [await one for _, one in first]
            gate.set()
            assert [status for status, _ in refused] == [429] * len(refused)
            statuses = [status for status, _ in await asyncio.gather(*tasks)]
            assert statuses.count(200) == MAX_STREAMS
