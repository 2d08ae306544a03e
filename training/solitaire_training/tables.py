"""A comparison as tables to print."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from rich.table import Table

from solitaire_training.compare import Comparison
from solitaire_training.contestants import UNFAIR
from solitaire_training.figures import ALL, SHARES
from solitaire_training.results import own_options, to_records

CAPTION = "± half a 95 % interval: Wilson for shares, bootstrap for means"


def make_tables(found: Comparison) -> Iterator[Table]:
    """Yields, for each environment, the figures and the differences to the baseline."""
    for env in found.agents["env"].unique():
        yield _figures(found, env)
        differences = found.differences[found.differences["env"] == env]
        if len(differences):
            yield _differences(differences)


def _figures(found: Comparison, env: str) -> Table:
    figures = found.figures[(found.figures["env"] == env) & (found.figures["part"] == ALL)]
    caption = CAPTION + caption_for(figures)
    options = "".join(f", {name}={value}" for name, value in own_options(found.protocol, env).items())
    table = Table(title=f"{env}{options}, {found.protocol['deals']['count']:,} deals", caption=caption)
    table.add_column("agent", no_wrap=True)
    names = list(figures["figure"].unique())
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("deals/s", justify="right")
    speeds = speed_of(found.agents[found.agents["env"] == env], found.protocol["deals"]["count"])
    for agent, rows in figures.groupby("agent", sort=False):
        by_name = {row["figure"]: row for row in to_records(rows)}
        cells = [text_of(by_name[name]) if name in by_name else "" for name in names]
        table.add_row(title_of(rows.iloc[0]), *cells, f"{speeds[agent]:,.0f}" if agent in speeds else "")
    return table


def _differences(differences: pd.DataFrame) -> Table:
    baseline = differences["baseline"].iloc[0]
    caption = "paired over the same deals; p: McNemar's exact test, paired t-test for scores; after Holm for all agents"
    table = Table(title=f"more than {baseline}", caption=caption)
    table.add_column("agent", no_wrap=True)
    names = list(differences["figure"].unique())
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
        table.add_column("p", justify="right", no_wrap=True)
    for _, rows in differences.groupby("agent", sort=False):
        cells: list[str] = []
        for row in to_records(rows):
            cells += [text_of(row, sign="+"), p_text(row["p_holm"])]
        table.add_row(title_of(rows.iloc[0]), *cells)
    return table


def text_of(row: dict[str, Any], *, sign: str = "") -> str:
    """Returns a figure with half its interval; ``sign`` '+' shows the sign of both kinds."""
    percent = row["figure"] in SHARES
    scale, digits, unit = (100, 1, " %") if percent else (1, 2, "")
    if row["value"] is None:
        return "-"
    text = f"{scale * row['value']:{sign}.{digits}f}"
    if row["low"] is None:
        return f"{text}{unit}"
    return f"{text} ± {scale * (row['high'] - row['low']) / 2:.{digits}f}{unit}"


def p_text(p_value: float | None) -> str:
    """Returns a p-value to read."""
    if p_value is None:
        return "-"
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def title_of(row: Any) -> str:
    """Returns an agent's name as told in tables: marked if it is not fair, or if it stands for several seeds."""
    mark = "" if row["fair"] else UNFAIR
    seeds = f" (IQM of {row['seeds']} seeds)" if row.get("seeds", 1) > 1 else ""
    return f"{row['agent']}{mark}{seeds}"


def caption_for(figures: pd.DataFrame) -> str:
    """Returns what has to be said of the agents of a table."""
    unfair = "" if figures["fair"].all() else f"\n{UNFAIR} sees the order of the stock: no fair player"
    over = "\nIQM: interquartile mean over training seeds, bootstrap over the seeds, of which it takes five at least"
    return unfair + (over if (figures["seeds"] > 1).any() else "")


def speed_of(agents: pd.DataFrame, deals: int) -> dict[str, float]:
    """Returns the deals a second, in one process, of each agent."""
    return {row["name"]: deals / row["seconds"] for row in to_records(agents)}
