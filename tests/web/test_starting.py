"""What a server answers while it prepares the games, how it ends meanwhile, and what is compiled afterwards."""

import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import uvicorn
from starlette.testclient import TestClient

from solitaire_evaluation.people import Games
from solitaire_training.commands.main import main
from solitaire_web import starting as module
from solitaire_web.app import Server, make_app
from solitaire_web.connections import make_config
from solitaire_web.starting import prepared
from tests.environments import few
from tests.web.conftest import HOST
from tests.web.driver import NEEDS_CHROMIUM, PATIENCE, PYRAMID, get
from tests.web.test_guard import post

SERVE = (
    "import sys\nfrom solitaire_training.commands.main import main\n"
    "sys.argv[1:] = 'serve --no-open --port 0 --data .'.split()\nexit(main())"
)
HELD = (
    "import solitaire_web.starting as one, threading\none._prepare_game = lambda *_: threading.Event().wait()\n" + SERVE
)
"""A server that never ends to prepare the games."""
WARM = """
import gc
import json
from pathlib import Path
from numba.core.dispatcher import Dispatcher
from solitaire_evaluation.people import Games
from solitaire_web.starting import prepared
from solitaire_web.app import Server, make_app
from starlette.testclient import TestClient

def compiled():
    found = [one for one in gc.get_objects() if issubclass(type(one), Dispatcher)]
    return {f"{one.py_func.__qualname__} {kinds}" for one in found for kinds in one.signatures}

server = Server(Games(Path(".")))
starting = server.starting()
starting.prepare()
before = compiled()
assert before
with TestClient(make_app(server, ["there:80"], "", starting), base_url="http://there:80") as client:
    for env in prepared():
        asked = {"env": env, "deal": "3", "moves": ""}
        shown = client.post("/api/position", json=asked).json()
        client.post("/api/position", json={**asked, "moves": shown["legal"][0]["move"]})
        agents = json.loads(client.post("/api/agents", json=asked).text.splitlines()[0])
        lines = client.post("/api/analyse", json={**asked, "agent": agents["adviser"], "solver": True}).text
        assert '"verdict"' in lines and '"kind": "error"' not in lines, lines
assert compiled() == before, sorted(compiled() - before)
"""


@pytest.fixture
def server(games: Games, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server whose games are prepared at once, when a test says so."""
    monkeypatch.setattr(module, "_prepare_analysis", lambda *_: None)  # it takes minutes on a new machine
    monkeypatch.setattr(module, "_prepare_game", lambda env: None)
    return Server(games)


def client_of(server: Server, starting: Any, token: str = "") -> TestClient:
    app: Any = make_app(server, [HOST], token, starting)
    return TestClient(app, base_url=f"http://{HOST}")


def test_a_request_that_comes_too_early_is_told_so(server: Server) -> None:
    starting = server.starting()
    with client_of(server, starting) as client:
        page, answer = client.get("/"), post(client)
        assert (page.status_code, page.headers["retry-after"]) == (503, "1")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert answer.json()["reason"] == "starting"
        assert "\n" not in answer.text
        assert client.get("/static/starting.js").status_code == 200
        assert client.get("/none").status_code == 404
        starting.prepare()
        assert "starting.js" in page.text
        assert "page.js" in client.get("/").text
        assert post(client).status_code == 200


def test_the_page_says_in_its_language_what_is_being_prepared(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    starting, pages, hints = server.starting(), list[str](), list[int]()
    with client_of(server, starting) as client:

        def look(*_: Any) -> None:
            language = ("en", "de-CH,de;q=0.9", "fr", "nl")[len(pages) % 4]
            pages.append(client.get("/", headers={"accept-language": language}).text)

        monkeypatch.setattr(module, "_prepare_game", look)
        monkeypatch.setattr(module, "_prepare_analysis", lambda *_: hints.append(client.get("/").status_code))
        starting.prepare()
        assert client.get("/").status_code == 200
    assert "Pyramid is being prepared, 1 of 7." in pages[0]
    assert '<html lang="de">' in pages[1]
    assert "wird vorbereitet, 2 von 7." in pages[1]
    assert "Préparation de La tour infernale, 3 sur 7." in pages[2]
    assert '<html lang="en">' in pages[3]
    assert len(pages) == len(prepared())
    assert hints == len(prepared()) * [503]  # 'ready' is not said before the first hint is ready too


def test_the_guards_hold_meanwhile(server: Server) -> None:
    with client_of(server, server.starting()) as client:
        for headers in ({"host": "evil.example"}, {"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
            assert client.get("/", headers=headers).status_code == 403
            assert post(client, **headers).status_code == 403
        assert post(client, b"x" * 70_000).status_code == 413
        assert post(client, **{"content-type": "text/plain"}).status_code == 415
        assert client.put("/api/position").status_code == 405
        for answer in (client.get("/"), post(client)):
            assert "default-src 'none'" in answer.headers["content-security-policy"]
    with client_of(server, server.starting(), "secret") as visitor:
        assert visitor.get("/").status_code == 401
        assert post(visitor).status_code == 401
        assert visitor.get("/?token=secret").status_code == 503
        assert post(visitor).status_code == 503


@pytest.mark.parametrize(
    ("code", "signals"),
    few([(SERVE, [signal.SIGTERM]), (HELD, [signal.SIGINT]), (HELD, 2 * [signal.SIGINT])]),
    ids=["compiling", "held", "twice"],
)
def test_it_ends_meanwhile_as_always(
    code: str, signals: list[signal.Signals], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "empty"))
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
        status, page = get("/", port)
        for one in signals:
            process.send_signal(one)
            time.sleep(0.03)  # else two are taken for one
        assert process.wait(10) == 130  # two seconds where nothing else runs; compiling would take a minute
        assert process.stderr is not None
        assert [line for line in process.stderr if not line.startswith("compiling ")] == []
        assert process.stdout.read() == "ended\n"
    assert (status, "starting.js" in page) == (503, True)


def test_a_fault_ends_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any) -> None:
        raise ValueError("expected another game")

    monkeypatch.setattr(module, "_prepare_game", fail)
    monkeypatch.setattr("sys.setswitchinterval", lambda seconds: None)
    assert main(["serve", "--no-open", "--port", "0", "--data", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "solitaire-rl serve: expected another game\n"


@pytest.mark.slow
def test_first_answers_wait_for_no_compiler(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WARM], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stderr


@NEEDS_CHROMIUM
def test_the_page_of_a_link_loads_by_itself(server: Server, browser: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    listening = socket.create_server(("127.0.0.1", 0))
    port, starting = listening.getsockname()[1], server.starting()
    app = make_app(server, [f"127.0.0.1:{port}"], "", starting)
    running = uvicorn.Server(make_config(app))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    with browser.new_context(locale="fr") as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}/#{urlencode({'env': PYRAMID, 'deal': 7, 'moves': 'draw'})}")
        assert page.locator("#progress").inner_text() == f"Préparation de Pyramide, 1 sur {len(prepared())}."
        assert axe.run(page).violations_count == 0
        starting.prepare()
        page.wait_for_selector("#board g[data-key^=card]")
        assert "coup 1" in page.locator("#board .status").inner_text()
    running.should_exit = True
    thread.join()
