"""The tables of the Patience Benchmark say what its definition and the scoreboard say."""

import importlib
import json
import shlex
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from solitaire_evaluation.benchmark import BENCHMARK_GAMES, STATEMENT, TRACKS, read_rows, write_rows
from solitaire_training.commands.main import main
from tests.docs.pages import ROOT, blocks
from tests.docs.test_tables import rows_of

sys.path.insert(0, str(ROOT / "docs"))
benchmark_tables: Any = importlib.import_module("benchmark_tables")
BOARD = read_rows(benchmark_tables.SCOREBOARD)
PATH = ROOT / "docs" / "benchmark.md"
PAGE = PATH.read_text(encoding="utf-8")


def test_games_and_tracks() -> None:
    assert [row[0] for row in rows_of(benchmark_tables.games(""))] == [f"`{name}`" for name in BENCHMARK_GAMES]
    assert [row[0] for row in rows_of(benchmark_tables.tracks(""))] == [f"`{name}`" for name in TRACKS]
    assert rows_of(benchmark_tables.tracks(""))[0][2] == "0 to 999"
    for game in BENCHMARK_GAMES.values():
        assert game.metric in {one.name for one in game.env_spec.game.outcome}


def test_the_page_has_all_tables() -> None:
    for name in benchmark_tables.TABLES:
        assert f"<!-- table {name}" in PAGE
    for letter in {name[0] for name in TRACKS}:
        assert f"<!-- table benchmark-scoreboard {letter} -->\n" in PAGE


def test_the_scoreboard_has_rows_in_all_tracks() -> None:
    assert {row.track[0] for row in BOARD} == set("abcd")
    assert sum(len(rows_of(benchmark_tables.scoreboard(letter))) for letter in "abcd") == len(BOARD)
    for row in BOARD:
        assert row.low <= row.value <= row.high
        assert all(command in benchmark_tables.commands("") for command in row.commands)


HOSTILE = "</code></details><script>alert(1)</script>`</script>` ```\\|[a](javascript:b)*c*{raw}`html`"


def test_what_a_submission_says_is_shown_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    training = {"seeds": [0], "steps": None, "start": HOSTILE, "hardware": HOSTILE}
    changed = {"track": "c-1M", "agent": HOSTILE, "authors": HOSTILE, "hardware": HOSTILE, "commands": [HOSTILE]}
    monkeypatch.setattr(benchmark_tables, "SCOREBOARD", tmp_path / "board.jsonl")
    markdown = MarkdownIt("commonmark").enable("table")
    for code in ("this repository", "https://example.org/a"):
        rows = [replace(BOARD[0], code=code, training=training, **changed)]
        (tmp_path / "board.jsonl").unlink(missing_ok=True)
        write_rows(tmp_path / "board.jsonl", rows)
        for text in (benchmark_tables.scoreboard("c"), benchmark_tables.commands("")):
            page = markdown.render(text)
            assert "<script" not in page
            assert 'javascript:b"' not in page
            assert "<em>" not in page
            assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;`&lt;/script&gt;` ```") == 3


def test_a_row_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(row for row in BOARD if row.is_share)
    training = {"seeds": [0, 1, 2, 3, 4], "steps": 1_000_000, "start": "nothing", "hardware": "one core"}
    changed = {"track": "c-1M", "agent": "a|b", "authors": "Ada", "code": "https://example.org", "training": training}
    figures = {"value": 0.5, "low": 0.4, "high": 0.6, "seconds": 0.00123, "replayed": 1_000}
    monkeypatch.setattr(benchmark_tables, "SCOREBOARD", tmp_path / "board.jsonl")
    assert benchmark_tables.scoreboard("c") == "There is no row yet."
    write_rows(tmp_path / "board.jsonl", [type(row)(**{**asdict(row), **changed, **figures})])
    (cells,) = rows_of(benchmark_tables.scoreboard("c"))
    assert cells == [
        "`c-1M`",
        f"`{row.game}`",
        r"`a\|b`",
        "[Ada](https://example.org)",
        "won 50.0 % [40.0, 60.0]",
        "0.0012",
        "at most 1,000,000 steps, from nothing, seeds 0, 1, 2, 3, 4",
        "1,000",
    ]
    assert json.loads((tmp_path / "board.jsonl").read_text())["value"] == 0.5


def test_the_example_submits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is followed to the letter, except that the training is short."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (statement,) = blocks(PATH, "json")
    play, submit = blocks(PATH, "sh")
    assert json.loads(statement)["commands"] == play.splitlines()
    for line in play.splitlines():
        assert main(shlex.split(line.replace("440_000", "2_000 --num-envs 64 --n-steps 16 --eval-deals 4"))[1:]) == 0
    (tmp_path / "results" / "mine" / STATEMENT).write_text(statement, encoding="utf-8")
    assert main(shlex.split(submit.splitlines()[0])[1:]) == 0
    (row,) = read_rows(tmp_path / "docs" / "scoreboard.jsonl")
    assert (row.track, row.game, row.agent, row.authors) == ("c-1M", "pyramid-win", "ppo", "Ada Lovelace")
    assert row.replayed >= 20
