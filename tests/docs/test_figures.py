"""What other pages tell of trained agents and planners is what the page of results tells."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, name_of

RESULTS = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
CARDS = sorted((ROOT / "agents" / "solitaire_agents" / "shipped").glob("*/README.md"))
GAMES = sorted((ROOT / "docs" / "environments").glob("*.md"))
OURS = re.compile(r"^.*(?:`best`|`planner`|`pyramid-first`|masked PPO alone|\| result \|).*$", re.MULTILINE)
"""The lines of our agents."""


def figures(text: str) -> set[str]:
    """Returns the figures with half an interval, such as '57.9 ± 1.0 %'."""
    return set(re.findall(r"-?\d+\.\d+ ± \d+\.\d+(?: %)?", text))


@pytest.mark.parametrize("page", [ROOT / "README.md", *CARDS, *GAMES], ids=name_of)
def test_the_page_of_results_has_the_figures(page: Path) -> None:
    lines = OURS.findall(page.read_text(encoding="utf-8"))
    assert lines or page in GAMES
    assert figures("\n".join(lines)) <= figures(RESULTS)


def test_figures_are_found() -> None:
    assert figures("| -17.03 ± 0.20 |, 57.9 ± 1.0 % won") == {"-17.03 ± 0.20", "57.9 ± 1.0 %"}
    for page, count in (("README.md", 12), ("docs/environments/tour-infernale-one-pass.md", 4)):
        assert len(figures("\n".join(OURS.findall((ROOT / page).read_text(encoding="utf-8"))))) == count
