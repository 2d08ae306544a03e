"""A server of its own for each test, and a client that asks as the page does."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from starlette.testclient import TestClient

from solitaire_evaluation.people import Games
from solitaire_web.app import Server, make_app

HOST = "127.0.0.1:8765"


@pytest.fixture
def games(tmp_path: Path) -> Games:
    return Games(tmp_path)


@pytest.fixture
def client(games: Games) -> Iterator[TestClient]:
    app: Any = make_app(Server(games), [HOST])
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False) as client:
        yield client
