"""Tables of the Patience Benchmark for the documentation, made from its definition and from the scoreboard.

Each function returns Markdown; `write_tables.py` writes it into the pages.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from game_tables import PAGES, table

from solitaire_evaluation.benchmark import BENCHMARK_GAMES, HERE, TRACKS, Row, read_rows

SCOREBOARD = Path(__file__).with_name("scoreboard.jsonl")


def games(argument: str) -> str:
    """Returns the table of the benchmark's games."""
    rows = []
    for game in BENCHMARK_GAMES.values():
        options = ", ".join(f"`{name}={value}`" for name, value in game.options.items())
        rows.append((f"`{game.name}`", f"[{game.env}]({PAGES[game.env]}.md)", options or "none", game.metric))
    return table(["game", "environment", "options", "ranked by"], rows)


def tracks(argument: str) -> str:
    """Returns the table of the tracks."""
    rows = [(f"`{track.name}`", track.about, f"0 to {track.deals - 1:,}") for track in TRACKS.values()]
    return table(["track", "what", "test deals"], rows)


def scoreboard(argument: str) -> str:
    """Returns the rows of the tracks whose names begin with a letter; the best of a game stands first."""
    rows = [_cells(row) for row in read_rows(SCOREBOARD) if row.track.startswith(argument)]
    head = ["track", "game", "agent", "authors", "result", "seconds a move", "training", "replayed"]
    return table(head, rows) if rows else "There is no row yet."


def _cells(row: Row) -> tuple[str, ...]:
    authors = _plain(row.authors) if row.code == HERE else f"[{_plain(row.authors)}]({row.code})"
    return (
        f"`{row.track}`",
        f"`{row.game}`",
        _code(row.agent),
        authors,
        row.result + (f", budget {row.budget:,}" if row.budget else ""),
        f"{row.seconds:.2g}",
        _training(row.training),
        f"{row.replayed:,}",
    )


def _plain(text: str) -> str:
    """Returns a stranger's text so that Markdown shows it as it is; a row of a scoreboard may hold any."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


def _fence(text: str, least: int) -> str:
    """Returns more backticks than stand in a row anywhere in a text."""
    return "`" * max(least, 1 + max(map(len, re.findall("`+", text)), default=0))


def _code(text: str) -> str:
    fence, space = _fence(text, 1), " " * ("`" in text)
    return f"{fence}{space}{text}{space}{fence}"


def _training(training: dict[str, Any] | None) -> str:
    if training is None:
        return "none"
    steps = "steps not counted" if training["steps"] is None else f"at most {training['steps']:,} steps"
    seeds = ", ".join(map(str, training["seeds"]))
    return f"{steps}, from {_plain(training['start'])}, seed{'s' * (len(training['seeds']) > 1)} {seeds}"


def commands(argument: str) -> str:
    """Returns, for each row, the commands that make it, in a fold."""
    lines = []
    for row in read_rows(SCOREBOARD):
        lines += [f"# {row.track}, {row.game}, {row.agent}: {row.hardware}", *row.commands, ""]
    text = "\n".join(lines).strip()
    fence = _fence(text, 3)
    return f"<details><summary>The commands of all rows</summary>\n\n{fence}text\n{text}\n{fence}\n\n</details>"


TABLES: dict[str, Callable[[str], str]] = {
    "benchmark-commands": commands,
    "benchmark-games": games,
    "benchmark-scoreboard": scoreboard,
    "benchmark-tracks": tracks,
}
"""Name -> what makes its Markdown from its argument."""
