"""The Patience Benchmark: its games and tracks, the statement of a submission, and the rows of the scoreboard."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

from solitaire_agents.files import write_whole
from solitaire_envs.checks import check_shape, short
from solitaire_evaluation.env_spec import EnvSpec, make_env_spec

STATEMENT, STATEMENT_FORMAT = "benchmark.json", "patience benchmark 1"
NOTHING, TEXT, HERE = "nothing", "text", "this repository"
LONGEST_STATED = 1_000
"""Characters of a text in a statement, at most."""


# --- The benchmark ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class BenchmarkGame:
    """A game of the benchmark."""

    name: str
    env: str
    options: Mapping[str, Any]
    """The options that differ from the environment's own."""
    metric: str
    """The metric that ranks the agents."""

    @property
    def env_spec(self) -> EnvSpec:
        """The environment with its options."""
        return make_env_spec(self.env, self.options)


@dataclass(frozen=True, kw_only=True)
class Track:
    """The limits for agents that are compared with each other."""

    name: str
    about: str
    searches: bool = False
    """Whether agents may search."""
    seconds: float | None = None
    """Mean wall time of a move on one core, at most."""
    steps: int | None = None
    """Moves of training, at most, which starts from nothing; None: any number, from any start."""
    text: bool = False
    """Whether agents read and write text only."""
    deals: int = 1_000
    """Number of deals to play: the first test deals."""


_CONTENT = json.loads(Path(__file__).with_name("patience_benchmark.json").read_text(encoding="utf-8"))
VERSION: int = _CONTENT["version"]
BENCHMARK_GAMES = {game["name"]: BenchmarkGame(**game) for game in _CONTENT["games"]}
TRACKS = {track["name"]: Track(**track) for track in _CONTENT["tracks"]}


# --- The statement ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Training:
    """What a submission states about the training."""

    seeds: list[int]
    """The training seed of each agent in the folder."""
    steps: int | None
    """Moves played in the training of each seed; None: not counted."""
    start: str
    """What training starts from: `NOTHING`, or the names of agents, games or labels."""
    hardware: str


@dataclass(frozen=True, kw_only=True)
class Statement:
    """The statement of a submission, which goes with its results."""

    format: str
    track: str
    agent: str
    """The agent or the recipe in the results."""
    authors: str
    code: str
    """Where its code is: a URL that begins with https://, or `HERE`."""
    searches: bool
    reads: str
    """`TEXT`, or a description of what the agent sees."""
    budget: int | None
    """What the answers of a game may cost together, as `TextAgent.budget`; None: no limit, or no text agent."""
    commands: list[str]
    """The commands that train the agent and then play it."""
    training: Training | None
    """None: the agent was not trained."""


def read_statement(folder: Path) -> Statement:
    """Reads the statement of a submission.

    Raises:
        ValueError: It is missing, damaged or incomplete, or a value is not allowed.
    """
    path = folder / STATEMENT
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"expected a statement at {path}, got: {error}") from None
    shape = get_type_hints(Statement)
    check_shape(path, {**shape, "training": dict | None, "commands": [str]}, _only(path, shape, content))
    training = content["training"]
    if training is not None:
        known = get_type_hints(Training)
        check_shape(path, {**known, "seeds": [int]}, _only(path, known, training, "training."), "training")
        training = Training(**training)
    statement = Statement(**{**content, "training": training})
    if statement.format != STATEMENT_FORMAT:
        raise ValueError(f"{path}: expected format {STATEMENT_FORMAT!r}, got {short(statement.format)}")
    for name, text in _stated(statement):
        if not 0 < len(text) <= LONGEST_STATED or not text.isprintable():
            raise ValueError(
                f"{path}: expected {name} of 1 to {LONGEST_STATED} printable characters, got {short(text)}"
            )
    if statement.code != HERE and (not statement.code.startswith("https://") or set(statement.code) & set(" ()<>[]")):
        raise ValueError(
            f"{path}: expected code to be an address, https://..., or {HERE!r}; got {short(statement.code)}"
        )
    if statement.track not in TRACKS:
        raise ValueError(f"{path}: expected track among {', '.join(TRACKS)}; got {short(statement.track)}")
    if statement.budget is not None and not (TRACKS[statement.track].text and statement.budget > 0):
        raise ValueError(f"{path}: expected budget null, or above 0 in a track of text; got {statement.budget}")
    if not statement.commands:
        raise ValueError(f"{path}: expected commands that make the results, got none")
    return statement


def _only(path: Path, known: Mapping[str, Any], content: Any, where: str = "") -> Any:
    """Returns the content of a file, after checking that it has no unknown keys."""
    for key in content if isinstance(content, dict) else ():
        if key not in known:
            raise ValueError(f"{path}: expected keys among {', '.join(known)}; got {short(where + key)}")
    return content


def _stated(statement: Statement) -> Iterator[tuple[str, str]]:
    """Yields the texts of a statement with their names."""
    for name in ("agent", "authors", "code", "reads"):
        yield name, getattr(statement, name)
    for place, command in enumerate(statement.commands):
        yield f"commands[{place}]", command
    if statement.training:
        yield "training.start", statement.training.start
        yield "training.hardware", statement.training.hardware


# --- The scoreboard --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the scoreboard."""

    benchmark: int
    track: str
    game: str
    agent: str
    authors: str
    code: str
    searches: bool
    reads: str
    budget: int | None
    metric: str
    is_share: bool
    value: float
    low: float
    high: float
    deals: int
    replayed: int
    """Games that were replayed, with the same outcome."""
    seconds: float
    """Mean wall time of a move."""
    training: dict[str, Any] | None
    hardware: str
    """The machine that the agent played on."""
    commands: list[str]
    environments_sha256: str
    outcomes_sha256: str

    @property
    def result(self) -> str:
        """The metric with its interval, such as ``won 54.2 % [51.1, 57.3]``."""
        scale, unit = (100, " %") if self.is_share else (1, "")
        value, low, high = (f"{scale * figure:.1f}" for figure in (self.value, self.low, self.high))
        return f"{self.metric} {value}{unit} [{low}, {high}]"

    def to_text(self) -> str:
        """Returns the row as a line of text."""
        played = f"{self.deals:,} deals, {self.replayed:,} of them played again"
        return f"track {self.track}, {self.game}, {self.agent}: {self.result} in {played}"


def read_rows(path: Path) -> list[Row]:
    """Reads a scoreboard.

    Raises:
        ValueError: It is damaged.
    """
    shape, rows = {**get_type_hints(Row), "training": dict | None, "commands": [str]}, []
    for place, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else (), start=1):
        try:
            content = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"expected a row of the scoreboard in line {place} of {path}, got: {error}") from None
        check_shape(f"{path}, line {place}", shape, content)
        rows.append(Row(**{field.name: content[field.name] for field in fields(Row)}))
    return rows


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Writes rows into a scoreboard. Each replaces the row of the same track, game, agent and authors, if any."""
    board = {(row.track, row.game, row.agent, row.authors): row for row in (*read_rows(path), *rows)}
    tracks, games = list(TRACKS), list(BENCHMARK_GAMES)
    ordered = sorted(board.values(), key=lambda row: (tracks.index(row.track), games.index(row.game), -row.value))
    write_whole(path, "".join(json.dumps(asdict(row)) + "\n" for row in ordered).encode())
