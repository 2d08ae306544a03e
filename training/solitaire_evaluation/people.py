"""People's games that count: each person plays a test deal once in an environment, without undo and analysis.

An SQLite file stores the transcript of each game so far. `human:NAME` takes part in a comparison on the deals that this
person has finished. Several processes may use the file at the same time.
"""

import re
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
from numpy.typing import NDArray

from solitaire_envs.cards import Deck, decks_of_deals
from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.checks import short, some_of
from solitaire_envs.game import Options
from solitaire_envs.transcript import Transcript, parse_transcript
from solitaire_evaluation.agent_specs import HUMAN, AgentSpec, check_name
from solitaire_evaluation.deals import TEST_DEALS
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_evaluation.provenance import hash_files

FILE = "people.sqlite3"
COUNTED_DEALS = range(TEST_DEALS, TEST_DEALS + 1_000)
"""The deals on which games can count: the first test deals, from which people's deals are drawn."""
MAX_NAME = 40
ENDED = "expected a game that counts and has not ended"
SECONDS_TO_WAIT = 10.0
"""Seconds to wait while another process writes."""

SCHEMA = """
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        player TEXT NOT NULL,
        env TEXT NOT NULL,
        transcript TEXT NOT NULL,
        started TEXT NOT NULL,
        finished TEXT
    )
"""
SCHEMA_VERSION = 2
"""Of the schema; `PRAGMA user_version` holds that of a file, 0 of a new one."""


@dataclass(frozen=True, kw_only=True)
class CountedGame:
    """One game of a person that counts."""

    id: str
    """Random, so that nobody can guess it: whoever knows it may play on."""
    player: str
    env: str
    transcript: Transcript
    """The deal and the moves so far; the outcome too, once the game is finished."""
    started: str
    finished: str | None

    @property
    def deal(self) -> int:
        """The deal number."""
        deal: Any = self.transcript.deal
        return int(deal)

    @property
    def outcome(self) -> dict[str, Any]:
        """The outcome of a finished game; empty before."""
        return dict(self.transcript.outcome or {})

    @property
    def seconds(self) -> float:
        """Seconds from the start of the game to its end, at least 1."""
        times = [datetime.fromisoformat(time) for time in (self.started, self.finished or self.started)]
        return max(1.0, (times[1] - times[0]).total_seconds())


def default_folder() -> Path:
    """Returns the user's data folder."""
    return Path(platformdirs.user_data_dir("solitaire-rl"))


def check_player(name: str) -> str:
    """Checks a person's name; returns it without blanks around it.

    Raises:
        ValueError: It is empty, too long, or has a special meaning in a terminal, a table or a list of agents.
    """
    clean = name.strip()
    check_name(clean)
    if not 1 <= len(clean) <= MAX_NAME or set(clean) & set(",/=+@*?"):
        raise ValueError(f"expected a name of 1..{MAX_NAME} characters without , / = + @ * ?; got {short(name)}")
    return clean


def check_goes_on(game: CountedGame, moves: Sequence[str]) -> None:
    """Checks that moves begin with those made so far, and add none to a game that has ended.

    Raises:
        ValueError: They do not.
    """
    made = list(game.transcript.moves)
    if list(moves[: len(made)]) != made:
        raise ValueError(f"expected the {len(made)} moves made so far: nothing is taken back in this game")
    if game.finished is not None and len(moves) > len(made):
        raise ValueError(ENDED)


class Games:
    """The games of all people in a folder.

    Args:
        folder: The folder, created if missing; None: the user's data folder.

    Raises:
        ValueError: Another version has written the file, it is not such a file, or it cannot be written.
    """

    def __init__(self, folder: Path | None = None) -> None:
        folder = folder or default_folder()
        self.path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with self._writing() as database:
                _prepare(database, self.path)
        except OSError as error:
            raise ValueError(f"--data: expected a folder that can be written, got {folder}: {error.strerror}") from None
        except sqlite3.DatabaseError as error:
            raise ValueError(f"--data: expected a file of games at {self.path}, got: {error}") from None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, timeout=SECONDS_TO_WAIT, isolation_level=None)) as database:
            database.row_factory = sqlite3.Row
            database.execute("PRAGMA journal_mode = WAL")
            yield database

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Yields a connection within a write transaction; other writers wait."""
        with self._open() as database, database:  # the second commits, or rolls back after an error
            database.execute("BEGIN IMMEDIATE")
            yield database

    def offer(self, player: str, env_spec: EnvSpec) -> CountedGame:
        """Returns a person's unfinished game, or else starts one on a random deal that is new to them.

        Raises:
            ValueError: The name is not allowed, all deals are played, or the file was altered.
        """
        player = check_player(player)
        with self._writing() as database:
            games = _games_of(database, player, env_spec.env, env_spec.options)
            unfinished = [game for game in games if game.finished is None]
            if unfinished:
                return unfinished[0]
            left = sorted(set(COUNTED_DEALS) - {game.deal for game in games})
            if not left:
                raise ValueError(f"expected a deal that is new to {player}, but all {len(COUNTED_DEALS)} are played")
            blank = Transcript(game=env_spec.game, options=env_spec.options, deal=secrets.choice(left))
            key = secrets.token_hex(16)
            columns = "INSERT INTO games (key, player, env, transcript, started) VALUES (?, ?, ?, ?, ?)"
            database.execute(columns, (key, player, env_spec.env, blank.to_text(), _now()))
            return _select(database, "key = ?", key)[0]

    def find(self, key: str) -> CountedGame:
        """Returns a game by its id.

        Raises:
            ValueError: There is no such game, or the file was altered.
        """
        with self._open() as database:
            found = _select(database, "key = ?", key)
        if not found:
            raise ValueError(f"expected the id of a game that counts, got {short(key)}")
        return found[0]

    def go_on(self, key: str, played: Transcript) -> None:
        """Adds moves to a game. Moves are never taken back.

        Args:
            key: Id of the game.
            played: The game with all moves, which begin with those so far, and with its outcome if it has ended. The
                caller has checked that they are legal.

        Raises:
            ValueError: The game has ended, or other moves were made in it.
        """
        with self._writing() as database:
            game = next(iter(_select(database, "key = ?", key)), None)
            if game is None or game.finished is not None:
                raise ValueError(ENDED)
            check_goes_on(game, played.moves)
            finished = None if played.outcome is None else _now()
            changes = "UPDATE games SET transcript = ?, finished = ? WHERE key = ?"
            database.execute(changes, (played.to_text(), finished, key))

    def finished(self, player: str, env: str | None = None, options: Options | None = None) -> list[CountedGame]:
        """Returns a person's finished games, the oldest first; only those of an environment and options, if given.

        Raises:
            ValueError: The file was altered: a game is damaged, or it cannot count.
        """
        with self._open() as database:
            return [game for game in _games_of(database, player, env, options) if game.finished is not None]

    def is_being_played(self, deck: Deck) -> bool:
        """Returns whether any person has an unfinished game with these cards, in any environment."""
        with self._open() as database:
            texts = database.execute("SELECT transcript FROM games WHERE finished IS NULL").fetchall()
        # Not parsed: the game may be one that only another server knows.
        dealt = {int(deal) for (text,) in texts for deal in re.findall(r"^deal: (\d+)$", text, re.MULTILINE)}
        deals = np.array([deal for deal in dealt if deal in COUNTED_DEALS], np.uint64)
        return bool((decks_of_deals(deals, len(deck)) == deck).all(axis=1).any())


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version not in (0, SCHEMA_VERSION):
        raise ValueError(
            f"{path}: expected version {SCHEMA_VERSION}, got {version}: another version of the program wrote it; "
            "--data names another folder"
        )
    if not version:
        database.execute(SCHEMA)
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _games_of(database: sqlite3.Connection, player: str, env: str | None, options: Options | None) -> list[CountedGame]:
    games = _select(database, "player = ? AND env = coalesce(?, env)", player, env)
    return [game for game in games if options in (None, game.transcript.options)]


def _select(database: sqlite3.Connection, condition: str, *values: str | None) -> list[CountedGame]:
    columns = "key AS id, player, env, transcript, started, finished"
    rows = database.execute(f"SELECT {columns} FROM games WHERE {condition} ORDER BY games.id", values)
    return [CountedGame(**{**dict(row), "transcript": _read(row)}) for row in rows]


def _read(row: sqlite3.Row) -> Transcript:
    env = row["env"]
    try:
        if env not in CATALOGUE:
            raise ValueError(f"expected env among {some_of(CATALOGUE)}; got {short(env)}")
        transcript = parse_transcript(row["transcript"])
        if transcript.game is not CATALOGUE[env].game or transcript.deal not in COUNTED_DEALS:
            raise ValueError(f"expected a game of {env} on a deal that counts, got another transcript")
        if row["finished"] is not None and transcript.outcome is None:
            raise ValueError("expected a finished game to have an outcome, got none")
    except ValueError as error:
        raise ValueError(f"the game that {short(row['player'])} began on {row['started']}: {error}") from None
    return transcript


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


# --- People among agents ----------------------------------------------------------------------------------------------


def is_human(text: str) -> bool:
    """Returns whether an agent named on the command line is a person."""
    return text.startswith(HUMAN)


def human_specs(
    texts: Sequence[str], env_spec: EnvSpec, deals: NDArray[np.uint64], folder: Path | None
) -> dict[str, AgentSpec]:
    """Returns the people among the agents who have finished some of the deals in an environment, by text."""
    found = {}
    for text in filter(is_human, texts):
        games = games_of(text, env_spec, deals, folder)
        if games:
            sha256 = hash_files((), "".join(game.transcript.to_text() for game in games.values()))
            plain = {"fair": True, "stochastic": False, "quick": False, "training_seed": None}
            found[text] = AgentSpec(name=text, group=text, source=text, sha256=sha256, **plain)  # type: ignore[arg-type]
    return found


def games_of(text: str, env_spec: EnvSpec, deals: NDArray[np.uint64], folder: Path | None) -> dict[int, CountedGame]:
    """Returns a person's finished games on some deals: deal -> game, by rising deal number."""
    wanted = set(deals.tolist())
    finished = Games(folder).finished(text.removeprefix(HUMAN), env_spec.env, env_spec.options)
    games = {game.deal: game for game in finished}
    return {deal: games[deal] for deal in sorted(games.keys() & wanted)}


def deals_of_people(
    texts: Sequence[str], env_specs: Sequence[EnvSpec], deals: NDArray[np.uint64], folder: Path | None
) -> NDArray[np.uint64]:
    """Returns the deals, uint64 [n], that all people among the agents have finished; all deals if there are no people.

    For each person, only environments count in which that person has finished some of the deals.

    Raises:
        ValueError: There is no such deal, though there are people.
    """
    for text in filter(is_human, texts):
        played = [set(games_of(text, spec, deals, folder)) for spec in env_specs]
        common = set.intersection(*(one for one in played if one)) if any(played) else set()
        deals = deals[np.isin(deals, np.array(sorted(common), dtype=np.uint64))]
        if not len(deals):
            raise ValueError(f"expected finished games of {text} on these deals, got none: `solitaire-rl serve`")
    return deals


def played_by(
    text: str, env_spec: EnvSpec, deals: NDArray[np.uint64], folder: Path | None
) -> tuple[NDArray[np.void], float]:
    """Replays a person's games; returns their outcomes, in the order of the deals, and the seconds that they took.

    Raises:
        ValueError: The file was altered: a game does not replay.
    """
    games = games_of(text, env_spec, deals, folder)
    rows = np.zeros(len(deals), dtype=env_spec.game.outcome_dtype)
    for place, deal in enumerate(deals.tolist()):
        *_, engine = games[deal].transcript.replay()
        outcome = engine.outcome(0)
        for name in rows.dtype.names or ():
            rows[name][place] = outcome[name]
    return rows, sum(game.seconds for game in games.values())
