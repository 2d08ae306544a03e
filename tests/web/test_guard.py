"""Who may ask, and how much."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from solitaire_evaluation.people import Games
from solitaire_training.commands.main import main
from solitaire_web.app import Server, make_app
from solitaire_web.command import _address, _listen, _names
from tests.web.conftest import HOST

POSITION = {"env": "solitaire/Pyramid-v0", "deal": "0", "moves": ""}


def post(client: TestClient, content: bytes | None = None, **headers: str) -> Any:
    body = json.dumps(POSITION).encode() if content is None else content
    return client.post("/api/position", content=body, headers={"content-type": "application/json", **headers})


def test_its_own_page_may_ask(client: TestClient) -> None:
    assert post(client).status_code == 200
    assert post(client, origin=f"http://{HOST}").status_code == 200


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("host", "evil.example"),
        ("host", "127.0.0.1:80"),
        ("host", ""),
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:81"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ],
)
def test_others_may_not(client: TestClient, name: str, value: str) -> None:
    answer = post(client, **{name: value})
    assert answer.status_code == 403
    assert client.get("/", headers={name: value}).status_code == 403


def test_only_json_and_only_a_little(client: TestClient) -> None:
    assert post(client, **{"content-type": "text/plain"}).status_code == 415
    assert post(client, b"x" * 70_000).status_code == 413
    assert post(client, b"{}", **{"content-length": "100000000"}).status_code == 413
    assert client.put("/api/position").status_code == 405
    assert client.get("/api/position").status_code == 405

    def pieces() -> Any:  # of unknown length
        for _ in range(100):
            yield b"x" * 1_000

    answer = client.post("/api/position", content=pieces(), headers={"content-type": "application/json"})
    assert answer.status_code == 413


@pytest.mark.parametrize("body", [b"", b"[]", b"nonsense", b"\xff", b"[" * 30_000, b'{"env": NaN}', b"1"])
def test_nonsense_is_refused(client: TestClient, body: bytes) -> None:
    answer = post(client, body)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("expected ")


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/none.js", "/etc/passwd"])
def test_there_are_no_other_files(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "error" in answer.json()


def test_every_answer_has_the_headers(client: TestClient) -> None:
    for answer in (client.get("/"), client.get("/none"), post(client), post(client, host="evil.example")):
        rules = dict(rule.strip().partition(" ")[::2] for rule in answer.headers["content-security-policy"].split(";"))
        assert rules["default-src"] == "'none'"
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


def test_a_token_lets_other_machines_in(games: Games) -> None:
    app: Any = make_app(Server(games), ["there:80"], "secret")
    with TestClient(app, base_url="http://there:80") as visitor:
        assert visitor.get("/").status_code == 401
        assert visitor.get("/?token=wrong").status_code == 401
        assert visitor.get("/api/about?token=secret").status_code == 401
        first = visitor.get("/?token=secret", follow_redirects=False)
        assert (first.status_code, first.headers["location"]) == (303, "/")
        assert {"HttpOnly", "SameSite=Strict"} <= set(first.headers["set-cookie"].replace(" ", "").split(";"))
        assert visitor.get("/").status_code == 200
        assert visitor.get("/", headers={"cookie": "token=other"}).status_code == 401


@pytest.mark.parametrize(
    "token", ["a b", "a&b=c", "a+b", "a#b", "100%", "%41", "a;b, c", '"a\'b"', "Übermaß", "a\\073"]
)
def test_a_token_may_have_any_signs(games: Games, token: str) -> None:
    app: Any = make_app(Server(games), ["there:80"], token)
    with TestClient(app, base_url="http://there:80") as visitor:
        assert visitor.get(_address("there", 80, token), follow_redirects=False).status_code == 303
        assert visitor.get("/").status_code == 200
    with TestClient(app, base_url="http://there:80") as stranger:
        assert stranger.get("/", headers={"cookie": f"token={token}x".encode()}).status_code == 401


@pytest.mark.parametrize("token", ["a\nb", "\x00", "\udc80"])
def test_a_token_that_cannot_be_shown_is_refused_at_the_start(
    token: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--no-open", "--data", str(tmp_path), "--token", token]) == 2
    assert "--token: expected printable" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", [["serve", "--no-open"], ["replay", "human:ada"], ["compare", "--agents", "human:ada"]]
)
def test_where_games_cannot_be_kept_data_is_named(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a read-only disk; and at once, before anything is compiled."""
    monkeypatch.setattr("solitaire_web.starting._prepare_game", pytest.fail)
    (tmp_path / "file").write_text("")
    assert main([*command, "--data", str(tmp_path / "file" / "people")]) == 2
    told = capsys.readouterr().err
    assert "--data: expected a folder that can be written" in told
    assert told.count("\n") == 1


def test_a_fault_is_no_trace(games: Games, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: Any) -> None:
        raise RuntimeError("inner matters")

    server = Server(games)
    monkeypatch.setattr(server._positions, "engine", fail)
    app: Any = make_app(server, [HOST])
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False) as client:
        answer = post(client)
    assert answer.status_code == 500
    assert "inner" not in answer.text


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_tunnel_is_let_in_by_name(games: Games, scheme: str) -> None:
    app: Any = make_app(Server(games), [HOST, "localhost:9000"])
    with TestClient(app, base_url=f"http://{HOST}") as client:
        assert post(client, host="localhost:9000", origin=f"{scheme}://localhost:9000").status_code == 200
        refused = post(client, host="localhost:9001")
        assert refused.status_code == 403
        assert "--allow-host" in refused.json()["error"]


def test_names_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Node7")
    monkeypatch.setattr(socket, "getfqdn", lambda: "node7.cluster.example")
    found = [(None, None, None, None, (address, 0)) for address in ("10.0.0.7", "fd00::7")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given: found)
    assert _names("0.0.0.0") == {"0.0.0.0", "node7", "node7.cluster.example", "10.0.0.7", "[fd00::7]"}
    assert _address("[::]", 80, "").startswith("http://Node7:80/")

    def unknown(*given: Any) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert _names("0.0.0.0") == {"0.0.0.0", "node7", "node7.cluster.example"}
    assert _names("localhost") == set()


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_all_addresses_of_both_kinds() -> None:
    with _listen("[::]", 0) as listening:
        port = listening.getsockname()[1]
        for address in ("127.0.0.1", "::1") if socket.has_dualstack_ipv6() else ("::1",):
            with socket.create_connection((address, port), timeout=10):
                pass
