"""A comparison as tables, to print or for the page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from rich.table import Table

from solitaire_training.evaluation.agent_specs import UNFAIR
from solitaire_training.evaluation.compare import Comparison
from solitaire_training.evaluation.labels import remarks
from solitaire_training.evaluation.metrics import ALL, SHARES
from solitaire_training.evaluation.store import own_options, to_records

CAPTION = "± half a 95 % interval: Wilson for shares, bootstrap for means"
PAIRED = """paired over the same deals; ±: Bonett and Price's interval, paired bootstrap for scores
p: McNemar's exact test, paired t-test for scores; after Holm for all agents"""


@dataclass(frozen=True)
class Grid:
    """A table as text: names of columns, and cells row by row."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def make_tables(found: Comparison) -> Iterator[Table]:
    """Yields, for each environment, the figures and the differences to the baseline."""
    deals = found.protocol["deals"]["count"]
    for env, agents in found.agents.groupby("env", sort=False):
        figures, differences, outcomes = (
            table[table["env"] == env] for table in (found.figures, found.differences, found.outcomes)
        )
        options = "".join(f", {name}={value}" for name, value in own_options(found.protocol, env).items())
        told = remarks(found.protocol["labels"][env], outcomes["deal"].unique())
        caption = "\n".join([CAPTION + caption_for(figures), *told])
        yield _table(figure_grid(figures, agents, deals), f"{env}{options}, {deals:,} deals", caption)
        if len(differences):
            yield _table(difference_grid(differences), f"more than {differences['baseline'].iloc[0]}", PAIRED)


def _table(grid: Grid, title: str, caption: str) -> Table:
    table = Table(title=title, caption=caption)
    for name in grid.columns:
        table.add_column(name, justify="left" if name == "agent" else "right", no_wrap=True)
    for row in grid.rows:
        table.add_row(*row)
    return table


def figure_grid(figures: pd.DataFrame, agents: pd.DataFrame, deals: int) -> Grid:
    """Returns the figures of an environment over all its deals, a row for each agent and recipe."""
    whole = figures[figures["part"] == ALL]
    names = list(whole["figure"].unique())
    speeds = {row["name"]: f"{deals / row['seconds']:,.0f}" for row in to_records(agents)}
    rows = []
    for agent, told in whole.groupby("agent", sort=False):
        by_name = {row["figure"]: _text(row) for row in to_records(told)}
        cells = [by_name.get(name, "-") for name in names]
        rows.append([title_of(told.iloc[0]), *cells, speeds.get(agent, "-")])
    return Grid(["agent", *names, "deals/s"], rows)


def difference_grid(differences: pd.DataFrame) -> Grid:
    """Returns the differences to the baseline of an environment, with their p-values."""
    names = list(differences["figure"].unique())
    rows = []
    for _, told in differences.groupby("agent", sort=False):
        cells = [cell for row in to_records(told) for cell in (_text(row, sign="+"), _p_text(row["p_holm"]))]
        rows.append([title_of(told.iloc[0]), *cells])
    return Grid(["agent", *(column for name in names for column in (name, f"p ({name})"))], rows)


def _text(row: dict[str, Any], *, sign: str = "") -> str:
    """Returns a figure with half its interval; ``sign`` '+' shows the sign of both kinds."""
    percent = row["figure"] in SHARES
    scale, digits, unit = (100, 1, " %") if percent else (1, 2, "")
    if row["value"] is None:
        return "-"
    text = f"{scale * row['value']:{sign}.{digits}f}"
    if row["low"] is None:
        return f"{text}{unit}"
    return f"{text} ± {scale * (row['high'] - row['low']) / 2:.{digits}f}{unit}"


def _p_text(p_value: float | None) -> str:
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
