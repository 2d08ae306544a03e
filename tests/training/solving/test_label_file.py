"""Files of labels."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from solitaire_envs.deals import read_label_file
from solitaire_evaluation.solving.label_store import write_label_file

COLUMNS = ("deal", "winnable", "nodes")


def test_written_and_read(tmp_path: Path) -> None:
    rows = np.array([[7, -1, 2**62], [3, 1, 0], [-1, 1, 0]], np.int64)
    write_label_file(tmp_path / "labels.csv", COLUMNS, rows)
    assert (tmp_path / "labels.csv").read_text() == f"deal,winnable,nodes\n7,-1,{2**62}\n3,1,0\n{2**64 - 1},1,0\n"
    table = read_label_file(tmp_path / "labels.csv")
    assert tuple(table) == COLUMNS
    assert np.stack(list(table.values()), axis=1).tolist() == rows.tolist()


def test_a_packed_file(tmp_path: Path) -> None:
    """Its bytes do not depend on the time."""
    rows = np.array([[-1, 1, 0], [3, -1, 5]], np.int64)
    for name in ("one.csv.gz", "other.csv.gz"):
        write_label_file(tmp_path / name, COLUMNS, rows)
    packed = (tmp_path / "one.csv.gz").read_bytes()
    assert packed == (tmp_path / "other.csv.gz").read_bytes()
    assert gzip.decompress(packed).decode() == f"deal,winnable,nodes\n{2**64 - 1},1,0\n3,-1,5\n"
    assert np.stack(list(read_label_file(tmp_path / "one.csv.gz").values()), axis=1).tolist() == rows.tolist()
    for damaged in (packed[:-9], b"deal,nodes\n1,2\n", packed[:12] + b"\xff" * 20):
        (tmp_path / "one.csv.gz").write_bytes(damaged)
        with pytest.raises(ValueError, match=r"expected a table of labels in .*one\.csv\.gz"):
            read_label_file(tmp_path / "one.csv.gz")


def test_no_rows(tmp_path: Path) -> None:
    write_label_file(tmp_path / "labels.csv", COLUMNS, np.empty((0, 3), np.int64))
    assert [len(values) for values in read_label_file(tmp_path / "labels.csv").values()] == [0, 0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "a,b\n1,2\n",
        "deal,deal\n1,2\n",
        "deal,\n1,2\n",
        "deal,nodes\n\n",
        "deal,nodes\n1\n",
        "deal,nodes\n1,2\n3\n",
        "deal,nodes\n1,x\n",
        "deal,nodes\n1,2.5\n",
        "deal,nodes\n1,2\n1,2\n",
        "deal,nodes\n-1,2\n",
        f"deal,nodes\n{2**64},2\n",
        f"deal,nodes\n2,{2**63}\n",
        "\xff",
    ],
)
def test_other_files(text: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=r"expected a table of labels in .*labels\.csv"):
        read_label_file(path)


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_label_file(tmp_path / "labels.csv")
