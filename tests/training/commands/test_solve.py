"""The commands `solve` and `label`."""

import json
from pathlib import Path

import pytest

from solitaire_envs.cards import deck_of_deal, deck_text
from solitaire_training.commands.main import main
from solitaire_training.solving.counts import read_counts


def test_solve(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--deal", "7", "--goal", "all", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "solved"
    assert main(["solve", "--deck", deck_text(deck_of_deal(7))]) == 0
    assert "deck: " in capsys.readouterr().out
    assert main(["solve", "--deal", "7", "--max-nodes", "1"]) == 0
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


def test_training_deals_are_labelled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, counts = tmp_path / "l.csv", tmp_path / "c.csv"
    label = ("label", "--jobs", "1", "--out", str(out), "--counts", str(counts), "--count", "2", "--first")
    for first in (2**63 - 1, 2**64 - 2):
        assert main([*label, str(first)]) == 0
    deals = [2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]
    assert [int(line.partition(",")[0]) for line in out.read_text().splitlines()[1:]] == deals
    assert f"pyramid labels,{2**63 - 1},{2**63},winnable_in," in counts.read_text()
    assert {sum(column.values()) for column in read_counts(counts, "pyramid labels").values()} == {4}
    assert main([*label, str(2**64 - 1)]) == 2
    assert "expected a deal number, an integer of 0..2**64 - 1" in capsys.readouterr().err


def test_counts_of_ranges_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, parts = tmp_path / "one.csv", tmp_path / "parts.csv"

    def label(first: int, count: int, counts: Path) -> int:
        deals = ["--first", str(first), "--count", str(count), "--out", str(tmp_path / "l.csv"), "--jobs", "1"]
        return main(["label", *deals, "--counts", str(counts)])

    assert [label(4, 2, parts), label(0, 4, parts), label(0, 6, one)] == [0, 0, 0]
    assert read_counts(parts, "pyramid labels") == read_counts(one, "pyramid labels")
    assert {sum(column.values()) for column in read_counts(one, "pyramid labels").values()} == {6}
    assert read_counts(one, "pyramid odds") == {}
    capsys.readouterr()
    before = parts.read_bytes()
    assert label(5, 3, parts) == 2
    assert f"expected deals that {parts} has not counted, got 5 to 7; it has 4 to 5" in capsys.readouterr().err
    assert parts.read_bytes() == before
    assert label(0, 6, parts) == 0
    assert parts.read_bytes() == one.read_bytes()
    parts.write_text(before.decode().replace(",4,5,", ",4,five,", 1))
    assert label(10, 1, parts) == 2
    assert "expected a row of counts in" in capsys.readouterr().err
