"""What README and model cards tell of trained agents and planners is what the page of results tells."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, name_of

RESULTS = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
CARDS = sorted((ROOT / "agents" / "solitaire_agents" / "shipped").glob("*/README.md"))
OURS = re.compile(r"^.*(?:`best`|`planner`|\| result \|).*$", re.MULTILINE)
"""The lines of our agents."""


def figures(text: str) -> set[str]:
    """Returns the figures with half an interval, such as '57.9 ± 1.0 %'."""
    return set(re.findall(r"-?\d+\.\d+ ± \d+\.\d+(?: %)?", text))


@pytest.mark.parametrize("page", [ROOT / "README.md", *CARDS], ids=name_of)
def test_the_page_of_results_has_the_figures(page: Path) -> None:
    lines = OURS.findall(page.read_text(encoding="utf-8"))
    assert lines
    assert figures("\n".join(lines)) <= figures(RESULTS)


def test_figures_are_found() -> None:
    assert figures("| -17.03 ± 0.20 |, 57.9 ± 1.0 % won") == {"-17.03 ± 0.20", "57.9 ± 1.0 %"}
    assert len(figures("\n".join(OURS.findall((ROOT / "README.md").read_text(encoding="utf-8"))))) == 8
