"""The tables of a comparison, for the terminal, Markdown and the page."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from solitaire_evaluation.agent_specs import UNFAIR
from solitaire_evaluation.env_spec import make_env_spec, options_not_preset
from solitaire_evaluation.labels import EVERY_DEAL, remarks
from solitaire_evaluation.metrics import REGRET, WINNABLE_WON
from solitaire_evaluation.report.text import Grid
from solitaire_evaluation.store import Results, to_records

CAPTION = "[low, high]: 95 % interval, Wilson's for shares, bootstrap for means"
PAIRED = """[low, high]: 95 % interval over the same deals: Bonett and Price's for shares
(in percentage points), paired bootstrap for means
p: McNemar's exact test for shares, paired t-test for means; Holm's correction"""
SPEED = "deals/s"
LEADING = 4
"""Metrics in a Markdown table, at most."""


@dataclass(frozen=True)
class Titled:
    """A table with its title and its notes."""

    grid: Grid
    title: str
    caption: str
    step: int = 1
    """Number of columns that belong together, after the first."""


def make_tables(found: Results) -> Iterator[Titled]:
    """Yields the tables of each environment: the metrics, and the differences from the baseline, if any."""
    deals = found.result["deals"]["count"]
    for env in found.agents["env"].unique():
        own, options = found.of(env), found.result["environments"][env]
        changed = options_not_preset(env, options)
        title = "".join([env, *(f", {name}={value}" for name, value in changed.items()), f", {deals:,} deals"])
        notes = remarks(found.result["labels"][env], own.outcomes["deal"].unique())
        caption = "\n".join([CAPTION + caption_for(own.metrics), *notes])
        aim = make_env_spec(env, options).aim
        yield Titled(metric_grid(own.metrics, own.agents, deals, aim), title, caption)
        if len(own.differences):
            title = f"difference from {own.differences['baseline'].iloc[0]}"
            yield Titled(difference_grid(own.differences, aim), title, PAIRED, step=2)


def metric_grid(metrics: pd.DataFrame, agents: pd.DataFrame, deals: int, aim: str = "score") -> Grid:
    """Returns the metrics of an environment over all its deals, with a row for each agent and recipe.

    Args:
        metrics: Rows of `Results.metrics` of the environment.
        agents: Rows of `Results.agents` of the environment.
        deals: Number of deals.
        aim: The metric that players maximise. The most important metrics come first.
    """
    whole = metrics[metrics["stratum"] == EVERY_DEAL]
    names = _in_order(whole, aim)
    shares = set(whole[whole["is_share"].astype(bool)]["metric"])
    speeds = {row["name"]: _speed(deals / row["seconds"]) for row in to_records(agents)}
    rows = []
    for agent, own in whole.groupby("agent", sort=False):
        by_name = {row["metric"]: _text(row) for row in to_records(own)}
        cells = [by_name.get(name, "-") for name in names]
        rows.append([title_of(own.iloc[0]), *cells, speeds.get(agent, "-")])
    return Grid(["agent", *(f"{name}, %" if name in shares else name for name in names), SPEED], rows)


def difference_grid(differences: pd.DataFrame, aim: str = "score") -> Grid:
    """Returns the differences from the baseline of an environment, with their p-values; see `metric_grid`."""
    names = _in_order(differences, aim)
    shares = set(differences[differences["is_share"].astype(bool)]["metric"])
    rows = []
    for _, own in differences.groupby("agent", sort=False):
        by_name = {row["metric"]: (_text(row, sign="+"), _p_text(row["p_holm"])) for row in to_records(own)}
        cells = [cell for name in names for cell in by_name.get(name, ("-", "-"))]
        rows.append([title_of(own.iloc[0]), *cells])
    titles = [f"{name}, %" if name in shares else name for name in names]
    return Grid(["agent", *(column for title in titles for column in (title, "p"))], rows)


def _in_order(table: pd.DataFrame, aim: str) -> list[str]:
    """Returns the metrics of a table, the most important ones first."""
    there = list(table["metric"].unique())
    return [name for name in dict.fromkeys(["won", aim, REGRET, WINNABLE_WON, *there]) if name in there]


def leading(table: Titled) -> Grid:
    """Returns the leading columns of a table, and the speed if it has one."""
    columns = table.grid.columns
    kept = [place for place in range(len(columns)) if place <= LEADING or columns[place] == SPEED]
    return Grid([columns[place] for place in kept], [[row[place] for place in kept] for row in table.grid.rows])


def _text(row: dict[str, Any], *, sign: str = "") -> str:
    """Returns a metric with its interval; with ``sign`` '+', positive values have a sign too."""
    if row["value"] is None:
        return "-"
    scale = 100 if row["is_share"] else 1
    if row["low"] is None:
        return f"{scale * row['value']:{sign}.1f}"
    wide = row["is_share"] or row["high"] - row["low"] >= 0.2  # a second digit would be noise
    digits = 1 if wide else 2
    value, low, high = (scale * row[name] for name in ("value", "low", "high"))
    return f"{value:{sign}.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _speed(speed: float) -> str:
    return f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}"


def _p_text(p_value: float | None) -> str:
    if p_value is None:
        return "-"
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def title_of(row: Any) -> str:
    """Returns an agent's name for tables, with a mark if it is not fair; for a recipe, with its number of seeds.

    Args:
        row: Has ``agent``, ``fair`` and perhaps ``seeds``.
    """
    mark = "" if row["fair"] else UNFAIR
    seeds = f" (IQM of {row['seeds']} seeds)" if row.get("seeds", 1) > 1 else ""
    return f"{row['agent']}{mark}{seeds}"


def caption_for(metrics: pd.DataFrame) -> str:
    """Returns the notes on the agents of a table."""
    unfair = "" if metrics["fair"].all() else f"\n{UNFAIR} sees the order of the stock: not a fair player"
    over = "\nIQM: interquartile mean over training seeds, bootstrap over the seeds (from five seeds on)"
    return unfair + (over if (metrics["seeds"] > 1).any() else "")
