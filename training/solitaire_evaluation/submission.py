"""Checks a folder of results against the rules of the Patience Benchmark, and makes rows of the scoreboard.

A submission is a folder that `compare --out` has written, with a `benchmark.json` that states what results do not tell:
the track, the authors, how the agent was trained. Every figure of a row is computed from the stored chunks; the tables
ask no table. If the agent is available here, its games are played again: all if it is quick, else a random sample.
"""

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from solitaire_agents.files import LOCK
from solitaire_agents.kit import Status
from solitaire_agents.text_agent import TextAgent
from solitaire_agents.trained import CARD, read_card
from solitaire_envs.checks import short
from solitaire_envs.game import NO_LIMIT
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
from solitaire_evaluation.chunks import CHUNKS, PlayedChunk, make_chunks, read_chunk
from solitaire_evaluation.deals import TEST_DEALS
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_evaluation.labels import EVERY_DEAL, about_labels, label_deals
from solitaire_evaluation.metrics import metric_table
from solitaire_evaluation.people import is_human
from solitaire_evaluation.pool import ALONE
from solitaire_evaluation.replay import Replay, play_again
from solitaire_evaluation.statistics import SEEDS_FOR_INTERVAL
from solitaire_evaluation.workers import Workers

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
REPLAYED_CHUNKS = 5
"""Chunks of an agent that is not quick that are played again."""


def check_submission(
    folder: Path, *, workers: Workers = ALONE, progress: Callable[[int], None] = lambda count: None
) -> list[Row]:
    """Checks a folder of results against all rules of the benchmark.

    Args:
        folder: The folder.
        workers: The workers that play games again.
        progress: Called with the number of deals played again since the last call.

    Returns:
        A row for each game of the benchmark that the folder has results of.

    Raises:
        ValueError: A rule is broken; the message names the first.
    """
    _check_files(folder)
    statement = read_statement(folder)
    track, result = TRACKS[statement.track], store.read_result(folder)
    games = _check_protocol(result, track)
    _check_statement(statement, track)
    rows = []
    for game in games:
        specs = store.read_agent_specs(folder, game.env)
        _check_agents(statement, specs, game.env_spec)
        played = _read_chunks(folder, track, game, specs, result["seed"])
        replayed = sum(
            _replay(played[spec], spec, workers, progress) for spec in specs if is_here(spec, game.env_spec.game)
        )
        rows.append(_row(statement, game, played, replayed, result))
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
    deals = _deals(track)
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
    if isinstance(agent, TextAgent) and agent.budget != statement.budget:
        got = json.dumps(statement.budget)
        raise ValueError(f"expected budget {json.dumps(agent.budget)}, that of {short(spec.name)}; got {got}")
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


def _read_chunks(
    folder: Path, track: Track, game: BenchmarkGame, specs: Sequence[AgentSpec], seed: int
) -> dict[AgentSpec, list[PlayedChunk]]:
    """Returns the chunks of each agent, having checked their outcomes and seconds."""
    deals, played = _deals(track), dict[AgentSpec, list[PlayedChunk]]()
    labels = label_deals(game.env_spec, deals)
    for spec in specs:
        played[spec] = []
        for chunk in make_chunks(game.env_spec, spec, deals, seed):
            stored = read_chunk(folder, chunk)
            if stored is None:
                raise ValueError(
                    f"expected a chunk that `compare` wrote at {folder / chunk.path}, "
                    "got none, a damaged one or another's"
                )
            if not 0 < stored.seconds < np.inf:
                raise ValueError(f"expected seconds above 0 in {folder / chunk.path}, got {stored.seconds:g}")
            played[spec].append(stored)
        _check_outcomes(game, _outcomes(played[spec]), labels)
        if track.seconds is not None and _seconds(played[spec]) > track.seconds:
            raise ValueError(
                f"expected at most {track.seconds:g} seconds a move in track {track.name}, "
                f"got {_seconds(played[spec]):.3g}"
            )
    return played


def _deals(track: Track) -> NDArray[np.uint64]:
    return np.arange(TEST_DEALS, TEST_DEALS + track.deals, dtype=np.uint64)


def _outcomes(played: Sequence[PlayedChunk]) -> NDArray[np.void]:
    return np.concatenate([one.outcomes for one in played])


def _seconds(played: Sequence[PlayedChunk]) -> float:
    """Returns the mean wall time of a move."""
    return sum(one.seconds for one in played) / int(_outcomes(played)["moves"].sum())


_COPIED = ("agent", "authors", "code", "searches", "reads", "budget", "commands")


def _row(
    statement: Statement,
    game: BenchmarkGame,
    played: Mapping[AgentSpec, Sequence[PlayedChunk]],
    replayed: int,
    result: Mapping[str, Any],
) -> Row:
    """Computes a row from chunks."""
    track, deals, (first, *others) = TRACKS[statement.track], _deals(TRACKS[statement.track]), played
    outcomes = {spec: _outcomes(chunks) for spec, chunks in played.items()}
    metrics = metric_table(game.env_spec, outcomes, label_deals(game.env_spec, deals))
    whole = metrics[(metrics["stratum"] == EVERY_DEAL) & (metrics["metric"] == game.metric)]
    figures = whole[whole["agent"] == (statement.agent if others else first.name)].iloc[0]
    return Row(
        benchmark=VERSION,
        track=track.name,
        game=game.name,
        **{field: getattr(statement, field) for field in _COPIED},
        metric=game.metric,
        is_share=bool(figures["is_share"]),
        value=round(float(figures["value"]), 6),
        low=round(float(figures["low"]), 6),
        high=round(float(figures["high"]), 6),
        deals=track.deals,
        replayed=replayed,
        seconds=float(f"{max(map(_seconds, played.values())):.3g}"),
        training=asdict(statement.training) if statement.training else None,
        hardware=f"{result['hardware'].get('cpu', '')}, {result['hardware'].get('cores', '')} cores".strip(", "),
        environments_sha256=result["environments_sha256"],
        outcomes_sha256=hashlib.sha256(b"".join(each.tobytes() for each in outcomes.values())).hexdigest(),
    )


def _check_outcomes(game: BenchmarkGame, outcomes: NDArray[np.void], labels: pd.DataFrame) -> None:
    """Checks that the outcomes on a list of deals, [n], contradict neither the rules nor the labels of the deals."""
    spec, most = game.env_spec, game.env_spec.options.max_moves or NO_LIMIT
    in_time = (outcomes["moves"] > 0) & (outcomes["moves"] <= most)
    low, high = spec.game.score_range(spec.options)
    for what, wrong in (
        ("an outcome of a whole game", ~(in_time & (outcomes["score"] >= low) & (outcomes["score"] <= high))),
        ("no win, as the deal cannot be won,", outcomes["won"] & (labels["winnable"] == Status.IMPOSSIBLE).to_numpy()),
        ("no more points than the deal has", outcomes["score"] > labels["best_score"].to_numpy()),
    ):
        for place in np.flatnonzero(wrong)[:1]:
            raise ValueError(f"expected {what} on deal {labels['deal'][place]}, got {outcomes[place]}")


def _replay(played: Sequence[PlayedChunk], spec: AgentSpec, workers: Workers, progress: Callable[[int], None]) -> int:
    """Plays an agent's chunks again, all of them if it is quick, else a few drawn at random; returns their deals."""
    chosen = played if spec.quick else secrets.SystemRandom().sample(played, min(REPLAYED_CHUNKS, len(played)))
    stored, count = {one.chunk.number: one.outcomes for one in chosen}, 0
    share: Any = workers.share_quick if spec.quick else workers.share
    for chunk, outcomes in share(play_again, [Replay(one.chunk, secrets.randbits(64)) for one in chosen]):
        for place in np.flatnonzero(outcomes != stored[chunk.number])[:1]:
            what, got = f"{outcomes[place]} of {short(spec.name)}", stored[chunk.number][place]
            raise ValueError(f"expected {what} on deal {chunk.deals[place]}, got {got}")
        count += len(chunk.deals)
        progress(len(chunk.deals))
    return count
