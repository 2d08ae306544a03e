"""The figures of a comparison, as tidy tables: shares, means, regret, differences, interquartile means."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from solitaire_training.evaluation.agent_specs import Contestant
from solitaire_training.evaluation.labels import WINNABLE, parts_of
from solitaire_training.evaluation.statistics import (
    Difference,
    Estimate,
    blocks,
    holm,
    interquartile_mean,
    mean,
    paired_mean,
    paired_share,
    share,
)
from solitaire_training.evaluation.store import Arena

PAR_GAMES = 6
SHARES = ("won", "cleared", "winnable won", "par")
MEANINGS = {
    "cleared": "the 28 cards of the pyramid are gone",
    "winnable won": "won, of the deals that can be won",
    "regret": "points lost to the best score possible",
    "par": "of blocks of six deals, those with a total of zero or more",
}
"""What a newcomer could not guess."""
ALL = "all"
Outcomes = Mapping[Contestant, NDArray[np.void]]


def outcome_table(arena: Arena, played: Outcomes, deals: NDArray[np.uint64]) -> pd.DataFrame:
    """Returns the outcomes as a tidy table, a row for each agent and deal."""
    parts = []
    for contestant, outcomes in played.items():
        about = {"env": arena.env, "agent": contestant.name, "group": contestant.group, "fair": contestant.fair}
        seed = pd.array([contestant.training_seed] * len(deals), dtype="Int64")
        fields = {name: outcomes[name] for name in outcomes.dtype.names or ()}
        parts.append(pd.DataFrame({**about, "training_seed": seed, "deal": deals, **fields}))
    return pd.concat(parts, ignore_index=True)


def figure_table(arena: Arena, played: Outcomes, labels: pd.DataFrame) -> pd.DataFrame:
    """Returns the figures: columns env, agent, group, fair, seeds, part, figure, value, low, high, count.

    After the agents, whose ``seeds`` is 1, a recipe of several training seeds has rows of its own: interquartile means.
    """
    rows = []
    about: dict[str, Any]
    for contestant, outcomes in played.items():
        about = {"env": arena.env, "agent": contestant.name, "group": contestant.group, "fair": contestant.fair}
        about["seeds"] = 1
        for part, inside in parts_of(labels):
            for figure, estimate, count in _figures(outcomes, labels, inside, whole=part == ALL):
                rows.append({**about, "part": part, "figure": figure, **vars(estimate), "count": count})
    table = pd.DataFrame(rows)
    return pd.concat([table, *_over_seeds(table)], ignore_index=True)


def _figures(
    outcomes: NDArray[np.void], labels: pd.DataFrame, inside: NDArray[np.bool_], *, whole: bool
) -> Iterator[tuple[str, Estimate, int]]:
    names, count = outcomes.dtype.names or (), int(inside.sum())
    winnable = inside & (labels["winnable"] == WINNABLE).to_numpy()
    best = labels["best_score"].to_numpy()
    for name in ("won", "cleared"):
        if name in names:
            yield name, share(_column(outcomes, name)[inside]), count
    if winnable.any() and whole:
        yield "winnable won", share(_column(outcomes, "won")[winnable]), int(winnable.sum())
    scores = _column(outcomes, "score")
    yield "score", mean(scores[inside]), count
    if count and not np.isnan(best[inside]).any():
        yield "regret", mean(best[inside] - scores[inside]), count
    if not whole:
        return
    if "cleared" in names:  # Pyramid: par is a matter of six games
        totals = blocks(scores, PAR_GAMES)
        yield "par", share((totals >= 0).astype(np.float64)), len(totals)
    for name in ("moves", "passes"):
        yield name, mean(_column(outcomes, name)), count


def _column(outcomes: NDArray[np.void], name: str) -> NDArray[np.float64]:
    return np.asarray(outcomes[name], dtype=np.float64)


def _over_seeds(table: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yields the interquartile means of the recipes that have several training seeds."""
    for group, rows in table.groupby("group", sort=False):
        seeds = rows["agent"].nunique()
        if seeds > 1:
            about = {"env": rows["env"].iloc[0], "agent": group, "group": group, "fair": bool(rows["fair"].all())}
            about["seeds"] = seeds
            yield pd.DataFrame(
                {**about, "part": part, "figure": figure, **vars(interquartile_mean([values])), "count": len(values)}
                for (part, figure), values in _values(rows)
            )


def _values(rows: pd.DataFrame) -> Iterator[tuple[tuple[str, str], NDArray[np.float64]]]:
    for key, part in rows.groupby(["part", "figure"], sort=False):
        yield key, part["value"].to_numpy()


def difference_table(arena: Arena, played: Outcomes, baseline: str | None) -> pd.DataFrame:
    """Returns the differences of each agent to the baseline over the same deals.

    Returns:
        Columns env, agent, group, fair, baseline, figure, value, low, high, p_value, p_holm; the latter corrected for
        all comparisons of the figure in the environment.
    """
    names = [contestant.name for contestant in played]
    chosen = baseline if baseline in names else names[0]
    theirs = next(outcomes for contestant, outcomes in played.items() if contestant.name == chosen)
    rows = []
    for contestant, ours in played.items():
        about = {"env": arena.env, "agent": contestant.name, "group": contestant.group, "fair": contestant.fair}
        for figure, difference in _differences(ours, theirs) if contestant.name != chosen else ():
            told = {**vars(difference.estimate), "p_value": difference.p_value}
            rows.append({**about, "baseline": chosen, "figure": figure, **told})
    columns = ["env", "agent", "group", "fair", "baseline", "figure", "value", "low", "high", "p_value"]
    table = pd.DataFrame(rows, columns=columns)
    corrected = table.groupby("figure")["p_value"].transform(lambda values: holm(values.to_list()))
    return table.assign(p_holm=corrected)


def _differences(ours: NDArray[np.void], theirs: NDArray[np.void]) -> Iterator[tuple[str, Difference]]:
    for name in ("won", "cleared"):
        if name in (ours.dtype.names or ()):
            yield name, paired_share(_column(ours, name), _column(theirs, name))
    yield "score", paired_mean(_column(ours, "score"), _column(theirs, "score"))


def seeds_over_environments(figures: pd.DataFrame) -> pd.DataFrame:
    """Returns the interquartile mean of the share won, of recipes with several training seeds in several environments.

    The bootstrap is stratified by the environments.
    """
    rows = []
    trained = figures["agent"] != figures["group"]
    chosen = figures[trained & (figures["figure"] == "won") & (figures["part"] == ALL)]
    for group, values in chosen.groupby("group", sort=False):
        strata = [part["value"].to_numpy() for _, part in values.groupby("env", sort=False)]
        if len(strata) > 1:
            about = {"env": "(all)", "agent": group, "group": group, "fair": bool(values["fair"].all())}
            about["seeds"] = values["agent"].nunique()
            estimate = vars(interquartile_mean(strata))
            rows.append({**about, "part": ALL, "figure": "won", **estimate, "count": len(values)})
    return pd.DataFrame(rows, columns=figures.columns)
