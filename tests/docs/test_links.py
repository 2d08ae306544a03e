"""The check of links that `make docs` runs."""

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT

sys.path.insert(0, str(ROOT / "docs"))
check_links: Any = importlib.import_module("check_links")

GOOD = """<p id="here"><a href="#here">a</a><a href="two.html#there">b</a><img src="picture.png">
<a href="https://elsewhere.example/x">c</a><a href="two.html?x=1">d</a></p>"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "picture.png").touch()
    (tmp_path / "two.html").write_text('<h1 id="there">two</h1>')
    (tmp_path / "one.html").write_text(GOOD)
    return tmp_path


def test_a_whole_site(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_links.main(site) == 0
    assert capsys.readouterr().out.endswith("2 pages, 0 broken links\n")


@pytest.mark.parametrize("link", ["three.html", "#nowhere", "two.html#here", "picture.svg"])
def test_a_broken_link(site: Path, link: str, capsys: pytest.CaptureFixture[str]) -> None:
    (site / "one.html").write_text(GOOD.replace("two.html#there", link))
    assert check_links.main(site) == 1
    assert f"one.html: {link}\n" in capsys.readouterr().out


def test_an_empty_folder(tmp_path: Path) -> None:
    assert check_links.main(tmp_path) == 1
