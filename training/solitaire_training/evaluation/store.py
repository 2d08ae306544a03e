"""A comparison on disk: what was asked, what came out of each chunk of deals, and the tidy tables made of it.

    protocol.json      what all its results have in common: environments, options, deals, versions, sources
    parts/             outcomes chunk by chunk, so that an interrupted comparison goes on where it stopped
    result.json        protocol, agents, hardware, git revision, figures and differences
    outcomes.parquet   one row for each environment, agent and deal
    figures.parquet    one row for each environment, agent, figure and part of the deals
    differences.parquet

Every file is replaced whole or not at all. A folder takes further agents, but never a result of another protocol.
"""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
from numpy.typing import NDArray

import solitaire_envs
from solitaire_agents.files import write_whole
from solitaire_envs.catalogue import find_entry
from solitaire_envs.game import Game, Options, make_options
from solitaire_training.evaluation.agent_specs import Contestant, check_unchanged
from solitaire_training.provenance import about_machine, git_revision, hash_files, versions

FORMAT = "solitaire-rl result 1"
PROTOCOL, PARTS, RESULT = "protocol.json", "parts", "result.json"
OUTCOMES, FIGURES, DIFFERENCES = "outcomes.parquet", "figures.parquet", "differences.parquet"
QUICK_CHUNK, SLOW_CHUNK = 200, 20
"""Deals played between two checkpoints, by agents that are quick or not. Random numbers are drawn anew for each chunk,
so these numbers belong to the protocol."""


@dataclass(frozen=True, kw_only=True)
class Arena:
    """One environment with its options."""

    env: str
    options: Options

    @property
    def game(self) -> Game:
        """The game."""
        return find_entry(self.env).game


def make_arena(env: str, options: Mapping[str, Any]) -> Arena:
    """Returns an environment with options that go before its preset ones.

    Raises:
        ValueError: There is no such environment or option.
    """
    entry = find_entry(env)
    return Arena(env=env, options=make_options(entry.game.options, {**entry.preset, **options}))


def own_options(protocol: Mapping[str, Any], env: str) -> dict[str, Any]:
    """Returns the options of an environment that are not its own."""
    preset = asdict(make_arena(env, {}).options)
    return {name: value for name, value in protocol["environments"][env].items() if preset[name] != value}


@dataclass(frozen=True, kw_only=True)
class Task:
    """A chunk of deals for one contestant."""

    arena: Arena
    contestant: Contestant
    number: int
    deals: NDArray[np.uint64]
    seed: int

    @property
    def part(self) -> Path:
        """Where its outcomes go, in the folder of results."""
        safe = "".join(sign if sign.isalnum() else "-" for sign in self.contestant.name)
        agent = f"{safe}-{self.contestant.sha256[:12]}"
        return Path(PARTS) / self.arena.env.replace("/", "-") / agent / f"{self.number:05}.npy"


def make_tasks(arena: Arena, contestant: Contestant, deals: NDArray[np.uint64], seed: int) -> list[Task]:
    """Cuts a list of deals into chunks, always in the same way."""
    size = QUICK_CHUNK if contestant.quick else SLOW_CHUNK
    return [
        Task(arena=arena, contestant=contestant, number=start // size, deals=deals[start : start + size], seed=seed)
        for start in range(0, len(deals), size)
    ]


# --- What all results of a folder have in common ----------------------------------------------------------------------


def make_protocol(
    arenas: Sequence[Arena], deals: NDArray[np.uint64], seed: int, labels: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns what has to be the same for results to be compared, as JSON has it."""
    sources = sorted(Path(solitaire_envs.__file__).parent.glob("*.py"))
    content = {
        "format": FORMAT,
        "environments": {arena.env: {**asdict(arena.options)} for arena in arenas},
        "deals": {
            "count": len(deals),
            "first": int(deals[0]),
            "last": int(deals[-1]),
            "sha256": hashlib.sha256(deals.astype("<u8").tobytes()).hexdigest(),
        },
        "seed": seed,
        "labels": labels,
        "chunks": [QUICK_CHUNK, SLOW_CHUNK],
        "environments_sha256": hash_files(sources),
        "versions": versions(),
    }
    plain: dict[str, Any] = json.loads(json.dumps(content))
    return plain


def open_folder(folder: Path, protocol: Mapping[str, Any], contestants: Mapping[str, Sequence[Contestant]]) -> None:
    """Makes a folder of results, or checks that further results may go into one.

    Raises:
        ValueError: It holds results of another protocol, of an agent that has changed since, or no results.
    """
    path = folder / PROTOCOL
    if path.exists():
        check_same(str(folder), read_json(path), protocol)
    elif folder.exists() and any(folder.iterdir()):
        raise ValueError(f"expected a new folder or one of results, got {folder}, which holds other files")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, (json.dumps(protocol, indent=2) + "\n").encode())
    _check_agents(folder, contestants)


def check_same(where: str, expected: Any, got: Any, name: str = "") -> None:
    """Compares two protocols.

    Raises:
        ValueError: They differ; the first difference is named.
    """
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in [*expected, *(key for key in got if key not in expected)]:
            check_same(where, expected.get(key), got.get(key), f"{name}.{key}" if name else key)
    elif expected != got:
        raise ValueError(f"expected {name} {expected!r}, as in {where}, got {got!r}: choose another folder")


def _check_agents(folder: Path, contestants: Mapping[str, Sequence[Contestant]]) -> None:
    for env, chosen in contestants.items():
        before = {one.name: one for one in read_contestants(folder, env)}
        for one in chosen:
            check_unchanged(before.get(one.name, one), one.sha256)


def read_contestants(folder: Path, env: str) -> list[Contestant]:
    """Returns those who have been compared in a folder before."""
    if not (folder / RESULT).exists():
        return []
    rows = [row for row in read_json(folder / RESULT)["agents"] if row["env"] == env]
    return [Contestant(**{spec.name: row[spec.name] for spec in fields(Contestant)}) for row in rows]


def read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON file of results.

    Raises:
        ValueError: It is missing or damaged.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"expected results of `solitaire-rl compare --out` at {path}, got: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{path}: expected format {FORMAT!r}, got {str(content)[:60]!r}")
    return content


# --- Parts and tables -------------------------------------------------------------------------------------------------


def read_part(folder: Path | None, task: Task) -> tuple[NDArray[np.void], float] | None:
    """Returns outcomes and seconds of a chunk that has been played; None if it has not, or the file is damaged."""
    if folder is None:
        return None
    try:
        with (folder / task.part).open("rb") as file:
            outcomes = np.load(file, allow_pickle=False)
            seconds = float(np.load(file, allow_pickle=False))
    except (OSError, ValueError, EOFError):
        return None
    return (outcomes, seconds) if len(outcomes) == len(task.deals) else None


def write_part(folder: Path | None, task: Task, outcomes: NDArray[np.void], seconds: float) -> None:
    """Writes the outcomes of a chunk."""
    if folder is None:
        return
    path, content = folder / task.part, io.BytesIO()
    np.save(content, outcomes, allow_pickle=False)
    np.save(content, np.float64(seconds), allow_pickle=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content.getvalue())


def write_table(path: Path, table: pd.DataFrame, about: Mapping[str, Any]) -> None:
    """Writes a table as Parquet, with the protocol in its metadata."""
    content = io.BytesIO()
    rows = pyarrow.Table.from_pandas(table, preserve_index=False)
    about_rows = {**(rows.schema.metadata or {}), b"solitaire-rl": json.dumps(about).encode()}
    pyarrow.parquet.write_table(rows.replace_schema_metadata(about_rows), content)
    write_whole(path, content.getvalue())


def write_result(
    folder: Path,
    protocol: Mapping[str, Any],
    agents: pd.DataFrame,
    baseline: str | None,
    tables: Mapping[str, pd.DataFrame],
) -> None:
    """Writes the tables (file name -> table) and the summary of all."""
    for name, table in tables.items():
        write_table(folder / name, table, protocol)
    content = {
        **protocol,
        "git_revision": git_revision(),
        "hardware": about_machine(),
        "agents": to_records(agents),
        "baseline": baseline,
        "figures": to_records(tables[FIGURES]),
        "differences": to_records(tables[DIFFERENCES]),
    }
    write_whole(folder / RESULT, (json.dumps(content, indent=1) + "\n").encode())


def to_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Returns the rows as plain values; what is missing is None."""
    records: list[dict[str, Any]] = json.loads(table.to_json(orient="records", double_precision=10))
    return records
