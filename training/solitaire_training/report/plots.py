"""The pictures of a report, by Matplotlib, each small enough to be read on a telephone."""

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from solitaire_training.evaluation.labels import OPEN, WINNABLE
from solitaire_training.evaluation.metrics import ALL
from solitaire_training.evaluation.store import to_records
from solitaire_training.report.tables import title_of

WIDTH = 5.2
COLOURS = ("#1f6f8b", "#d1495b", "#66a182", "#edae49", "#6a4c93", "#8d5b4c", "#2e4057", "#c06c9c", "#7a8b2a", "#444444")
STYLE: Mapping[str, Any] = {
    "axes.edgecolor": "#888888",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "font.size": 9,
    "grid.color": "#e6e6e6",
    "legend.frameon": False,
    "svg.hashsalt": "solitaire-rl",
}


PLAIN = dict.fromkeys(("Creator", "Date", "Format", "Type"))
"""Metadata left out, so that the same results make the same file."""


class Plots:
    """Draws the pictures of one environment; the same agent has the same colour in all."""

    def __init__(self, outcomes: pd.DataFrame, figures: pd.DataFrame, labels: pd.DataFrame) -> None:
        agents = figures[figures["agent"].isin(outcomes["agent"])]
        self._outcomes, self._figures, self._labels = outcomes, agents, labels
        self._titles = {rows["agent"].iloc[0]: title_of(rows.iloc[0]) for _, rows in agents.groupby("agent")}
        names = list(agents["agent"].unique())
        self._colours = {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(names)}

    def shares_won(self) -> Figure:
        """Draws the share won by each agent, and the share that can be won."""
        figure = self._dots("won", 100, "deals won, %")
        known = self._labels["winnable"]
        if (known != OPEN).all():
            best = 100 * (known == WINNABLE).mean()
            axes = figure.axes[0]
            axes.axvline(best, color="#444444", linestyle=":", linewidth=1)
            axes.text(best, -0.7, f"can be won: {best:.1f} % ", ha="right", va="center", fontsize=8, color="#444444")
            axes.set_xlim(right=max(1.05 * best, axes.get_xlim()[1]))
        return figure

    def scores(self) -> Figure:
        """Draws how the scores of each agent are distributed."""
        names = list(self._colours)
        low, high = self._outcomes["score"].min(), self._outcomes["score"].max()
        edges = np.arange(low - 0.5, high + 2.5, 2)
        figure, all_axes = _new(0.75 * len(names) + 0.6, rows=len(names))
        for name, axes in zip(names, all_axes, strict=True):
            scores = self._outcomes.loc[self._outcomes["agent"] == name, "score"]
            axes.hist(scores, edges, weights=np.full(len(scores), 100 / len(scores)), color=self._colours[name])
            axes.axvline(scores.mean(), color="black", linewidth=1)
            axes.set_title(f"{self._titles[name]}: mean {scores.mean():.1f}", loc="left", fontsize=9, pad=2)
            axes.set_yticks([])
            axes.grid(visible=False)
            axes.spines["left"].set_visible(False)
        all_axes[-1].set_xlabel("score at the end; the line is the mean")
        return figure

    def by_difficulty(self, kind: str) -> Figure | None:
        """Draws the share won in each part of the deals, from easy to hard; None if no such parts are told."""
        rows = self._figures[(self._figures["figure"] == "won") & self._figures["part"].str.startswith(kind)]
        if rows.empty:
            return None
        parts = list(rows["part"].unique())
        figure, (axes,) = _new(2.9)
        for shift, (name, told) in enumerate(rows.groupby("agent", sort=False)):
            x = np.arange(len(parts)) + 0.05 * (shift - len(self._colours) / 2)
            self._line(axes, name, x, 100 * told["value"], 100 * told["low"], 100 * told["high"])
        axes.set_xticks(range(len(parts)), [part.removeprefix(kind).strip().replace("-", "\nto ") for part in parts])
        axes.set_xlabel(f"{kind} (parts of about equal size)")
        axes.set_ylabel("deals won, %")
        axes.set_ylim(bottom=0)
        _legend(figure, axes)
        return figure

    def regret(self) -> Figure | None:
        """Draws what the agents lose to the optimum: which share of the deals costs no more than so many points."""
        best = self._labels["best_score"].to_numpy()
        if np.isnan(best).any():
            return None
        figure, (axes,) = _new(2.9)
        for name in self._colours:
            scores = self._outcomes.loc[self._outcomes["agent"] == name, "score"].to_numpy()
            lost = np.sort(best - scores)
            share = 100 * np.arange(1, len(lost) + 1) / len(lost)
            axes.step(lost, share, where="post", color=self._colours[name], label=self._titles[name], linewidth=1.5)
        axes.set_xlabel("points lost to the best score possible, at most")
        axes.set_ylabel("deals, %")
        axes.set_xlim(left=0)
        axes.set_ylim(0, 100)
        _legend(figure, axes)
        return figure

    def _dots(self, name: str, scale: float, words: str) -> Figure:
        rows = self._figures[(self._figures["figure"] == name) & (self._figures["part"] == ALL)]
        figure, (axes,) = _new(0.3 * len(rows) + 1.2)
        for place, row in enumerate(to_records(rows)):
            value, low, high = (scale * row[end] for end in ("value", "low", "high"))
            axes.plot([low, high], [place, place], color=self._colours[row["agent"]], linewidth=3, alpha=0.5)
            axes.plot(value, place, "o", color=self._colours[row["agent"]])
        axes.set_yticks(range(len(rows)), [self._titles[name] for name in rows["agent"]])
        axes.set_ylim(len(rows) - 0.5, -1.1)
        axes.set_xlim(left=0)
        axes.set_xlabel(words)
        return figure

    def _line(self, axes: Any, name: str, x: Any, value: Any, low: Any, high: Any) -> None:
        ends = [value - low, high - value]
        axes.errorbar(
            x,
            value,
            yerr=ends,
            fmt="o-",
            color=self._colours[name],
            label=self._titles[name],
            markersize=4,
            linewidth=1,
        )


def learning_curves(curves: Mapping[str, Sequence[Mapping[str, Any]]], figure_name: str) -> Figure:
    """Draws a figure of each run over its steps, with the interval over the validation deals.

    Args:
        curves: Run -> the points of its learning curve.
        figure_name: Which figure of them.
    """
    figure, (axes,) = _new(2.9)
    for (name, points), colour in zip(curves.items(), COLOURS * len(curves), strict=False):
        steps = np.array([point["steps"] for point in points]) / 1e6
        value, low, high = (
            np.array([point["figures"][figure_name][end] for point in points], dtype=np.float64)
            for end in ("value", "low", "high")
        )
        scale = 100 if figure_name == "won" else 1
        axes.fill_between(steps, scale * low, scale * high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(steps, scale * value, ".-", color=colour, label=name, linewidth=1)
    axes.set_xlabel("million environment steps")
    axes.set_ylabel("validation deals won, %" if figure_name == "won" else f"mean {figure_name}, validation deals")
    _legend(figure, axes)
    return figure


def _new(height: float, rows: int = 1) -> tuple[Figure, Sequence[Any]]:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        return figure, figure.subplots(rows, 1, squeeze=False, sharex=True)[:, 0]


def _legend(figure: Figure, axes: Any) -> None:
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=8, frameon=False)


def save(figure: Figure) -> Iterator[tuple[str, bytes]]:
    """Yields the picture in each format: ending and content."""
    for ending in ("svg", "png"):
        content = io.BytesIO()
        with mpl.rc_context(STYLE):
            figure.savefig(content, format=ending, dpi=160, metadata=PLAIN if ending == "svg" else None)
        yield ending, content.getvalue()
