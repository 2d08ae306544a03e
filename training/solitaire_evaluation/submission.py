"""Checks a folder of results against the rules of the Patience Benchmark, and makes rows of the scoreboard.

A submission is a folder that `compare --out` has written, with a `benchmark.json` that states what results do not tell:
the track, the authors, how the agent was trained. Every figure of a row is recomputed from the stored chunks, and must
agree with the tables. Some games are replayed, if the agent is available here.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from solitaire_agents.files import LOCK
from solitaire_agents.text_agent import TextAgent
from solitaire_agents.trained import CARD, read_card
from solitaire_envs.checks import short
from solitaire_evaluation import store
from solitaire_evaluation.agent_specs import AgentSpec, is_here, make_agent
from solitaire_evaluation.benchmark import (
    BENCHMARK_GAMES,
    NOTHING,
    STATEMENT,
    TEXT,
    TRACKS,
    VERSION,
    BenchmarkGame,
    Row,
    Statement,
    Track,
    read_statement,
)
from solitaire_evaluation.chunks import CHUNKS, make_chunks, read_chunk
from solitaire_evaluation.deals import TEST_DEALS
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_evaluation.labels import EVERY_DEAL, about_labels, label_deals
from solitaire_evaluation.metrics import metric_table, outcome_table
from solitaire_evaluation.parallel import play_chunk
from solitaire_evaluation.people import is_human
from solitaire_evaluation.statistics import SEEDS_FOR_INTERVAL

SUBMITTED_FILES = {
    LOCK,
    STATEMENT,
    store.PROTOCOL,
    store.RESULT,
    store.OUTCOMES,
    store.METRICS,
    store.DIFFERENCES,
    "report.html",
}
"""Files allowed in a folder of results, besides the folders of chunks (.npy) and plots."""


def check_submission(folder: Path) -> list[Row]:
    """Checks a folder of results against all rules of the benchmark.

    Returns:
        A row for each game of the benchmark that the folder has results of.

    Raises:
        ValueError: A rule is broken; the message names the first.
    """
    _check_files(folder)
    statement = read_statement(folder)
    track, results = TRACKS[statement.track], store.load_results(folder)
    games = _check_protocol(results.result, track)
    _check_statement(statement, track)
    rows = []
    for game in games:
        specs = store.read_agent_specs(folder, game.env)
        _check_agents(statement, specs, game.env_spec)
        rows.append(_row(folder, statement, game, specs, results.of(game.env)))
    return rows


def _check_files(folder: Path) -> None:
    """Checks that a folder holds only results: no code and no pickles."""
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        place = path.relative_to(folder)
        kinds = {CHUNKS: {".npy"}, "plots": {".png", ".svg"}}.get(place.parts[0], set())
        if path.is_symlink() or (
            path.is_file() and place.as_posix() not in SUBMITTED_FILES and path.suffix not in kinds
        ):
            raise ValueError(
                f"expected what `compare` writes and {STATEMENT} in {folder}, got {short(place.as_posix())}"
            )


def _check_protocol(result: Mapping[str, Any], track: Track) -> list[BenchmarkGame]:
    """Checks environments, options, deals and sources; returns the games that were played."""
    games = []
    for env, options in result["environments"].items():
        known = [game for game in BENCHMARK_GAMES.values() if game.env == env]
        if not known:
            envs = ", ".join(dict.fromkeys(game.env for game in BENCHMARK_GAMES.values()))
            raise ValueError(f"expected environments among {envs}; got {short(env)}")
        games.append(next((game for game in known if asdict(game.env_spec.options) == options), known[0]))
    deals = np.arange(TEST_DEALS, TEST_DEALS + track.deals, dtype=np.uint64)
    specs = [game.env_spec for game in games]
    expected = store.make_protocol(specs, deals, result["seed"], {spec.env: about_labels(spec) for spec in specs})
    got = {name: result.get(name) for name in expected}
    where = f"track {track.name} of the Patience Benchmark {VERSION}"
    store.check_protocol(where, expected, {**got, "versions": expected["versions"]}, advice="")
    return games


def _check_statement(statement: Statement, track: Track) -> None:
    """Checks a statement against its track."""
    if statement.searches and not track.searches:
        raise ValueError(f"expected an agent that does not search in track {track.name}, got searches true")
    if track.text and statement.reads != TEXT:
        raise ValueError(f"expected reads {TEXT!r} in track {track.name}, got {short(statement.reads)}")
    training = statement.training
    if training is not None and 1 < len(set(training.seeds)) < SEEDS_FOR_INTERVAL:
        raise ValueError(
            f"expected one training seed, or {SEEDS_FOR_INTERVAL} or more for a recipe, got {len(set(training.seeds))}"
        )
    if track.steps is None:
        return
    if training is None or training.steps is None:
        raise ValueError(f"expected training.steps in track {track.name}, got none")
    if not 0 < training.steps <= track.steps:
        raise ValueError(
            f"expected training.steps of 1 to {track.steps:,} in track {track.name}, got {training.steps:,}"
        )
    if training.start != NOTHING:
        raise ValueError(f"expected training.start {NOTHING!r} in track {track.name}, got {short(training.start)}")


def _check_agents(statement: Statement, specs: Sequence[AgentSpec], env_spec: EnvSpec) -> None:
    """Checks an environment's agents: one agent or one recipe, fair, with the stated seeds and search."""
    for spec in specs:
        if spec.group != statement.agent:
            raise ValueError(
                f"expected {short(statement.agent)}, as agent says, in the results; got {short(spec.group)}"
            )
        if not spec.fair:
            raise ValueError(f"expected a fair agent, got {short(spec.name)}, which sees the order of the stock")
        if is_human(spec.source):
            raise ValueError(f"expected agents, got a person: {short(spec.name)}")
    seeds = [spec.training_seed for spec in specs]
    if statement.training is None and any(seed is not None for seed in seeds):
        raise ValueError(f"expected training, since {short(specs[0].name)} was trained; got none")
    stated = statement.training.seeds if statement.training else [None]
    if len(specs) != len(stated) or any(seed not in (None, *stated) for seed in seeds):
        raise ValueError(f"expected training.seeds {seeds}, as in the results, got {stated}")
    for spec in specs:
        if is_here(spec, env_spec.game):
            _check_known(statement, spec, env_spec)


def _check_known(statement: Statement, spec: AgentSpec, env_spec: EnvSpec) -> None:
    """Checks an agent that is available here against the statement."""
    agent = make_agent(spec, env_spec.game, env_spec.options)
    if TRACKS[statement.track].text and not isinstance(agent, TextAgent):
        raise ValueError(f"expected a TextAgent in track {statement.track}, got {short(spec.name)}")
    if agent.searches and not statement.searches:
        raise ValueError(f"expected searches true, as {short(spec.name)} searches (bounds do: @no-bounds); got false")
    if agent.folder is None or statement.training is None:
        return
    card, training = read_card(agent.folder), statement.training
    if training.steps is not None and "moves" not in card:
        raise ValueError(f"expected the number of moves in {agent.folder / CARD}, got none: train it anew")
    if training.steps is not None and training.steps < card["moves"]:
        raise ValueError(
            f"expected training.steps of {card['moves']:,} or more, the moves of {agent.folder}; got {training.steps:,}"
        )
    start = (card["hyperparameters"] or {}).get("start_from")
    if start and training.start == NOTHING:
        raise ValueError(f"expected training.start to name {short(start)}, as in {agent.folder}; got {NOTHING!r}")


def _row(
    folder: Path, statement: Statement, game: BenchmarkGame, specs: Sequence[AgentSpec], found: store.Results
) -> Row:
    """Computes a row from the stored chunks, and checks that the tables agree with it."""
    track, env_spec, result = TRACKS[statement.track], game.env_spec, found.result
    deals = np.arange(TEST_DEALS, TEST_DEALS + track.deals, dtype=np.uint64)
    played, seconds, replayed = {}, [], 0
    for spec in specs:
        outcomes, taken = _read_chunks(folder, env_spec, spec, deals, result["seed"])
        played[spec] = outcomes
        seconds.append(taken / outcomes["moves"].sum())
        stated = found.agents[found.agents["name"] == spec.name]["seconds"].iloc[0]
        if not np.isclose(stated, taken, rtol=1e-6) or taken <= 0:
            raise ValueError(f"expected {taken:.6g} seconds of {short(spec.name)}, as its chunks say, got {stated:.6g}")
    if track.seconds is not None and max(seconds) > track.seconds:
        raise ValueError(
            f"expected at most {track.seconds:g} seconds a move in track {track.name}, got {max(seconds):.3g}"
        )
    _check_outcomes(outcome_table(env_spec, played, deals), found.outcomes)
    metrics = metric_table(env_spec, played, label_deals(env_spec, deals))
    _check_metrics(metrics, found.metrics)
    for spec in specs:
        if is_here(spec, env_spec.game):
            replayed += _replay(env_spec, spec, deals, result["seed"], played[spec])
    whole = metrics[(metrics["stratum"] == EVERY_DEAL) & (metrics["metric"] == game.metric)]
    figures = whole[whole["agent"] == (statement.agent if len(specs) > 1 else specs[0].name)].iloc[0]
    return Row(
        benchmark=VERSION,
        track=track.name,
        game=game.name,
        **{name: getattr(statement, name) for name in ("agent", "authors", "code", "searches", "reads", "commands")},
        metric=game.metric,
        is_share=bool(figures["is_share"]),
        value=round(float(figures["value"]), 6),
        low=round(float(figures["low"]), 6),
        high=round(float(figures["high"]), 6),
        deals=track.deals,
        replayed=replayed,
        seconds=float(f"{max(seconds):.3g}"),
        training=asdict(statement.training) if statement.training else None,
        hardware=f"{result['hardware'].get('cpu', '')}, {result['hardware'].get('cores', '')} cores".strip(", "),
        environments_sha256=result["environments_sha256"],
        outcomes_sha256=hashlib.sha256(b"".join(outcomes.tobytes() for outcomes in played.values())).hexdigest(),
    )


def _read_chunks(
    folder: Path, env_spec: EnvSpec, spec: AgentSpec, deals: NDArray[np.uint64], seed: int
) -> tuple[NDArray[np.void], float]:
    """Returns the outcomes of an agent [n], and the seconds that it played."""
    outcomes, seconds = [], 0.0
    for chunk in make_chunks(env_spec, spec, deals, seed):
        stored = read_chunk(folder, chunk)
        if stored is None:
            raise ValueError(
                f"expected a chunk that `compare` wrote at {folder / chunk.path}, got none or a damaged one"
            )
        outcomes.append(stored.outcomes)
        seconds += stored.seconds
    return np.concatenate(outcomes), seconds


def _check_outcomes(expected: pd.DataFrame, got: pd.DataFrame) -> None:
    """Checks the outcomes of an environment. The table may have further columns, of other environments."""
    for name in expected.columns.drop("training_seed"):
        if name not in got or not np.array_equal(expected[name].to_numpy(), got[name].to_numpy()):
            raise ValueError(f"expected {name} in {store.OUTCOMES} as in the chunks, got another")


def _check_metrics(expected: pd.DataFrame, got: pd.DataFrame) -> None:
    """Checks the values of metrics, but not the intervals, which may differ between versions of NumPy."""
    key = ["agent", "stratum", "metric"]
    both = expected.merge(got, on=key, how="outer", suffixes=("", "_got"))
    wrong = both[~np.isclose(both["value"], both["value_got"], rtol=1e-6, equal_nan=True)]
    if len(wrong):
        first = wrong.iloc[0]
        what = f"{first['metric']} of {first['agent']} ({first['stratum']})"
        raise ValueError(f"expected {what} {first['value']:.6g}, as the outcomes make it, got {first['value_got']:.6g}")


def _replay(
    env_spec: EnvSpec, spec: AgentSpec, deals: NDArray[np.uint64], seed: int, outcomes: NDArray[np.void]
) -> int:
    """Replays one chunk of an agent, chosen by a hash of the outcomes; returns its number of deals."""
    chunks = make_chunks(env_spec, spec, deals, seed)
    chosen = int(hashlib.sha256(outcomes.tobytes()).hexdigest(), 16) % len(chunks)
    start = sum(len(chunk.deals) for chunk in chunks[:chosen])
    again = play_chunk(chunks[chosen]).outcomes
    stored = outcomes[start : start + len(again)]
    if (wrong := np.flatnonzero(again != stored)).size:
        deal = chunks[chosen].deals[wrong[0]]
        raise ValueError(f"expected {again[wrong[0]]} of {short(spec.name)} on deal {deal}, got {stored[wrong[0]]}")
    return len(again)
