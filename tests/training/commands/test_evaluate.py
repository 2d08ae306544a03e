"""The commands `compare` and `report`."""

import re
from pathlib import Path
from typing import Any

import pytest

from solitaire_training.commands.main import main


def test_compare_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--agents", "uniform,careful", "--deals", "60", "--wide"]) == 0
    printed = capsys.readouterr().out
    for word in ("uniform", "careful", "won", "cleared", "score", "par", "moves", "deals/s", "60 deals"):
        assert word in printed


def test_compare_on_a_file_of_deals_and_with_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deals = tmp_path / "deals.txt"
    deals.write_text("5\n18446744073709551615\n")
    arguments = ["--env", "solitaire/TourInfernale-v0", "--agents", "thrifty", "--deals", str(deals)]
    assert main(["compare", *arguments, "--option", "passes=2", "--option", "information=table"]) == 0
    assert "2 deals" in capsys.readouterr().out


def test_compare_then_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--agents", "careful", "--deals", "30", "--out", str(tmp_path / "out")]) == 0
    assert f"solitaire-rl report {tmp_path / 'out'}" in capsys.readouterr().out
    assert main(["report", str(tmp_path / "out")]) == 0
    assert "careful" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize("name", ["careful", "a-run/with/a-very-long-name/that-does-not-fit@sample"])
def test_tables_fit_eighty_columns(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    agents = f"uniform,{name}={'careful'},oracle"
    assert main(["compare", "--agents", agents, "--deals", "12", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in printed
    for word in ("agent", "won, %", "score", "[", "more columns: --wide", *re.split(r"(?<=[/@])", name)):
        assert word in printed


def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "--agents", "uniform,careful", "--deals", "6", "--format", "md"]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("**solitaire/Pyramid-v0, 6 deals**\n\n| agent | won, % | score | regret |")
    assert "| deals/s |" in printed
    assert "moves" not in printed
    assert main([*arguments, "--wide"]) == 0
    assert "| moves |" in capsys.readouterr().out
