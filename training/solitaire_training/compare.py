"""Compares agents on the same deals."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from solitaire_agents.policy import write_whole
from solitaire_envs.cards import check_deal
from solitaire_envs.game import Options
from solitaire_training.evaluate import TEST_DEALS, Played
from solitaire_training.statistics import Estimate, blocks, mean, share
from solitaire_training.train import git_revision, versions

PAR_GAMES = 6


def read_deals(text: str) -> NDArray[np.uint64]:
    """Reads a list of deals: a count n, for deals 0..n - 1, or a text file with a deal number a line.

    Raises:
        ValueError: It is neither, or a number is no deal number.
    """
    if text.replace("_", "").isdecimal():
        if int(text) == 0:
            raise ValueError("expected at least one deal, got 0")
        return np.arange(TEST_DEALS, TEST_DEALS + int(text), dtype=np.uint64)
    try:
        lines = Path(text).read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"expected a number of deals or a file of deal numbers, got {text!r}: {error}") from None
    if not lines:
        raise ValueError(f"expected deal numbers in {text}, got an empty file")
    for number, line in enumerate(lines, start=1):
        if not line.isdecimal():
            raise ValueError(f"{text}: expected a deal number in place {number}, got {line!r}")
    return np.array([check_deal(int(line)) for line in lines], dtype=np.uint64)


def summarise(played: Played) -> dict[str, Estimate]:
    """Returns the figures of one agent: shares with Wilson intervals, means with bootstrap intervals."""
    names = played.outcomes.dtype.names
    figures = {"won": share(played.column("won"))}
    if "cleared" in names:
        figures["cleared"] = share(played.column("cleared"))
    figures["score"] = mean(played.column("score"))
    if "cleared" in names:  # Pyramid: par is a matter of six games
        totals = blocks(played.column("score"), PAR_GAMES)
        figures["par"] = share((totals >= 0).astype(np.float64))
    figures["moves"] = mean(played.column("moves"))
    figures["passes"] = mean(played.column("passes"))
    return figures


def make_table(title: str, results: Sequence[Played]) -> Table:
    """Returns the figures of agents as a table to print."""
    summaries = [summarise(played) for played in results]
    table = Table(title=title, caption="± half a 95 % interval: Wilson for shares, bootstrap for means")
    table.add_column("agent", no_wrap=True)
    for name in summaries[0]:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("deals/s", justify="right")
    for played, figures in zip(results, summaries, strict=True):
        cells = [_cell(name, figure) for name, figure in figures.items()]
        table.add_row(played.agent, *cells, f"{len(played.outcomes) / played.seconds:,.0f}")
    return table


def _cell(name: str, figure: Estimate) -> str:
    if name in ("won", "cleared", "par"):
        return f"{100 * figure.value:.1f} ± {100 * figure.half_width:.1f} %"
    return f"{figure.value:.2f} ± {figure.half_width:.2f}"


def write_json(path: Path, env_id: str, options: Options, deals: NDArray[np.uint64], results: Sequence[Played]) -> None:
    """Writes the comparison, with all that repeating it needs."""
    content: Mapping[str, Any] = {
        "env": env_id,
        "options": asdict(options),
        "deals": {"count": len(deals), "first": int(deals[0]), "last": int(deals[-1])},
        "versions": versions(),
        "git_revision": git_revision(),
        "agents": {
            played.agent: {
                "seconds": played.seconds,
                "figures": {name: asdict(figure) for name, figure in summarise(played).items()},
                "outcomes": {name: played.outcomes[name].tolist() for name in played.outcomes.dtype.names},
            }
            for played in results
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps(content) + "\n").encode())
