"""Games of people in one file that several processes use."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from solitaire_envs.cards import deck_of_deal
from solitaire_envs.deals import list_deals
from solitaire_envs.transcript import Transcript
from solitaire_evaluation.agent_specs import find_agent_specs
from solitaire_evaluation.compare import compare
from solitaire_evaluation.env_spec import EnvSpec, make_env_spec
from solitaire_evaluation.people import (
    COUNTED_DEALS,
    SCHEMA_VERSION,
    CountedGame,
    Games,
    deals_of_people,
    human_specs,
    played_by,
)
from solitaire_evaluation.record import record_human_game

SPEC = make_env_spec("solitaire/Pyramid-v0", {"max_moves": 3})
DRAWS = ("draw", "draw", "draw")


def finish(games: Games, player: str, spec: EnvSpec = SPEC, moves: Sequence[str] = DRAWS) -> CountedGame:
    game = games.offer(player, spec)
    blank = Transcript(game=spec.game, options=spec.options, deal=game.deal, moves=moves)
    *_, engine = blank.replay()
    told = Transcript(**{**vars(blank), "outcome": engine.outcome(0)})
    games.go_on(game.id, told)
    return games.find(game.id)


def test_each_deal_is_offered_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solitaire_evaluation.people.COUNTED_DEALS", range(5))
    games = Games(tmp_path)
    assert sorted(finish(games, "ada").deal for _ in range(5)) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="all 5 are played"):
        games.offer("ada", SPEC)
    assert games.offer("bob", SPEC).deal < 5
    assert games.offer("ada", make_env_spec(SPEC.env, {})).deal < 5  # other rules, other games


def test_a_person_takes_part_in_the_deals_that_were_played(tmp_path: Path) -> None:
    games = Games(tmp_path)
    played = sorted(finish(games, "ada").deal for _ in range(3))
    deals = deals_of_people(["human:ada", "careful"], [SPEC], list_deals(COUNTED_DEALS), tmp_path)
    assert deals.tolist() == played
    people = human_specs(["human:ada", "careful"], SPEC, deals, tmp_path)
    specs = find_agent_specs(["human:ada", "careful"], SPEC.game, SPEC.options, people=people)
    assert [spec.name for spec in specs] == ["human:ada", "careful"]
    assert played_by("human:ada", SPEC, deals, tmp_path)[0]["moves"].tolist() == [3, 3, 3]
    with pytest.raises(ValueError, match="expected finished games of human:bob"):
        deals_of_people(["human:ada", "human:bob"], [SPEC], list_deals(COUNTED_DEALS), tmp_path)


def test_the_deals_that_a_comparison_counts_are_those_that_are_played(tmp_path: Path) -> None:
    """Those of a person have been."""
    finish(Games(tmp_path), "ada")
    begun, done = list[int](), list[int]()
    agents = ["human:ada", "careful"]
    compare([SPEC], agents, list_deals(COUNTED_DEALS), people=tmp_path, begin=begun.append, progress=done.append)
    assert (begun, done) == ([1], [1])


def test_a_game_is_recorded_step_by_step(tmp_path: Path) -> None:
    recorded = record_human_game(SPEC, finish(Games(tmp_path), "ada"))
    assert recorded.actions == [0, 0, 0]
    assert recorded.truncations == [False, False, True]


def test_an_altered_file_is_noticed(tmp_path: Path) -> None:
    game = finish(Games(tmp_path), "ada")
    with sqlite3.connect(Games(tmp_path).path) as database:
        database.execute("UPDATE games SET transcript = replace(transcript, '\"score\": -52', '\"score\": 50')")
    tries: list[Callable[[], Any]] = [
        lambda: played_by("human:ada", SPEC, list_deals([game.deal]), tmp_path),
        lambda: record_human_game(SPEC, Games(tmp_path).find(game.id)),
    ]
    for attempt in tries:
        with pytest.raises(ValueError, match="expected the outcome"):
            attempt()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("env = 'os:path'", "expected env among "),
        ("env = 'solitaire/PyramidPar-v0'", "expected a game of solitaire/PyramidPar-v0 on a deal that counts"),
        ("transcript = replace(transcript, 'deal: ', 'deal: 9000')", "expected a game of .* on a deal that counts"),
        ("transcript = replace(transcript, '\"passes\": 3', '\"passes\": 0')", "expected passes to be "),
        ("transcript = 'damaged'", "expected a transcript"),
        ("finished = started", "expected a finished game to have an outcome"),
    ],
)
def test_a_row_that_cannot_be_is_refused(tmp_path: Path, change: str, message: str) -> None:
    games = Games(tmp_path)
    game = games.offer("ada", SPEC)
    with sqlite3.connect(games.path) as database:
        database.execute(f"UPDATE games SET {change}")
    with pytest.raises(ValueError, match=f"^the game that 'ada' began on .*: {message}"):
        games.find(game.id)
    assert games.is_being_played(deck_of_deal(game.deal)) == ("env" in change or "passes" in change)


def test_a_file_of_another_program_or_version_is_refused(tmp_path: Path) -> None:
    path = Games(tmp_path).path
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(ValueError, match="expected version 2, got 3"):
        Games(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / path.name).write_bytes(b"no database" * 1_000)
    with pytest.raises(ValueError, match="expected a file of games"):
        Games(tmp_path / "other")


WRITER = """
import sys
from pathlib import Path
from typing import Any
sys.path.insert(0, sys.argv[3])
from tests.training.evaluation.test_people import Games, finish
for _ in range(10):
    finish(Games(Path(sys.argv[1])), sys.argv[2])
"""


def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    root = str(Path(__file__).parents[3])
    with ThreadPoolExecutor() as pool:
        commands = [[sys.executable, "-c", WRITER, str(tmp_path), name, root] for name in ("ada", "bob")]
        for done in pool.map(lambda command: subprocess.run(command, check=False, capture_output=True), commands):
            assert done.returncode == 0, done.stderr.decode()
    assert {len(Games(tmp_path).finished(name)) for name in ("ada", "bob")} == {10}
