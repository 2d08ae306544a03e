"""How to repeat a comparison: the command, versions, hashes, hardware, agents."""

import json
import shlex
from collections.abc import Mapping
from typing import Any

import numpy as np

from solitaire_evaluation.env_spec import options_not_preset
from solitaire_evaluation.report.tables import title_of
from solitaire_evaluation.report.text import Grid
from solitaire_evaluation.store import hash_deals

ResultJson = Mapping[str, Any]
"""The content of ``result.json``."""


def summary_of(result: ResultJson) -> str:
    """Returns what was compared, in one sentence."""
    agents = {row["name"] for row in result["agents"]}
    envs, deals = result["environments"], result["deals"]
    return (
        f"{len(agents)} agents in {len(envs)} environment{'s' * (len(envs) > 1)}, all on the same "
        f"{deals['count']:,} deals (numbers {deals['first']:,} to {deals['last']:,}), with 95 % intervals."
    )


def command_of(result: ResultJson) -> str:
    """Returns the command that repeats the comparison."""
    envs, deals = result["environments"], result["deals"]
    changed = {name: value for env in envs for name, value in options_not_preset(env, envs[env]).items()}
    options = "".join(f" --option {shlex.quote(f'{name}={value}')}" for name, value in changed.items())
    baseline = f" --baseline {shlex.quote(result['baseline'])}" if result.get("baseline") else ""
    is_count = deals["sha256"] == hash_deals(np.arange(deals["count"], dtype=np.uint64))
    lines = [
        f"solitaire-rl compare --env {shlex.quote(','.join(envs))}{options}",
        f"--agents {shlex.quote(_agents_argument(result))}",
        f"--deals {deals['count'] if is_count else 'FILE'} --seed {result['seed']}{baseline} --out DIR",
    ]
    return " \\\n    ".join(lines)


def _agents_argument(result: ResultJson) -> str:
    groups: dict[str, list[str]] = {}
    for row in result["agents"]:
        sources = groups.setdefault(row["group"], [])
        sources += [row["source"]] if row["source"] not in sources else []
    texts = (group if sources == [group] else f"{group}={'+'.join(sources)}" for group, sources in groups.items())
    return ",".join(text.replace(",", "\\,") for text in texts)


def provenance_grid(result: ResultJson) -> Grid:
    """Returns versions, hashes, options and hardware as a table."""
    rows = [
        ["git revision", str(result["git_revision"])],
        ["deals, SHA-256", result["deals"]["sha256"]],
        ["environments, SHA-256", result["environments_sha256"]],
        ["options", json.dumps(result["environments"])],
        ["labels", json.dumps(result["labels"])],
        ["versions", ", ".join(f"{name} {version}" for name, version in result["versions"].items())],
        ["hardware", ", ".join(f"{name} {value}" for name, value in result["hardware"].items())],
    ]
    return Grid(["what", "value"], rows)


def agent_grid(result: ResultJson) -> Grid:
    """Returns the agents with their hashes as a table."""
    rows = []
    for row in result["agents"]:
        name = title_of({"agent": row["name"], "fair": row["fair"]})
        seed = "" if row["training_seed"] is None else f", training seed {row['training_seed']}"
        about = f"{row['source']}{seed}; information: {row['information']}; SHA-256 {row['sha256']}"
        rows.append([name, row["env"], about])
    return Grid(["agent", "environment", "what it is"], rows)
