"""A server of its own for each test, and a client that asks as the page does."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from starlette.testclient import TestClient

from solitaire_evaluation.people import Games
from solitaire_web.app import Server, make_app
from tests.web.driver import CHROMIUM, FLAGS, PATIENCE, PLAY_ALL, WIDE, ServerProcess

HOST = "127.0.0.1:8765"


@pytest.fixture
def games(tmp_path: Path) -> Games:
    return Games(tmp_path)


@pytest.fixture
def client(games: Games) -> Iterator[TestClient]:
    server = Server(games)
    app: Any = make_app(server, [HOST])
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False) as client:
        yield client
    server.close()


# --- In a real browser ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    process = ServerProcess(tmp_path_factory.mktemp("people"))
    yield process
    process.stop()


@pytest.fixture(scope="module")  # as long as it is open, no other event loop runs
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as drivers:
        browser = drivers.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def faults() -> Iterator[list[str]]:
    """What the page has complained of, which has to be nothing at the end."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture
def open_page(browser: Any, faults: list[str]) -> Iterator[Any]:
    contexts = []

    def open_at(address: str, script: str = PLAY_ALL, **settings: Any) -> Any:
        context = browser.new_context(**{**WIDE, **settings})
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(script)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if "Content Security" in said.text else None)
        page.goto(address)
        page.wait_for_selector("#board g[data-key^=card]")
        return page

    yield open_at
    for context in contexts:
        context.close()
