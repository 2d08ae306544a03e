"""Lists of deals."""

from pathlib import Path
from typing import Any

import pytest

from solitaire_evaluation.deals import read_deals
from solitaire_training.commands.main import main


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\n2\n1\n", "expected each deal once, got 1 in places 1 and 3"),
        ("1\n-2\n", "expected a deal number in place 2, got '-2'"),
        ("18446744073709551616\n", "expected a deal number"),
        ("1\n٣\n", "expected a deal number in place 2, got '٣'"),
        ("9" * 5_000, "expected a deal number in place 1, got '9999"),
        ("", "expected deals to be .*: it has no numbers"),
        ("deal\n", "expected deals to be .*: it has no numbers"),
        ("deal\ndeal\n7\n", "expected a deal number in place 1, got 'deal'"),
        ("7\ndeal\n", "expected a deal number in place 2, got 'deal'"),
    ],
)
def test_wrong_lists(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        read_deals(str(path))


@pytest.mark.parametrize("text", ["٣", "0", "3_0", "017", "1e1", "1000000000", "-1"])
def test_wrong_counts(text: str) -> None:
    with pytest.raises(ValueError, match="expected deals to be (a number of deals|1 to 10,000,000 numbers)"):
        read_deals(text)


def test_lists(tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    path.write_text("7\n18446744073709551615\n3\n")
    assert read_deals(str(path)).tolist() == [7, 2**64 - 1, 3]
    assert read_deals("1_000").tolist() == list(range(1_000))


def test_ranges_and_tables_of_labels(tmp_path: Path) -> None:
    assert read_deals(f"{2**63}-{2**63 + 2}").tolist() == [2**63, 2**63 + 1, 2**63 + 2]
    (tmp_path / "labels.csv").write_text("deal,nodes\n7,1\n3,7\n")
    assert read_deals(str(tmp_path / "labels.csv")).tolist() == [7, 3]
    for text in ("1-2-3", f"0-{2**64}"):
        with pytest.raises(ValueError, match=r"^expected deals"):
            read_deals(text)
    with pytest.raises(ValueError, match="expected deals FIRST-LAST from a lower to a higher number, got '100-50'"):
        read_deals("100-50")


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf7\n3\n", b"deal\n7\n3\n", b"\xef\xbb\xbfDeal\r\n7\r\n3\r\n"])
def test_lists_as_spreadsheets_write_them(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "deals.csv"
    path.write_bytes(content)
    assert read_deals(str(path)).tolist() == [7, 3]


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (0, None),
        (20_000, None),
        (999_999, "5 of the 6 deals are validation"),
        (2**64 - 6, "6 of the 6 deals are training"),
    ],
)
def test_results_on_other_deals_than_test_deals_say_so(
    first: int, words: str | None, tmp_path: Path, capsys: Any
) -> None:
    deals = tmp_path / "deals.txt"
    deals.write_text("\n".join(str(first + offset) for offset in range(6)))
    arguments = ["--agents", "uniform,careful", "--deals", str(deals), "--jobs", "1", "--out", str(tmp_path / "r")]
    assert main(["compare", *arguments]) == 0
    assert main(["report", str(tmp_path / "r")]) == 0
    for text in (capsys.readouterr().out, (tmp_path / "r" / "report.html").read_text(encoding="utf-8")):
        assert ("Not test results" in text) == (words is not None)
        assert words is None or words in text
