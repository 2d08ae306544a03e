"""The metrics of a comparison, as tidy tables: shares, means, regret, differences, interquartile means."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from solitaire_agents.kit import Status
from solitaire_envs.game import MOVES, Game
from solitaire_evaluation.agent_specs import AgentSpec
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_evaluation.labels import EVERY_DEAL, strata
from solitaire_evaluation.statistics import (
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

WINNABLE_WON, REGRET = "winnable won", "regret"
Outcomes = Mapping[AgentSpec, NDArray[np.void]]
"""Agent -> [n] records of the game's outcome, in the order of the deals."""


def outcome_table(env_spec: EnvSpec, played: Outcomes, deals: NDArray[np.uint64]) -> pd.DataFrame:
    """Returns the outcomes as a tidy table, with a row for each agent and deal."""
    tables = []
    for agent, outcomes in played.items():
        seed = pd.array([agent.training_seed] * len(deals), dtype="Int64")
        fields = {name: outcomes[name] for name in outcomes.dtype.names or ()}
        tables.append(pd.DataFrame({**_about(env_spec, agent), "training_seed": seed, "deal": deals, **fields}))
    return pd.concat(tables, ignore_index=True)


def _about(env_spec: EnvSpec, agent: AgentSpec) -> dict[str, Any]:
    """Returns the columns that start each row."""
    return {"env": env_spec.env, "agent": agent.name, "group": agent.group, "fair": agent.fair}


def metric_table(env_spec: EnvSpec, played: Outcomes, labels: pd.DataFrame) -> pd.DataFrame:
    """Returns the metrics, a row for each agent, stratum and metric.

    Columns: env, agent, group, fair, seeds, stratum, metric, is_share, value, low, high, count.
    Rows of single agents have 1 in ``seeds``. After them come rows of recipes with several training seeds, which hold
    interquartile means over the seeds.
    """
    rows = []
    for agent, outcomes in played.items():
        about = {**_about(env_spec, agent), "seeds": 1}
        for stratum, inside in strata(labels):
            for metric, estimate, count in _metrics(
                env_spec.game, outcomes, labels, inside, whole=stratum == EVERY_DEAL
            ):
                kind = {"metric": metric, "is_share": is_share(metric, env_spec.game)}
                rows.append({**about, "stratum": stratum, **kind, **vars(estimate), "count": count})
    table = pd.DataFrame(rows)
    return pd.concat([table, *_over_seeds(table)], ignore_index=True)


def is_share(metric: str, game: Game) -> bool:
    """Returns whether a metric is a share of deals, or of blocks of deals."""
    shares = {one.name for one in game.outcome if one.kind == "share"}
    return metric in {*shares, *(block.name for block in game.blocks), WINNABLE_WON}


def meanings(game: Game) -> dict[str, str]:
    """Returns what each metric of a game means, by name."""
    return {
        **{one.name: one.doc for one in game.outcome_fields},
        **{block.name: block.doc for block in game.blocks},
        WINNABLE_WON: "won, of the deals that can be won",
        REGRET: "points below the best possible score",
    }


def _metrics(
    game: Game, outcomes: NDArray[np.void], labels: pd.DataFrame, inside: NDArray[np.bool_], *, whole: bool
) -> Iterator[tuple[str, Estimate, int]]:
    """Yields name, estimate and number of values of each metric over the deals ``inside``; ``whole``: all deals."""
    count = int(inside.sum())
    winnable = inside & (labels["winnable"] == Status.SOLVED).to_numpy()
    for name in _fields(game, "share"):
        yield name, share(_column(outcomes, name)[inside]), count
    if winnable.any() and whole:
        yield WINNABLE_WON, share(_column(outcomes, "won")[winnable]), int(winnable.sum())
    for name in _fields(game, "mean"):
        yield name, mean(_column(outcomes, name)[inside]), count
    lost = labels["best_score"].to_numpy()[inside] - _column(outcomes, "score")[inside]
    if count and not np.isnan(lost).any():
        yield REGRET, mean(lost), count
    if not whole:
        return
    for block in game.blocks:
        totals = blocks(_column(outcomes, block.field), block.size)
        yield block.name, share((totals >= block.at_least).astype(np.float64)), len(totals)
    for name in (MOVES.name, *_fields(game, "count")):
        yield name, mean(_column(outcomes, name)), count


def _fields(game: Game, kind: str) -> list[str]:
    return [one.name for one in game.outcome if one.kind == kind]


def _column(outcomes: NDArray[np.void], name: str) -> NDArray[np.float64]:
    return np.asarray(outcomes[name], dtype=np.float64)


def _over_seeds(table: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yields the interquartile means of the recipes that have several training seeds."""
    for _, rows in table.groupby("group", sort=False):
        if rows["agent"].nunique() > 1:
            env = rows["env"].iloc[0]
            yield pd.DataFrame([_recipe_row(env, same) for _, same in rows.groupby(["stratum", "metric"], sort=False)])


def _recipe_row(env: str, rows: pd.DataFrame) -> dict[str, Any]:
    """Returns a recipe's interquartile mean of one metric in one stratum of the deals, stratified by environment."""
    by_env = [same["value"].to_numpy() for _, same in rows.groupby("env", sort=False)]
    first = rows.iloc[0]
    return {
        "env": env,
        "agent": first["group"],
        "group": first["group"],
        "fair": bool(rows["fair"].all()),
        "seeds": rows["agent"].nunique(),
        "stratum": first["stratum"],
        "metric": first["metric"],
        "is_share": bool(first["is_share"]),
        **vars(interquartile_mean(by_env)),
        "count": len(rows),
    }


def seeds_over_environments(metrics: pd.DataFrame) -> pd.DataFrame:
    """Returns the interquartile mean of the share won for each recipe with several seeds in several environments.

    The bootstrap is stratified by environment.
    """
    trained = metrics["agent"] != metrics["group"]
    chosen = metrics[trained & (metrics["metric"] == "won") & (metrics["stratum"] == EVERY_DEAL)]
    recipes = [rows for _, rows in chosen.groupby("group", sort=False) if rows["env"].nunique() > 1]
    return pd.DataFrame([_recipe_row("(all)", rows) for rows in recipes], columns=metrics.columns)


def difference_table(env_spec: EnvSpec, played: Outcomes, baseline: str | None) -> pd.DataFrame:
    """Returns the difference of each other agent from the baseline on the same deals, for each share and mean.

    Returns:
        Columns env, agent, group, fair, baseline, metric, is_share, value, low, high, p_value, p_holm. The last is
        corrected for the number of comparisons of the metric in the environment.
    """
    by_name = {agent.name: outcomes for agent, outcomes in played.items()}
    chosen = next(iter(by_name)) if baseline is None else baseline
    rows = []
    for agent, ours in played.items():
        about = {**_about(env_spec, agent), "baseline": chosen}
        for metric, difference in _differences(env_spec.game, ours, by_name[chosen]) if agent.name != chosen else ():
            kind = {"metric": metric, "is_share": is_share(metric, env_spec.game)}
            rows.append({**about, **kind, **vars(difference.estimate), "p_value": difference.p_value})
    columns = ["env", "agent", "group", "fair", "baseline", "metric", "is_share", "value", "low", "high", "p_value"]
    table = pd.DataFrame(rows, columns=columns)
    corrected = table.groupby("metric")["p_value"].transform(lambda values: holm(values.to_list()))
    return table.assign(p_holm=corrected)


def _differences(game: Game, ours: NDArray[np.void], theirs: NDArray[np.void]) -> Iterator[tuple[str, Difference]]:
    for kind, paired in (("share", paired_share), ("mean", paired_mean)):
        for name in _fields(game, kind):
            yield name, paired(_column(ours, name), _column(theirs, name))
