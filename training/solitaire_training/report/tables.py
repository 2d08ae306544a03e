"""A comparison as tables, for the terminal or for the page."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from rich.table import Table

from solitaire_training.evaluation.agent_specs import UNFAIR
from solitaire_training.evaluation.compare import Comparison
from solitaire_training.evaluation.env_spec import non_default_options
from solitaire_training.evaluation.labels import ALL, remarks
from solitaire_training.evaluation.store import to_records
from solitaire_training.report.text import Grid

CAPTION = "± half a 95 % interval: Wilson for shares, bootstrap for means"
PAIRED = """paired over the same deals; ±: Bonett and Price's interval for shares, paired bootstrap for scores
p: McNemar's exact test for shares, paired t-test for scores; Holm's correction for all agents"""


def make_tables(found: Comparison) -> Iterator[Table]:
    """Yields, for each environment, the metrics and the differences from the baseline."""
    deals = found.protocol["deals"]["count"]
    for env, agents in found.agents.groupby("env", sort=False):
        metrics, differences, outcomes = (
            table[table["env"] == env] for table in (found.metrics, found.differences, found.outcomes)
        )
        changed = non_default_options(env, found.protocol["environments"][env])
        options = "".join(f", {name}={value}" for name, value in changed.items())
        notes = remarks(found.protocol["labels"][env], outcomes["deal"].unique())
        caption = "\n".join([CAPTION + caption_for(metrics), *notes])
        yield _table(metric_grid(metrics, agents, deals), f"{env}{options}, {deals:,} deals", caption)
        if len(differences):
            yield _table(difference_grid(differences), f"difference from {differences['baseline'].iloc[0]}", PAIRED)


def _table(grid: Grid, title: str, caption: str) -> Table:
    table = Table(title=title, caption=caption)
    for name in grid.columns:
        table.add_column(name, justify="left" if name == "agent" else "right", no_wrap=True)
    for row in grid.rows:
        table.add_row(*row)
    return table


def metric_grid(metrics: pd.DataFrame, agents: pd.DataFrame, deals: int) -> Grid:
    """Returns the metrics of an environment over all its deals, with a row for each agent and recipe.

    Args:
        metrics: Rows of `Comparison.metrics` of the environment.
        agents: Rows of `Comparison.agents` of the environment.
        deals: Number of deals.
    """
    whole = metrics[metrics["stratum"] == ALL]
    names = list(whole["metric"].unique())
    speeds = {row["name"]: f"{deals / row['seconds']:,.0f}" for row in to_records(agents)}
    rows = []
    for agent, own in whole.groupby("agent", sort=False):
        by_name = {row["metric"]: _text(row) for row in to_records(own)}
        cells = [by_name.get(name, "-") for name in names]
        rows.append([title_of(own.iloc[0]), *cells, speeds.get(agent, "-")])
    return Grid(["agent", *names, "deals/s"], rows)


def difference_grid(differences: pd.DataFrame) -> Grid:
    """Returns the differences from the baseline of an environment, with their p-values."""
    names = list(differences["metric"].unique())
    rows = []
    for _, own in differences.groupby("agent", sort=False):
        cells = [cell for row in to_records(own) for cell in (_text(row, sign="+"), _p_text(row["p_holm"]))]
        rows.append([title_of(own.iloc[0]), *cells])
    return Grid(["agent", *(column for name in names for column in (name, f"p ({name})"))], rows)


def _text(row: dict[str, Any], *, sign: str = "") -> str:
    """Returns a metric with half its interval; with ``sign`` '+' positive values have a sign, too."""
    scale, digits, unit = (100, 1, " %") if row["is_share"] else (1, 2, "")
    if row["value"] is None:
        return "-"
    text = f"{scale * row['value']:{sign}.{digits}f}"
    if row["low"] is None:
        return f"{text}{unit}"
    return f"{text} ± {scale * (row['high'] - row['low']) / 2:.{digits}f}{unit}"


def _p_text(p_value: float | None) -> str:
    if p_value is None:
        return "-"
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def title_of(row: Any) -> str:
    """Returns an agent's name for tables: marked if it is not fair, and for a recipe with its number of seeds.

    Args:
        row: Has ``agent``, ``fair`` and perhaps ``seeds``.
    """
    mark = "" if row["fair"] else UNFAIR
    seeds = f" (IQM of {row['seeds']} seeds)" if row.get("seeds", 1) > 1 else ""
    return f"{row['agent']}{mark}{seeds}"


def caption_for(metrics: pd.DataFrame) -> str:
    """Returns what has to be said about the agents of a table."""
    unfair = "" if metrics["fair"].all() else f"\n{UNFAIR} sees the order of the stock: no fair player"
    over = "\nIQM: interquartile mean over training seeds, bootstrap over the seeds (from five seeds on)"
    return unfair + (over if (metrics["seeds"] > 1).any() else "")
