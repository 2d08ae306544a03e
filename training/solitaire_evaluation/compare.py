"""Compares agents on the same deals."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from solitaire_agents.catalogue import agents_of
from solitaire_agents.files import locked
from solitaire_envs.checks import did_you_mean, short
from solitaire_evaluation import store
from solitaire_evaluation.agent_specs import AgentSpec, check_names, check_source, find_agent_specs, plays
from solitaire_evaluation.chunks import Chunk, PlayedChunk, make_chunks, read_chunk, write_chunk
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_evaluation.labels import about_labels, label_deals
from solitaire_evaluation.metrics import difference_table, metric_table, outcome_table, seeds_over_environments
from solitaire_evaluation.parallel import play_chunks
from solitaire_evaluation.people import deals_of_people, human_specs, is_human, played_by
from solitaire_evaluation.pool import ALONE
from solitaire_evaluation.store import Results
from solitaire_evaluation.workers import Workers


@dataclass(frozen=True, kw_only=True)
class _Played:
    """All games of one environment."""

    env_spec: EnvSpec
    outcomes: Mapping[AgentSpec, NDArray[np.void]]
    """Agent -> [n] records of the game's outcome, in the order of the deals."""
    seconds: Mapping[AgentSpec, float]


def compare(
    env_specs: Sequence[EnvSpec],
    agents: Sequence[str],
    deals: NDArray[np.uint64],
    *,
    seed: int = 0,
    workers: Workers = ALONE,
    baseline: str | None = None,
    folder: Path | None = None,
    people: Path | None = None,
    begin: Callable[[int], None] = lambda count: None,
    progress: Callable[[int], None] = lambda count: None,
) -> Results:
    """Plays agents on the same deals and computes their metrics.

    Args:
        env_specs: The environments.
        agents: The agents as on the command line; see `agent_specs`. If there are several environments, each agent
            takes part in those whose game it plays.
        deals: Deal numbers, uint64 [n]. If people are among the agents, only deals that they have finished are used.
        seed: Seed of agents that draw random numbers.
        workers: The workers that play. The results do not depend on them.
        baseline: Name of the agent that the others are compared with, in all environments; None: the first agent of
            each.
        folder: The folder of results. Chunks stored there by an interrupted comparison are not played again. Agents
            compared there before stay in the tables, before the new ones. None: nothing is written.
        people: Folder of people's games; None: the user's data folder.
        begin: Called once with the number of deals to play, summed over all agents except people.
        progress: Called with the number of deals finished since the last call.

    Raises:
        ValueError: An agent is unknown or damaged, has the name of a recipe, or changes during the comparison; or the
            folder holds results of other options, deals, versions or sources, or of an agent that has changed since.
    """
    deals = deals_of_people(agents, env_specs, deals, people)
    chosen = _find_agents(env_specs, agents, deals, people)
    protocol = store.make_protocol(env_specs, deals, seed, {spec.env: about_labels(spec) for spec in env_specs})
    if folder:
        store.open_folder(folder, protocol, chosen)
        chosen = {env: _with_earlier(folder, env, found) for env, found in chosen.items()}
    everyone = [(spec, agent) for spec in env_specs for agent in chosen[spec.env]]
    check_names(agent for _, agent in everyone)
    if baseline is not None:
        _check_baseline(baseline, chosen)
    chunks = [chunk for spec, agent in everyone for chunk in make_chunks(spec, agent, deals, seed)]
    begin(sum(len(chunk.deals) for chunk in chunks if not is_human(chunk.agent.source)))
    played = [*_play_people(chunks, people), *_play(chunks, folder, workers, progress)]
    if not folder:
        return _sum_up([_join(spec, chosen[spec.env], played) for spec in env_specs], protocol, deals, baseline)
    # Agents that another process has added to the folder meanwhile are in the tables too.
    with locked(folder, wait=store.SECONDS_FOR_OTHERS):
        present = {env: _with_earlier(folder, env, found) for env, found in chosen.items()}
        check_names(agent for found in present.values() for agent in found)
        added = [(spec, agent) for spec in env_specs for agent in present[spec.env] if agent not in chosen[spec.env]]
        new = [chunk for spec, agent in added for chunk in make_chunks(spec, agent, deals, seed)]
        played += [*_play_people(new, people), *_play(new, folder, ALONE, lambda count: None)]
        results = _sum_up([_join(spec, present[spec.env], played) for spec in env_specs], protocol, deals, baseline)
        store.write_result(folder, results, baseline)
    return results


def _find_agents(
    env_specs: Sequence[EnvSpec], texts: Sequence[str], deals: NDArray[np.uint64], people: Path | None
) -> dict[str, list[AgentSpec]]:
    """Returns the agents of each environment, by its id."""
    several, found = len(env_specs) > 1, dict[str, list[AgentSpec]]()
    for spec in env_specs:
        known = human_specs(texts, spec, deals, people)
        found[spec.env] = find_agent_specs(texts, spec.game, spec.options, skip=several, people=known)
    for text in texts if several else ():
        if not is_human(text) and not any(plays(text, spec.game) for spec in env_specs):  # people: `deals_of_people`
            names = [name for spec in env_specs for name in agents_of(spec.game)]
            raise ValueError(
                f"expected an agent of one of {', '.join(found)}; got {short(text)}{did_you_mean(text, names)}"
            )
    for env, agents in found.items():
        if not agents:
            raise ValueError(f"expected an agent for {env}, got none among {', '.join(texts)}")
    return found


def _check_baseline(baseline: str, chosen: Mapping[str, Sequence[AgentSpec]]) -> None:
    for env, agents in chosen.items():
        names = [agent.name for agent in agents]
        if baseline not in names:
            got = short(baseline) + did_you_mean(baseline, names)
            raise ValueError(f"expected a baseline among the agents that play in {env}, {', '.join(names)}; got {got}")


def _with_earlier(folder: Path, env: str, found: Sequence[AgentSpec]) -> list[AgentSpec]:
    return list({agent.name: agent for agent in (*store.read_agent_specs(folder, env), *found)}.values())


def _play(
    chunks: Sequence[Chunk], folder: Path | None, workers: Workers, progress: Callable[[int], None]
) -> Iterator[PlayedChunk]:
    """Yields the agents' chunks with their outcomes: first the stored ones, then those played now, in any order."""
    waiting = []
    for chunk in chunks:
        if is_human(chunk.agent.source):
            continue
        stored = read_chunk(folder, chunk) if folder else None
        if stored is None:
            check_source("a result to be played again", chunk.agent.source)  # maybe named by an earlier command only
            waiting.append(chunk)
        else:
            progress(len(chunk.deals))
            yield stored
    for played in play_chunks(waiting, workers):
        if folder:
            write_chunk(folder, played)
        progress(len(played.outcomes))
        yield played


def _play_people(chunks: Sequence[Chunk], people: Path | None) -> Iterator[PlayedChunk]:
    """Yields the chunks of people with their outcomes, by replaying their games."""
    for chunk in chunks:
        if is_human(chunk.agent.source):
            yield PlayedChunk(chunk, *played_by(chunk.agent.source, chunk.env_spec, chunk.deals, people))


def _join(env_spec: EnvSpec, agents: Iterable[AgentSpec], played: Sequence[PlayedChunk]) -> _Played:
    """Joins the chunks of each agent in an environment, in the order of the deals."""
    outcomes, seconds, of_agent = {}, {}, dict[str, list[PlayedChunk]]()
    for one in played:
        if one.chunk.env_spec.env == env_spec.env:
            of_agent.setdefault(one.chunk.agent.name, []).append(one)
    for agent in agents:
        own = sorted(of_agent[agent.name], key=lambda one: one.chunk.number)
        outcomes[agent] = np.concatenate([one.outcomes for one in own])
        seconds[agent] = sum(one.seconds for one in own)
    return _Played(env_spec=env_spec, outcomes=outcomes, seconds=seconds)


def _sum_up(
    played: Sequence[_Played], protocol: Mapping[str, Any], deals: NDArray[np.uint64], baseline: str | None
) -> Results:
    metrics = [metric_table(one.env_spec, one.outcomes, label_deals(one.env_spec, deals)) for one in played]
    by_env = pd.concat(metrics, ignore_index=True)
    over_all = seeds_over_environments(by_env)
    agents = pd.DataFrame([row for one in played for row in _agent_rows(one)])
    return Results(
        result=protocol,
        agents=agents.astype({"training_seed": "Int64"}),  # a None would turn the column into floats
        outcomes=pd.concat([outcome_table(one.env_spec, one.outcomes, deals) for one in played], ignore_index=True),
        metrics=pd.concat([by_env, over_all], ignore_index=True) if len(over_all) else by_env,
        differences=pd.concat(
            [difference_table(one.env_spec, one.outcomes, baseline) for one in played], ignore_index=True
        ),
    )


def _agent_rows(played: _Played) -> Iterator[dict[str, Any]]:
    for agent, seconds in played.seconds.items():
        information = played.env_spec.options.information if agent.fair else "open"
        yield {"env": played.env_spec.env, **asdict(agent), "information": information, "seconds": seconds}
