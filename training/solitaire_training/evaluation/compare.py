"""Compares agents on the same deals."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from solitaire_agents.files import write_whole
from solitaire_envs.cards import check_deal
from solitaire_training.evaluation import store as results
from solitaire_training.evaluation.agent_specs import Contestant, check_names, find_contestants
from solitaire_training.evaluation.labels import about_labels, label_deals
from solitaire_training.evaluation.metrics import difference_table, figure_table, outcome_table, seeds_over_environments
from solitaire_training.evaluation.parallel import play_tasks
from solitaire_training.evaluation.play import TEST_DEALS
from solitaire_training.evaluation.store import Arena, Task, make_tasks
from solitaire_training.provenance import git_revision, versions


def read_deals(text: str) -> NDArray[np.uint64]:
    """Reads a list of deals: a count n, for deals 0..n - 1, or a text file with a deal number a line.

    Raises:
        ValueError: It is neither, or a number is no deal number or there twice.
    """
    if text.replace("_", "").isdecimal():
        if int(text) == 0:
            raise ValueError("expected at least one deal, got 0")
        return np.arange(TEST_DEALS, TEST_DEALS + int(text), dtype=np.uint64)
    try:
        lines = Path(text).read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"expected a number of deals or a file of deal numbers, got {text!r}: {error}") from None
    if not lines:
        raise ValueError(f"expected deal numbers in {text}, got an empty file")
    deals: dict[int, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.isdecimal():
            raise ValueError(f"{text}: expected a deal number in place {number}, got {line!r}")
        deal = check_deal(int(line))
        if deal in deals:
            raise ValueError(f"{text}: expected each deal once, got {line} in places {deals[deal]} and {number}")
        deals[deal] = number
    return np.array(list(deals), dtype=np.uint64)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What a comparison has found, as tidy tables."""

    protocol: Mapping[str, Any]
    agents: pd.DataFrame
    """A row for each environment and agent: the fields of `Contestant`, what it was shown, how fast it played."""
    outcomes: pd.DataFrame
    figures: pd.DataFrame
    differences: pd.DataFrame


Scores = dict[Contestant, tuple[NDArray[np.void], float]]
"""Contestant -> outcomes on all deals, and the seconds they took."""


def compare(
    arenas: Sequence[Arena],
    specs: Sequence[str],
    deals: NDArray[np.uint64],
    *,
    seed: int = 0,
    jobs: int = 1,
    baseline: str | None = None,
    folder: Path | None = None,
    progress: Callable[[int], None] = lambda count: None,
) -> Comparison:
    """Plays agents on the same deals and sums them up.

    Args:
        arenas: The environments.
        specs: The agents; see `contestants`. In several environments each is played where it can play.
        deals: Deal numbers.
        seed: Seed of agents that draw random numbers.
        jobs: Processes; the results do not depend on it.
        baseline: Name of the agent that the others are compared with; None, or not in an environment: its first.
        folder: Where the results go; what an interrupted comparison has left there is not played again, and agents
            that were compared there before stay in the tables, in front. None: nothing is written.
        progress: Called with the number of deals finished since the last call.

    Raises:
        ValueError: An agent is unknown or damaged, has the name of a recipe, or changes meanwhile, or the folder holds
            results of other options, deals, versions or sources, or of an agent that has changed since.
    """
    chosen = _contestants(arenas, specs)
    protocol = results.make_protocol(arenas, deals, seed, {arena.env: about_labels(arena) for arena in arenas})
    if folder:
        results.open_folder(folder, protocol, chosen)
        chosen = {env: _with_earlier(folder, env, found) for env, found in chosen.items()}
    check_names(one for found in chosen.values() for one in found)
    if baseline is not None and all(baseline != one.name for found in chosen.values() for one in found):
        raise ValueError(f"expected the baseline among the agents, got {baseline!r}")
    tasks = [task for arena in arenas for one in chosen[arena.env] for task in make_tasks(arena, one, deals, seed)]
    done = dict(_play(tasks, folder, jobs, progress))
    found = _sum_up(arenas, chosen, protocol, deals, tasks, done, baseline)
    if folder:
        tables = {
            results.OUTCOMES: found.outcomes,
            results.FIGURES: found.figures,
            results.DIFFERENCES: found.differences,
        }
        results.write_result(folder, protocol, found.agents, baseline, tables)
    return found


def _contestants(arenas: Sequence[Arena], specs: Sequence[str]) -> dict[str, list[Contestant]]:
    several = len(arenas) > 1
    found = {arena.env: find_contestants(specs, arena.game, arena.options, skip=several) for arena in arenas}
    for spec in specs if several else ():
        if not any(find_contestants([spec], arena.game, arena.options, skip=True) for arena in arenas):
            raise ValueError(f"expected an agent of one of {', '.join(found)}; got {spec!r}")
    for env, contestants in found.items():
        if not contestants:
            raise ValueError(f"expected an agent for {env}, got none among {', '.join(specs)}")
    return found


def _with_earlier(folder: Path, env: str, found: Sequence[Contestant]) -> list[Contestant]:
    return list({one.name: one for one in (*results.read_contestants(folder, env), *found)}.values())


def _play(
    tasks: Sequence[Task], folder: Path | None, jobs: int, progress: Callable[[int], None]
) -> Iterator[tuple[Path, tuple[NDArray[np.void], float]]]:
    """Yields the part's path, the outcomes and the seconds of each task."""
    waiting = []
    for task in tasks:
        part = results.read_part(folder, task)
        if part is None:
            waiting.append(task)
        else:
            progress(len(task.deals))
            yield task.part, part
    for task, outcomes, seconds in play_tasks(waiting, jobs):
        results.write_part(folder, task, outcomes, seconds)
        progress(len(task.deals))
        yield task.part, (outcomes, seconds)


def _sum_up(
    arenas: Sequence[Arena],
    chosen: Mapping[str, Sequence[Contestant]],
    protocol: Mapping[str, Any],
    deals: NDArray[np.uint64],
    tasks: Sequence[Task],
    done: Mapping[Path, tuple[NDArray[np.void], float]],
    baseline: str | None,
) -> Comparison:
    agents, outcomes, figures, differences = [], [], [], []
    for arena in arenas:
        played = {}
        for one in chosen[arena.env]:
            parts = [done[task.part] for task in tasks if (task.arena, task.contestant) == (arena, one)]
            played[one] = np.concatenate([part for part, _ in parts])
            seconds = sum(seconds for _, seconds in parts)
            shown = "open" if not one.fair else arena.options.information
            agents.append({"env": arena.env, **asdict(one), "information": shown, "seconds": seconds})
        outcomes.append(outcome_table(arena, played, deals))
        figures.append(figure_table(arena, played, label_deals(arena, deals)))
        differences.append(difference_table(arena, played, baseline))
    figure_rows = pd.concat(figures, ignore_index=True)
    over_all = seeds_over_environments(figure_rows)
    return Comparison(
        protocol=protocol,
        agents=pd.DataFrame(agents).astype({"training_seed": "Int64"}),  # or None among them would make floats of all
        outcomes=pd.concat(outcomes, ignore_index=True),
        figures=pd.concat([figure_rows, over_all], ignore_index=True) if len(over_all) else figure_rows,
        differences=pd.concat(differences, ignore_index=True),
    )


def write_json(path: Path, arena: Arena, found: Comparison) -> None:
    """Writes a comparison in one environment as one JSON file, with all that repeating it needs."""
    fields = [name for name in found.outcomes if name not in ("env", "agent", "group", "fair", "training_seed", "deal")]
    figures = found.figures[found.figures["part"] == "all"]
    content: Mapping[str, Any] = {
        "env": arena.env,
        "options": asdict(arena.options),
        "deals": found.protocol["deals"],
        "versions": versions(),
        "git_revision": git_revision(),
        "agents": {
            row["name"]: {
                "sha256": row["sha256"],
                "fair": row["fair"],
                "seconds": row["seconds"],
                "figures": {
                    figure["figure"]: {name: figure[name] for name in ("value", "low", "high")}
                    for figure in results.to_records(figures[figures["agent"] == row["name"]])
                },
                "outcomes": {
                    name: found.outcomes.loc[found.outcomes["agent"] == row["name"], name].tolist() for name in fields
                },
            }
            for row in results.to_records(found.agents)
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps(content) + "\n").encode())
