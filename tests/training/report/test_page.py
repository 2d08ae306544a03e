"""The page of a comparison."""

import base64
import hashlib
import html
import re
import shlex
import shutil
from dataclasses import asdict
from pathlib import Path

from solitaire_envs.pyramid import PyramidOptions
from solitaire_training.commands.main import main
from solitaire_training.evaluation import store
from solitaire_training.report.repeat import command_of


def test_the_page(trained: Path) -> None:
    page = (trained / "r" / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert set(re.findall(r"https?://[^\s\"'<>]+", page)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not re.search(r"<(link|script|img|iframe)[^>]+(src|href)=\"(?!data:|#)", page)
    for words in ("oracle*", "Learning curves", "Regret", "blockers", "IQM of 2 seeds", "solitaire-rl compare --env"):
        assert words in page
    assert "Difference from careful, on the same deals" in page
    command = re.search(r"<pre>(.*?)</pre>", page, re.DOTALL)
    assert command is not None
    assert "--deals 40 --seed 0 --baseline careful --out DIR" in command[1]
    ids = re.findall(r"\bid=\"([^\"]+)\"", page)
    assert len(ids) == len(set(ids))
    assert len(list((trained / "r" / "plots").glob("*.png"))) == len(list((trained / "r" / "plots").glob("*.svg"))) >= 9


def test_the_page_allows_nothing_from_outside_and_no_other_script(trained: Path) -> None:
    page = (trained / "r" / "report.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    rules = dict(rule.strip().partition(" ")[::2] for rule in html.unescape(policy).split(";"))
    assert rules["default-src"] == "'none'"
    assert not re.search(r"https?:|\*|unsafe-eval", policy)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert rules["script-src"] == " ".join(f"'sha256-{digest}'" for digest in digests)
    assert not re.search(r"\son[a-z]+=", page)  # such scripts would not run


def test_the_command_to_copy_is_quoted_for_a_shell() -> None:
    evil = "x; rm -rf ~ #"
    agent = {"name": evil, "group": evil, "source": evil}
    result = {
        "agents": [agent],
        "environments": {"solitaire/Pyramid-v0": asdict(PyramidOptions())},
        "deals": {"count": 6, "first": 0, "last": 5},
        "seed": 0,
        "baseline": evil,
    }
    words = shlex.split(command_of(result))
    assert [words[words.index(name) + 1] for name in ("--agents", "--baseline")] == [evil, evil]
    assert "rm" not in words


def test_a_page_without_the_policies(trained: Path, tmp_path: Path) -> None:
    """Metrics stand by themselves: the page can be made where the runs are not."""
    shutil.copytree(trained / "r", tmp_path / "r")
    moved = [path.rename(tmp_path / path.name) for path in sorted(trained.glob("[pt]?"))]
    try:
        assert main(["report", str(tmp_path / "r")]) == 0
    finally:
        for path in moved:
            path.rename(trained / path.name)
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "oracle*" in page
    assert "Games to step through" not in page
    assert "No games to show: expected" in page
    (tmp_path / "r" / store.METRICS).write_bytes(b"damaged")
    assert main(["report", str(tmp_path / "r")]) == 2


def test_no_results(tmp_path: Path) -> None:
    assert main(["report", str(tmp_path / "none")]) == 2
