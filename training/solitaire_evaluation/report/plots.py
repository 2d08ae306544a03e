"""The plots of a report, drawn with Matplotlib and small enough for a telephone."""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from solitaire_agents.kit import Status
from solitaire_evaluation.labels import EVERY_DEAL, SOLVER_NODES
from solitaire_evaluation.report.tables import title_of
from solitaire_evaluation.store import to_records

PLOT_WIDTH = 5.2
"""Width of a plot, in inches."""
LONGEST_TITLE = 32
"""Characters of an agent's name in a plot, at most."""
COLOURS = (
    *("#1f7fa3", "#d1495b", "#3f8f5f", "#b8791a", "#8161b8", "#a0674f"),
    *("#5f7486", "#c25a94", "#77852a", "#7a7a7a", "#e0664a", "#2a9392"),
)
"""Colours of agents, with a contrast of at least 3 on the light and the dark page."""
INK, LINE = "#1d2528", "#dde3e5"
"""Colours of text and of lines. The page replaces them by its own, light or dark."""
STYLE: Mapping[str, Any] = {
    "axes.edgecolor": "#7a7a7a",
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "font.size": 9,
    "grid.color": LINE,
    "legend.frameon": False,
    "svg.hashsalt": "solitaire-rl",
}
OMITTED = dict.fromkeys(("Creator", "Date", "Format", "Type"))
"""Metadata to leave out, so that the same results give the same file."""


def colours_of(names: Iterable[str]) -> dict[str, str]:
    """Returns a colour for each agent of a comparison, the same in all environments."""
    return {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(dict.fromkeys(names))}


def _cut(title: str) -> str:
    """Returns the end of a title, such as a folder's, that is too long for a plot; short titles as they are."""
    return title if len(title) <= LONGEST_TITLE else f"…{title[1 - LONGEST_TITLE :]}"


class Plots:
    """Draws the plots of one environment.

    Args:
        outcomes: Rows of `Results.outcomes` of the environment.
        metrics: Rows of `Results.metrics` of the environment; those of recipes are not drawn.
        labels: What `label_deals` returns, in the order of the outcomes.
        colours: Agent -> its colour; None: `colours_of` these agents.
    """

    def __init__(
        self,
        outcomes: pd.DataFrame,
        metrics: pd.DataFrame,
        labels: pd.DataFrame,
        colours: Mapping[str, str] | None = None,
    ) -> None:
        agents = metrics[metrics["agent"].isin(outcomes["agent"])]
        self._outcomes, self._metrics, self._labels = outcomes, agents, labels
        self._titles = {rows["agent"].iloc[0]: _cut(title_of(rows.iloc[0])) for _, rows in agents.groupby("agent")}
        names = list(agents["agent"].unique())
        chosen = colours or colours_of(names)
        self._colours = {name: chosen[name] for name in names}

    def shares_won(self) -> Figure:
        """Draws the share won by each agent, and the share that can be won."""
        rows = self._metrics[(self._metrics["metric"] == "won") & (self._metrics["stratum"] == EVERY_DEAL)]
        figure, (axes,) = _new_figure(0.3 * len(rows) + 1.2)
        for place, row in enumerate(to_records(rows)):
            colour = self._colours[row["agent"]]
            axes.plot([100 * row["low"], 100 * row["high"]], [place, place], color=colour, linewidth=3, alpha=0.5)
            axes.plot(100 * row["value"], place, "o", color=colour)
        axes.set_yticks(range(len(rows)), [self._titles[name] for name in rows["agent"]])
        axes.set_ylim(len(rows) - 0.5, -1.1)
        axes.set_xlim(left=0)
        axes.set_xlabel("deals won, %")
        self._mark_winnable(axes)
        return figure

    def _mark_winnable(self, axes: Any) -> None:
        known = self._labels["winnable"]
        if (known == Status.UNKNOWN).any():
            return
        best = 100 * (known == Status.SOLVED).mean()
        axes.axvline(best, color=INK, linestyle=":", linewidth=1)
        axes.text(best, -0.7, f"can be won: {best:.1f} % ", ha="right", va="center", fontsize=8, color=INK)
        axes.set_xlim(right=max(1.05 * best, axes.get_xlim()[1]))

    def scores(self) -> Figure:
        """Draws the distribution of each agent's scores."""
        names = list(self._colours)
        low, high = self._outcomes["score"].min(), self._outcomes["score"].max()
        edges = np.arange(low - 0.5, high + 2.5, 2)
        figure, all_axes = _new_figure(0.75 * len(names) + 0.6, rows=len(names))
        for name, axes in zip(names, all_axes, strict=True):
            scores = self._outcomes.loc[self._outcomes["agent"] == name, "score"]
            axes.hist(scores, edges, weights=np.full(len(scores), 100 / len(scores)), color=self._colours[name])
            axes.axvline(scores.mean(), color=INK, linewidth=1)
            axes.set_title(f"{self._titles[name]}: mean {scores.mean():.1f}", loc="left", fontsize=9, pad=2)
            axes.set_yticks([])
            axes.grid(visible=False)
            axes.spines["left"].set_visible(False)
        all_axes[-1].set_xlabel("score at the end; the line is the mean")
        return figure

    def by_difficulty(self) -> Figure | None:
        """Draws the share won in each stratum of the deals, from easy to hard; None if there are no such strata."""
        of_wins = self._metrics[self._metrics["metric"] == "won"]
        rows = of_wins[of_wins["stratum"].str.startswith(SOLVER_NODES)]
        if rows.empty:
            return None
        names = list(rows["stratum"].unique())
        figure, (axes,) = _new_figure(2.9)
        for number, (agent, own) in enumerate(rows.groupby("agent", sort=False)):
            value, low, high = (100 * own[end] for end in ("value", "low", "high"))
            x = np.arange(len(names)) + 0.05 * (number - len(self._colours) / 2)
            look: dict[str, Any] = {"color": self._colours[agent], "label": self._titles[agent]}
            axes.errorbar(x, value, yerr=[value - low, high - value], fmt="o-", markersize=4, linewidth=1, **look)
        axes.set_xticks(
            range(len(names)), [name.removeprefix(SOLVER_NODES).strip().replace("-", "\nto ") for name in names]
        )
        axes.set_xlabel(f"{SOLVER_NODES} (strata of about equal size)")
        axes.set_ylabel("deals won, %")
        axes.set_ylim(bottom=0)
        _legend(figure, axes)
        return figure

    def regret(self) -> Figure | None:
        """Draws the distribution of each agent's regret; None if the best possible scores are not known."""
        best = self._labels["best_score"].to_numpy()
        if np.isnan(best).any():
            return None
        figure, (axes,) = _new_figure(2.9)
        for name in self._colours:
            scores = self._outcomes.loc[self._outcomes["agent"] == name, "score"].to_numpy()
            regret = np.sort(best - scores)
            share = 100 * np.arange(1, len(regret) + 1) / len(regret)
            axes.step(regret, share, where="post", color=self._colours[name], label=self._titles[name], linewidth=1.5)
        axes.set_xlabel("points below the best possible score, at most")
        axes.set_ylabel("deals, %")
        axes.set_xlim(left=0)
        axes.set_ylim(0, 100)
        _legend(figure, axes)
        return figure


def learning_curves(
    curves: Mapping[str, Sequence[Mapping[str, Any]]], metric: str, colours: Mapping[str, str]
) -> Figure:
    """Draws a metric of each run against its decisions, with the interval over the validation deals.

    Args:
        curves: Run -> what `read_evaluations` returns.
        metric: Name of the metric.
        colours: Run -> its colour.
    """
    figure, (axes,) = _new_figure(2.9)
    for name, points in curves.items():
        colour = colours[name]
        steps = np.array([point["steps"] for point in points]) / 1e6
        value, low, high = (
            np.array([point["metrics"][metric][end] for point in points], dtype=np.float64)
            for end in ("value", "low", "high")
        )
        scale = 100 if metric == "won" else 1
        axes.fill_between(steps, scale * low, scale * high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(steps, scale * value, ".-", color=colour, label=name, linewidth=1)
    axes.set_xlabel("million decisions learned from")
    axes.set_ylabel("validation deals won, %" if metric == "won" else f"mean {metric}, validation deals")
    _legend(figure, axes)
    return figure


def _new_figure(height: float, rows: int = 1) -> tuple[Figure, Sequence[Any]]:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(PLOT_WIDTH, height), layout="constrained")
        return figure, figure.subplots(rows, 1, squeeze=False, sharex=True)[:, 0]


def _legend(figure: Figure, axes: Any) -> None:
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=8, frameon=False)


def save(figure: Figure) -> Iterator[tuple[str, bytes]]:
    """Yields the suffix and the content of the figure's file in each format."""
    for suffix in ("svg", "png"):
        content = io.BytesIO()
        with mpl.rc_context(STYLE):
            look: dict[str, Any] = {"metadata": OMITTED} if suffix == "svg" else {"facecolor": "white"}
            figure.savefig(content, format=suffix, dpi=160, **look)
        yield suffix, content.getvalue()
