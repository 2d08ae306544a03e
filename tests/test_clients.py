"""The scripts for other libraries, which `make test-clients` runs."""

import subprocess
from pathlib import Path

import pytest

from tests.clients import __main__ as clients

FOLDER = clients.ROOT / "tests" / "clients"


def test_each_client_has_a_script_and_a_row_in_the_docs() -> None:
    assert {path.stem for path in FOLDER.glob("[a-z]*.py")} == set(clients.CLIENTS)
    rows = (clients.ROOT / "docs" / "libraries.md").read_text(encoding="utf-8").splitlines()
    for name in clients.CLIENTS:
        assert [row for row in rows if f"| {clients.what_is_tried(name)} | [{name}.py]" in row]


def test_a_client_that_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others are tried all the same."""

    def run(command: list[str | Path], *_: object) -> None:
        if "tests.clients.skrl" in command:
            raise subprocess.CalledProcessError(1, "sh", stderr="Traceback\nValueError: no mask\n")

    monkeypatch.setattr(clients, "ROOT", tmp_path)
    monkeypatch.setattr(clients, "run", run)
    monkeypatch.setattr(clients, "what_is_tried", lambda name: "")
    monkeypatch.setattr("sys.argv", ["clients"])
    assert clients.main() == 1
    results = {line.split()[0]: line.split("  ")[-1].strip() for line in capsys.readouterr().out.splitlines()}
    assert results == {name: "ValueError: no mask" if name == "skrl" else "ok" for name in clients.CLIENTS}
