"""The tutorial has its outputs stored, so that it reads well where nothing runs it."""

import ast
import base64
import json
import re
from typing import Any

import pytest

from tests.docs.pages import ROOT

NOTEBOOK = json.loads((ROOT / "docs" / "tutorial.ipynb").read_text(encoding="utf-8"))
CELLS = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
OUTPUTS = [output for cell in CELLS for output in cell["outputs"]]
PICTURE = "image/png"
LARGEST = 60_000
"""Bytes of a picture."""
PATH = re.compile(r"(?<![\w<])/\w|\b[A-Z]:\\")
"""An absolute path, or one of a home folder. In HTML a slash after `<` ends an element."""


def shows(cell: Any) -> bool:
    """Returns whether a cell prints, draws or ends with a value."""
    tree = ast.parse("".join(cell["source"]))
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return bool(called & {"print", "plt.show"}) or isinstance(tree.body[-1], ast.Expr)


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell["id"])
def test_what_a_cell_shows_is_stored(cell: Any) -> None:
    assert bool(cell["outputs"]) == shows(cell)


def test_all_cells_have_run_in_their_order() -> None:
    assert [cell["execution_count"] for cell in CELLS] == list(range(1, len(CELLS) + 1))
    assert {output["output_type"] for output in OUTPUTS} == {"stream", "display_data", "execute_result"}
    assert {output["name"] for output in OUTPUTS if output["output_type"] == "stream"} == {"stdout"}


def test_pictures_are_small() -> None:
    pictures = [output["data"][PICTURE] for output in OUTPUTS if PICTURE in output.get("data", {})]
    assert len(pictures) >= 5
    assert [len(base64.b64decode(picture)) for picture in pictures if len(base64.b64decode(picture)) > LARGEST] == []
    assert {kind for output in OUTPUTS for kind in output.get("data", {})} == {"text/plain", "text/html", PICTURE}


def test_no_path_of_a_machine_is_stored() -> None:
    for output in OUTPUTS:
        texts = [output.get("text", ""), *(text for kind, text in output.get("data", {}).items() if kind != PICTURE)]
        assert [PATH.findall("".join(text)) for text in texts] == [[]] * len(texts)


@pytest.mark.parametrize("text", ["/tmp/abc", "in '/home/ada/mine'", "~/mine", "C:\\Users\\ada"])
def test_paths_are_found(text: str) -> None:
    assert PATH.search(text)
