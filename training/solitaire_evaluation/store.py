"""The folder of results: the protocol that all results in it share, and the tables.

    protocol.json        what all results share: environments, options, deals, versions, sources
    chunks/              outcomes of each chunk of deals, from which an interrupted comparison resumes
    result.json          protocol, agents, hardware, git revision, metrics and differences
    outcomes.parquet     one row for each environment, agent and deal
    metrics.parquet      one row for each environment, agent, metric and stratum of the deals
    differences.parquet  one row for each environment, agent and metric

Every file is replaced atomically. A folder accepts further agents, but no results of another protocol.
"""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
from numpy.typing import NDArray

import solitaire_envs
from solitaire_agents.files import LOCK, PARTIAL, locked, write_whole
from solitaire_envs.checks import check_shape, short
from solitaire_evaluation.agent_specs import AgentSpec, check_name, check_unchanged
from solitaire_evaluation.chunks import QUICK_CHUNK, SLOW_CHUNK
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_evaluation.provenance import about_machine, git_revision, hash_files, versions
from solitaire_evaluation.source_hash import source_files

SECONDS_FOR_OTHERS = 600.0
"""Seconds to wait while another process writes results into the same folder."""
RESULT_FORMAT = "solitaire-rl result 1"
PROTOCOL, RESULT = "protocol.json", "result.json"
OUTCOMES, METRICS, DIFFERENCES = "outcomes.parquet", "metrics.parquet", "differences.parquet"
PROTOCOL_SHAPE = {
    "environments": dict,
    "deals": {"count": int, "first": int, "last": int, "sha256": str},
    "seed": int,
    "labels": dict,
    "environments_sha256": str,
    "versions": dict,
}
RESULT_SHAPE = {
    **PROTOCOL_SHAPE,
    "agents": [{**get_type_hints(AgentSpec), "env": str, "information": str, "seconds": float}],
    "git_revision": str | None,
    "hardware": dict,
    "baseline": str | None,
    "metrics": list,
    "differences": list,
    "tables_sha256": {OUTCOMES: str, METRICS: str, DIFFERENCES: str},
}


# --- What all results of a folder have in common ----------------------------------------------------------------------


def make_protocol(
    env_specs: Sequence[EnvSpec], deals: NDArray[np.uint64], seed: int, labels: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns the protocol, as plain JSON values: what has to be the same for results to be comparable.

    Args:
        env_specs: The environments.
        deals: Deal numbers, uint64 [n].
        seed: Seed of agents that draw random numbers.
        labels: Environment id -> which labels are used.
    """
    sources = set(Path(solitaire_envs.__file__).parent.glob("*.py"))
    sources.update(*(source_files(env_spec.game.options.__module__) for env_spec in env_specs))  # for registered games
    content = {
        "format": RESULT_FORMAT,
        "environments": {env_spec.env: {**asdict(env_spec.options)} for env_spec in env_specs},
        "deals": {
            "count": len(deals),
            "first": int(deals[0]),
            "last": int(deals[-1]),
            "sha256": hash_deals(deals),
        },
        "seed": seed,
        "labels": labels,
        "chunks": [QUICK_CHUNK, SLOW_CHUNK],
        "environments_sha256": hash_files(sorted(sources)),
        "versions": versions(),
    }
    plain: dict[str, Any] = json.loads(json.dumps(content))
    return plain


def hash_deals(deals: NDArray[np.uint64]) -> str:
    """Returns the SHA-256 of a list of deals, uint64 [n]. It depends on their order."""
    return hashlib.sha256(deals.astype("<u8").tobytes()).hexdigest()


def open_folder(folder: Path, protocol: Mapping[str, Any], agents: Mapping[str, Sequence[AgentSpec]]) -> None:
    """Creates a folder of results, or checks that further results may go into an existing one.

    Args:
        folder: The folder.
        protocol: What `make_protocol` returns.
        agents: Environment id -> agents whose results will be added.

    Raises:
        ValueError: The folder holds results of another protocol, of an older version, or of an agent that has changed
            since; or it holds other files, but no results.
    """
    path = folder / PROTOCOL
    if not path.exists() and folder.exists() and any(not _is_ours(file) for file in folder.iterdir()):
        raise ValueError(f"expected a new folder or one of results, got {folder}, which holds other files")
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder, wait=SECONDS_FOR_OTHERS):
            if not path.exists():  # another process may have been quicker
                write_whole(path, (json.dumps(protocol, indent=2) + "\n").encode())
    check_protocol(str(folder), _read_json(path, PROTOCOL_SHAPE), protocol)
    for env, chosen in agents.items():
        stored = {spec.name: spec for spec in read_agent_specs(folder, env)}
        for spec in chosen:
            check_unchanged(stored.get(spec.name, spec), spec.sha256)


def _is_ours(file: Path) -> bool:
    """Returns whether a file is a lock, or was left by a killed writer."""
    return file.name == LOCK or file.name.endswith(PARTIAL)


def check_protocol(
    where: str, expected: Any, got: Any, name: str = "", *, advice: str = ": choose another folder"
) -> None:
    """Compares two protocols.

    Args:
        where: What the expected protocol belongs to, for the message.
        expected: The expected protocol, or a part of it.
        got: The other protocol, or the same part of it.
        name: The name of the part.
        advice: The end of the message.

    Raises:
        ValueError: They differ; the message names the first difference.
    """
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in [*expected, *(key for key in got if key not in expected)]:
            check_protocol(where, expected.get(key), got.get(key), f"{name}.{key}" if name else key, advice=advice)
    elif expected != got:
        raise ValueError(f"expected {name} {short(expected)}, as in {where}, got {short(got)}{advice}")


# --- Files ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Results:
    """The results of a comparison, as tidy tables."""

    result: Mapping[str, Any]
    """The content of ``result.json``; only the protocol if that is not written yet."""
    agents: pd.DataFrame
    """A row for each environment and agent: the fields of `AgentSpec`, the information shown, the seconds of play."""
    outcomes: pd.DataFrame
    """A row for each environment, agent and deal."""
    metrics: pd.DataFrame
    """A row for each environment, agent, stratum of the deals and metric."""
    differences: pd.DataFrame
    """A row for each environment, agent and metric: its difference from the baseline."""

    def of(self, env: str) -> "Results":
        """Returns the results in one environment."""
        tables = {name: getattr(self, name) for name in ("agents", "outcomes", "metrics", "differences")}
        return Results(result=self.result, **{name: table[table["env"] == env] for name, table in tables.items()})


def load_results(folder: Path | str) -> Results:
    """Reads a folder that `compare` has written.

    Raises:
        ValueError: The folder holds no results, or damaged ones.
    """
    place = Path(folder)
    result = read_result(place)
    return Results(
        result=result,
        agents=pd.DataFrame(result["agents"]),
        outcomes=read_table(place, OUTCOMES, result),
        metrics=read_table(place, METRICS, result),
        differences=read_table(place, DIFFERENCES, result),
    )


def read_agent_specs(folder: Path, env: str) -> list[AgentSpec]:
    """Returns the agents in a folder's results for an environment; none if there are no results yet."""
    if not (folder / RESULT).exists():
        return []
    rows = [row for row in read_result(folder)["agents"] if row["env"] == env]
    return [AgentSpec(**{field.name: row[field.name] for field in fields(AgentSpec)}) for row in rows]


def read_result(folder: Path) -> dict[str, Any]:
    """Reads the summary of all results in a folder.

    Raises:
        ValueError: It is missing or damaged, has a name that is not allowed, or is of an older version.
    """
    content = _read_json(folder / RESULT, RESULT_SHAPE)
    for agent in content["agents"]:
        check_name(agent["name"])
        check_name(agent["group"])
    return content


def _read_json(path: Path, shape: Mapping[str, Any]) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"expected results of `solitaire-rl compare --out` at {path}, got: {error}") from None
    got = content.get("format") if isinstance(content, dict) else content
    if got == RESULT_FORMAT:
        check_shape(path, shape, content)
        return dict(content)
    raise ValueError(f"{path}: expected format {RESULT_FORMAT!r}, got {short(content)}")


def write_result(folder: Path, found: Results, baseline: str | None) -> None:
    """Writes the tables, and `RESULT`, the summary of all results. ``found.result`` holds the protocol."""
    protocol = found.result
    tables = {OUTCOMES: found.outcomes, METRICS: found.metrics, DIFFERENCES: found.differences}
    content = {
        **protocol,
        "git_revision": git_revision(),
        "hardware": about_machine(),
        "agents": to_records(found.agents),
        "baseline": baseline,
        "metrics": to_records(found.metrics),
        "differences": to_records(found.differences),
        "tables_sha256": {name: write_table(folder / name, table, protocol) for name, table in tables.items()},
    }
    write_whole(folder / RESULT, (json.dumps(content, indent=1) + "\n").encode())


def write_table(path: Path, table: pd.DataFrame, protocol: Mapping[str, Any]) -> str:
    """Writes a table as Parquet, with the protocol in its metadata; returns the file's SHA-256."""
    content = io.BytesIO()
    rows = pyarrow.Table.from_pandas(table, preserve_index=False)
    metadata = {**(rows.schema.metadata or {}), b"solitaire-rl": json.dumps(protocol).encode()}
    pyarrow.parquet.write_table(rows.replace_schema_metadata(metadata), content)
    write_whole(path, content.getvalue())
    return hashlib.sha256(content.getvalue()).hexdigest()


def read_table(folder: Path, name: str, result: Mapping[str, Any]) -> pd.DataFrame:
    """Reads a table of a folder of results.

    Args:
        folder: The folder.
        name: File of the table.
        result: What `read_result` returns.

    Raises:
        ValueError: It is missing, damaged or altered.
    """
    try:
        content = (folder / name).read_bytes()
        if hashlib.sha256(content).hexdigest() != result["tables_sha256"][name]:
            raise ValueError(f"another SHA-256 than in {RESULT}: it was altered, or a comparison is writing it")
        return pyarrow.parquet.read_table(io.BytesIO(content)).to_pandas()
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise ValueError(f"expected a table of results at {folder / name}, got: {error!s:.300}") from None


def to_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Returns the rows as plain values; missing values are None."""
    records: list[dict[str, Any]] = json.loads(table.to_json(orient="records", double_precision=10))
    return records
