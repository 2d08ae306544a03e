"""The commands `solve` and `label`."""

import json
from pathlib import Path

import pytest

from solitaire_agents.kit import Status
from solitaire_envs.cards import deck_of_deal, deck_text
from solitaire_envs.deals import list_deals
from solitaire_training.commands.main import main


def test_solve(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--deal", "7", "--goal", "win", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "solved"
    assert main(["solve", "--deck", deck_text(deck_of_deal(7))]) == 0
    assert "deck: " in capsys.readouterr().out
    assert main(["solve", "--deal", "7", "--max-nodes", "1"]) == 0
    assert capsys.readouterr().out.startswith("unknown")
    assert main(["solve", "--deal", "3", "--env", "solitaire/TourInfernaleOnePass-v0"]) == 0
    assert '"won": true' in " ".join(capsys.readouterr().out.split())
    assert main(["solve", "--deal", "7", "--goal", "x"]) == 2
    assert main(["solve", "--deck", "QH QH"]) == 2


def test_label(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "l.csv")
    assert main(["label", "--count", "0", "--out", out]) == 2
    assert main(["label", "--count", "3", "--jobs", "1", "--out", out]) == 0
    assert "winnable in 3 passes or fewer" in capsys.readouterr().out
    assert main(["label", "--first", "1", "--count", "3", "--jobs", "1", "--out", out]) == 0
    assert f"1 deals labelled; {out} has all 3" in capsys.readouterr().out


def test_a_limit_of_nodes_leaves_deals_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "l.csv"
    label = ("label", "--count", "2", "--jobs", "1", "--max-nodes", "1000", "--out", str(out))
    assert main([*label, "--env", "solitaire/TourInfernaleOnePass-v0"]) == 0
    rows = [list(map(int, line.split(","))) for line in out.read_text().splitlines()[1:]]
    assert [winnable for _, winnable, _ in rows] == [Status.UNKNOWN, Status.UNKNOWN]
    assert all(1_000 <= nodes < 10_000 for *_, nodes in rows)
    capsys.readouterr()
    assert main(label) == 2
    assert "expected no max_nodes, since every deal of this table is settled; got 1000" in capsys.readouterr().err


def test_training_deals_are_labelled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "l.csv"
    label = ("label", "--jobs", "1", "--out", str(out), "--count", "2", "--first")
    for first in (2**63 - 1, 2**64 - 2):
        assert main([*label, str(first)]) == 0
    deals = [2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]
    assert [int(line.partition(",")[0]) for line in out.read_text().splitlines()[1:]] == deals
    assert list_deals(out).tolist() == deals
    assert main([*label, str(2**64 - 1)]) == 2
    assert "expected a deal number, an integer of 0..2**64 - 1" in capsys.readouterr().err
