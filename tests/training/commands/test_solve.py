"""The commands `solve` and `label`."""

import json
from pathlib import Path

import pytest

from solitaire_envs.cards import deck_of_deal, deck_text
from solitaire_training.commands.main import main


def test_solve(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--deal", "7", "--goal", "all", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "solved"
    assert main(["solve", "--deck", deck_text(deck_of_deal(7))]) == 0
    assert "deck: " in capsys.readouterr().out
    assert main(["solve", "--deal", "7", "--max-nodes", "1e0"]) == 0
    assert capsys.readouterr().out.startswith("unknown")
    assert main(["solve", "--deal", "3", "--game", "tour_infernale", "--option", "passes=1"]) == 0
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
