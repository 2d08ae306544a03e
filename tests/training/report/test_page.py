"""The page of a comparison."""

import base64
import hashlib
import html
import json
import re
import shlex
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from solitaire_envs import catalogue
from solitaire_envs.pyramid import PyramidOptions
from solitaire_evaluation import store
from solitaire_evaluation.report import page as page_module
from solitaire_evaluation.report import replays
from solitaire_evaluation.report.page import MAX_DRAWN, write_report
from solitaire_evaluation.report.repeat import command_of
from solitaire_training.commands.main import main
from tests.training.comparing import DEALS, PYRAMID, compared


def test_the_page(trained: Path) -> None:
    page = (trained / "r" / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert set(re.findall(r"https?://[^\s\"'<>]+", page)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not re.search(r"<(link|script|img|iframe)[^>]+(src|href)=\"(?!data:|#)", page)
    for words in (
        "oracle*",
        "Learning curves",
        "Regret",
        "solver nodes",
        "IQM of 2 seeds",
        "solitaire-rl compare --env",
    ):
        assert words in page
    assert "Difference from uniform, on the same deals" in page
    command = re.search(r"<pre>(.*?)</pre>", page, re.DOTALL)
    assert command is not None
    assert "--deals 40 --seed 0 --baseline uniform --out DIR" in command[1]
    ids = re.findall(r"\bid=\"([^\"]+)\"", page)
    assert len(ids) == len(set(ids))
    assert len(list((trained / "r" / "plots").glob("*.png"))) == len(list((trained / "r" / "plots").glob("*.svg"))) >= 9


def test_the_page_allows_nothing_from_outside_and_no_other_script(trained: Path) -> None:
    page = (trained / "r" / "report.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    rules = dict(rule.strip().partition(" ")[::2] for rule in html.unescape(policy).split(";"))
    assert rules["default-src"] == "'none'"
    assert not re.search(r"https?:|\*|unsafe-eval", policy)
    scripts = re.findall(r"<script type=\"module\">(.*?)</script>", page, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert rules["script-src"] == " ".join(f"'sha256-{digest}'" for digest in digests)
    assert not re.search(r"\son[a-z]+=", page)  # such scripts would not run


def test_the_command_to_copy_is_quoted_for_a_shell() -> None:
    evil = "x; rm -rf ~ #"
    agent = {"name": evil, "group": evil, "source": evil}
    result = {
        "agents": [agent],
        "environments": {"solitaire/Pyramid-v0": asdict(PyramidOptions())},
        "deals": {"count": 6, "first": 0, "last": 5, "sha256": ""},
        "seed": 0,
        "baseline": evil,
    }
    words = shlex.split(command_of(result))
    assert [words[words.index(name) + 1] for name in ("--agents", "--baseline")] == [evil, evil]
    assert "rm" not in words


def test_a_page_without_the_trained_agents(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Metrics stand by themselves: the page can be made where the runs are not."""
    monkeypatch.setattr(replays, "MAX_UNSETTLED", 0)  # verdicts take long, and none is read
    shutil.copytree(trained / "r", tmp_path / "r")
    moved = [path.rename(tmp_path / path.name) for path in sorted(trained.glob("[pt]?"))]
    try:
        assert main(["report", str(tmp_path / "r")]) == 0
    finally:
        for path in moved:
            path.rename(trained / path.name)
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "oracle*" in page
    assert "expected an agent of pyramid among" in page  # who is missing
    assert {game["agent"] for game in games_of(page)} == {"uniform", "careful", "thrifty", "oracle*"}
    (tmp_path / "r" / store.METRICS).write_bytes(b"damaged")
    assert main(["report", str(tmp_path / "r")]) == 2


@pytest.mark.parametrize(
    ("old", "new", "module"),
    [
        ("careful", "builtins:exit", "builtins"),
        ("careful", "os:system", "os"),
        ("careful", "stranger:Agent@sample", "stranger"),
        (PYRAMID, f"stranger:{PYRAMID}", "stranger"),
    ],
)
def test_a_file_of_results_may_not_name_a_module(
    old: str,
    new: str,
    module: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(catalogue, "NAMED", set())
    compared(tmp_path, deals=DEALS[:6])
    path = tmp_path / store.RESULT
    path.write_text(path.read_text().replace(json.dumps(old), json.dumps(new)))
    assert main(["report", str(tmp_path)]) == 2
    assert f"expected `--import {module}`, for {path} is of '{new}': do so only if you" in capsys.readouterr().err


def test_of_many_agents_some_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "MAX_PLAYERS", 1)
    agents = ",".join(f"agent-{number}=careful" for number in range(MAX_DRAWN + 3))
    compared(tmp_path, agents, deals=DEALS[:2])
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert f"The plots show {MAX_DRAWN} of {MAX_DRAWN + 3} agents" in page
    for title in ("Deals won", "Scores", "Regret"):
        (picture,) = re.findall(rf"<svg[^>]*><title>{title}: .*?</svg>", page, re.DOTALL)
        assert len(set(re.findall(r"agent-[0-9]+\b", picture))) == MAX_DRAWN


def games_of(page: str) -> list[dict[str, Any]]:
    """Returns the games of all environments, as the page's script reads them."""
    scripts = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    return [game for script in scripts for game in json.loads(script)]


def test_games_of_each_agent_won_and_lost(trained: Path) -> None:
    page = (trained / "r" / "report.html").read_text(encoding="utf-8")
    games = games_of(page)
    outcomes = store.read_table(trained / "r", store.OUTCOMES, store.read_result(trained / "r"))
    for (env, agent, fair), rows in outcomes.groupby(["env", "agent", "fair"]):
        title = agent if fair else agent + "*"
        shown = {game["won"] for game in games if (game["env"], game["agent"]) == (env, title)}
        if not agent.startswith("uniform") and "@sample" not in agent:  # played anew, these draw other moves
            assert shown == set(rows["won"].tolist())
        assert f">{title}</option>" in page
    firsts = {game["env"]: game["agent"] for game in reversed(games)}
    assert all(agent.startswith("ppo#") for agent in firsts.values())  # trained agents come first


def test_one_colour_for_one_agent(trained: Path) -> None:
    page = (trained / "r" / "report.html").read_text(encoding="utf-8")
    colours: dict[str, set[str]] = {}
    for colour, name in re.findall(r'<option data-colour="([^"]+)">([^<]+)</option>', page):
        colours.setdefault(name, set()).add(colour)
    for colour, name in re.findall(r'<i class="swatch" style="background:([^"]+)"></i>([^<]+)</td>', page):
        colours.setdefault(name, set()).add(colour)
    assert len(colours) >= 6
    assert all(len(own) == 1 for own in colours.values())
    assert len({min(own) for own in colours.values()}) == len(colours)
    for own in colours.values():
        assert page.count(min(own)) > 4  # the plots have it, too


def test_pictures_have_titles_and_the_colours_of_the_page(trained: Path) -> None:
    page = (trained / "r" / "report.html").read_text(encoding="utf-8")
    pictures = re.findall(r"<svg.*?</svg>", page.partition('<script type="module">')[0], re.DOTALL)
    assert len(pictures) >= 9
    for picture in pictures:
        assert re.match(r'<svg role="img" aria-label="([^"]+)"[^>]*><title>\1</title>', picture)
        assert "var(--ink)" in picture
        assert not re.search(r"(fill|stroke): #(000000|ffffff|1d2528|dde3e5)", picture)


def test_what_is_done_is_said(tmp_path: Path) -> None:
    said: list[str] = []
    compared(tmp_path / "r", "careful", deals=DEALS[:4])
    write_report(tmp_path / "r", said.append)
    assert f"{PYRAMID}: careful plays deal " in said[0]
    assert said[-1] == f"{PYRAMID}: tables and plots"


def test_no_results(tmp_path: Path) -> None:
    assert main(["report", str(tmp_path / "none")]) == 2
