"""The pictures of figures show what their inputs are now."""

import importlib
import sys
from typing import Any

import pytest

from tests.docs.pages import PAGES, ROOT

sys.path.insert(0, str(ROOT / "docs"))
figures: Any = importlib.import_module("figures")


@pytest.mark.parametrize("name", figures.PICTURES)
def test_a_picture_was_drawn_from_its_inputs(name: str) -> None:
    drawn_from = figures.drawn_from(ROOT / "docs" / "images" / name)
    assert drawn_from == figures.PICTURES[name].sha256(), "python docs/figures.py draws it anew"
    assert any(f"(images/{name})" in page.read_text(encoding="utf-8") for page in PAGES)


def test_the_inputs_are_all_rows_of_the_tables() -> None:
    names, rates = zip(*figures.speeds(), strict=True)
    assert len(names) == figures.page("speed.md").partition("\n```\n\n![")[0].rpartition("```text")[2].count("\n") - 2
    assert {"OpenSpiel solitaire", "solitaire-rl klondike engine x1024"} <= set(names)
    assert list(rates) == sorted(rates)
    assert [row[:2] for row in figures.shares()[::6]] == [("PPO", "16"), ("self-play", "16")]
    assert len(figures.shares()) == 12


def test_another_figure_is_another_input(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {name: picture.sha256() for name, picture in figures.PICTURES.items()}
    page = figures.page
    monkeypatch.setattr(
        figures, "page", lambda name: page(name).replace("10,237,026", "10,237,027").replace("73.8", "73.9")
    )
    changed = {name for name, picture in figures.PICTURES.items() if picture.sha256() != before[name]}
    assert changed == {"benchmark.png", "generalisation.png"}
