"""Submissions to the Patience Benchmark: what is wrong is refused in one line, what is right becomes a row."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solitaire_agents.trained import CARD, SHIPPED
from solitaire_evaluation import store, submission
from solitaire_evaluation.agent_specs import find_agent_specs
from solitaire_evaluation.benchmark import (
    HERE,
    NOTHING,
    STATEMENT,
    STATEMENT_FORMAT,
    TRACKS,
    read_rows,
    write_rows,
)
from solitaire_evaluation.chunks import CHUNKS, Chunk, PlayedChunk, make_chunks, read_chunk, write_chunk
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.labels import label_deals
from solitaire_evaluation.parallel import play_chunk
from solitaire_evaluation.pool import ALONE
from solitaire_evaluation.replay import Replay, play_again
from solitaire_evaluation.submission import check_submission
from solitaire_training.commands.main import main
from tests.environments import few
from tests.training.comparing import DEALS, PYRAMID, TOUR, compared

COUNT = 60
"""Deals in the tests, in place of the 1,000 of the benchmark."""
WIN = make_env_spec(PYRAMID, {"objective": "win"})
TRAINING = {"seeds": [0], "steps": None, "start": NOTHING, "hardware": "one core"}
BEST = "best@no-bounds"


@pytest.fixture(autouse=True)
def fewer_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, track in TRACKS.items():
        monkeypatch.setitem(TRACKS, name, replace(track, deals=COUNT))


def submitted(folder: Path, agents: str = "careful", stated: Mapping[str, Any] = {}, **changes: Any) -> Path:
    """Writes a submission in track a, but for what is changed; a value of ... leaves a key out."""
    compared(folder, agents, **{"env_specs": [WIN], "deals": DEALS[:COUNT], **changes})
    statement = {
        "format": STATEMENT_FORMAT,
        "track": "a",
        "agent": agents,
        "authors": "Ada",
        "code": HERE,
        "searches": False,
        "reads": "observation",
        "budget": None,
        "commands": [f"solitaire-rl compare --agents {agents}"],
        "training": None,
        **stated,
    }
    content = {name: value for name, value in statement.items() if value is not ...}
    (folder / STATEMENT).write_text(json.dumps(content))
    return folder


# --- What is refused --------------------------------------------------------------------------------------------------


def edited(**changes: Any) -> Callable[[Path], None]:
    """Changes the summary."""

    def edit(folder: Path) -> None:
        path = folder / store.RESULT
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return edit


def of_the_agent(**changes: Any) -> Callable[[Path], None]:
    """Changes what the summary says of the agent; its chunks move with its hash."""

    def edit(folder: Path) -> None:
        agent = store.read_result(folder)["agents"][0]
        edited(agents=[{**agent, **changes}])(folder)
        if "sha256" in changes:
            (place,) = (folder / CHUNKS).glob("*/*")
            place.rename(place.with_name(f"{agent['name']}-{changes['sha256'][:12]}"))

    return edit


LABELS = label_deals(WIN, DEALS[:COUNT])
WON = {"won": True, "score": 50, "cleared": True, "cleared_in_pass": 1, "passes": 1}
"""The outcome of a game that was won in the first pass."""


def first_deal(condition: Any) -> int:
    return int(np.flatnonzero(condition)[0])


def played_otherwise(deal: Any = slice(None), seconds: float = 1.0, **outcomes: Any) -> Callable[[Path], None]:
    """Changes the chunks."""

    def edit(folder: Path) -> None:
        (spec,) = store.read_agent_specs(folder, PYRAMID)
        for chunk in make_chunks(WIN, spec, DEALS[:COUNT], 0):
            played = read_chunk(folder, chunk)
            assert played is not None
            for name, value in outcomes.items():
                played.outcomes[name][deal] = value
            write_chunk(folder, replace(played, seconds=seconds))

    return edit


def with_the_chunk_of(agent: str, seed: int = 0) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        other = folder.with_name("other")
        compared(other, agent, env_specs=[WIN], deals=DEALS[:COUNT], seed=seed)
        shutil.copy(*(next((place / CHUNKS).rglob("*.npy")) for place in (other, folder)))

    return edit


def written(name: str, content: bytes | None = b"") -> Callable[[Path], None]:
    """Writes a file; None: removes it."""

    def edit(folder: Path) -> None:
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(content)

    return edit


def without_a_chunk(folder: Path) -> None:
    next((folder / CHUNKS).rglob("*.npy")).unlink()


def with_a_pickle_in_a_chunk(folder: Path) -> None:
    (spec,) = store.read_agent_specs(folder, PYRAMID)
    chunk = make_chunks(WIN, spec, DEALS[:COUNT], 0)[0]
    np.save(folder / chunk.path, np.array([{}], dtype=object), allow_pickle=True)
    content = (folder / chunk.path).read_bytes()
    (folder / chunk.path).write_bytes(chunk.checksum(content) + content)


def with_a_link(folder: Path) -> None:
    (folder / "plots").symlink_to("/")


@dataclass(frozen=True, kw_only=True)
class Flaw:
    """A submission with one thing wrong, and what is said of it."""

    message: str
    agents: str = "careful"
    stated: Mapping[str, Any] = field(default_factory=dict)
    compare: Mapping[str, Any] = field(default_factory=dict)
    edit: Callable[[Path], None] = lambda folder: None


def of_best(message: str, agents: str = BEST, **changes: Any) -> Flaw:
    """Returns a flaw in a submission of a trained agent: what is changed is said of training, or ``stated``."""
    stated = changes.pop("stated", {})
    return Flaw(message=message, agents=agents, stated={"training": {**TRAINING, **changes}, **stated})


FLAWS = {
    "no statement": Flaw(message="expected a statement at .*No such file", edit=written(STATEMENT, None)),
    "a torn statement": Flaw(message="expected a statement at ", edit=written(STATEMENT, b'{"track"')),
    "no authors": Flaw(message="expected authors to be str, got None", stated={"authors": ...}),
    "an unknown key": Flaw(message="expected keys among .*; got 'autors'", stated={"autors": "Ada"}),
    "another version": Flaw(message="expected format 'patience benchmark 1', got", stated={"format": "benchmark 2"}),
    "an unknown track": Flaw(message="expected track among a, b-0.01, .*; got 'z'", stated={"track": "z"}),
    "a strange name": Flaw(message="expected authors of 1 to 1000 printable", stated={"authors": "\x1b[2J"}),
    "no address": Flaw(message="expected code to be an address", stated={"code": "javascript:alert(1)"}),
    "no commands": Flaw(message="expected commands that make the results, got none", stated={"commands": []}),
    "no results": Flaw(message="expected results of `solitaire-rl compare", edit=written(store.RESULT, None)),
    "a pickle": Flaw(message="got 'model.pkl'", edit=written("model.pkl")),
    "a link": Flaw(message="got 'plots'", edit=with_a_link),
    "another game": Flaw(
        message="expected environments among .*; got 'solitaire/TourInfernale-v0'",
        agents="greedy",
        compare={"env_specs": [make_env_spec("solitaire/TourInfernale-v0", {})]},
    ),
    "another option": Flaw(
        message="expected environments.solitaire/Pyramid-v0.passes 3, as in track a .*, got 2$",
        compare={"env_specs": [make_env_spec(PYRAMID, {"passes": 2})]},
    ),
    "fewer deals": Flaw(message="expected deals.count 60, .*, got 59", compare={"deals": DEALS[: COUNT - 1]}),
    "other deals": Flaw(message="expected deals.first 0, .*, got 1", compare={"deals": DEALS[1 : COUNT + 1]}),
    "other rules": Flaw(message="expected environments_sha256 ", edit=edited(environments_sha256="0" * 64)),
    "an oracle": Flaw(message="expected a fair agent, got 'oracle'", agents="oracle"),
    "two agents": Flaw(
        message="expected 'careful', as agent says, in the results; got 'uniform'",
        agents="careful,uniform",
        stated={"agent": "careful"},
    ),
    "a chunk too few": Flaw(message="expected a chunk that `compare` wrote at ", edit=without_a_chunk),
    "a pickle in a chunk": Flaw(message="expected a chunk that `compare` wrote at ", edit=with_a_pickle_in_a_chunk),
    "a chunk of another agent": Flaw(message="got none, a damaged one or ano", edit=with_the_chunk_of("uniform")),
    "a chunk of another seed": Flaw(
        message="got none, a damaged one or another's", agents="uniform", edit=with_the_chunk_of("uniform", 1)
    ),
    "no time": Flaw(message="expected seconds above 0 in .*, got 0", edit=played_otherwise(seconds=0.0)),
    "no number of seconds": Flaw(
        message="expected seconds above 0 in .*, got nan", edit=played_otherwise(seconds=np.nan)
    ),
    "an oracle that says it is fair": Flaw(
        message="expected fair False of oracle, as the agent itself says; got True",
        agents="oracle",
        edit=of_the_agent(fair=True),
        stated={"track": "b-1", "searches": True},
    ),
    "said to be slow": Flaw(
        message="expected quick True of careful, as the agent itself says; got False", edit=of_the_agent(quick=False)
    ),
    "a score that no game has": Flaw(
        message="expected an outcome of a whole game on deal 0, got .*51", edit=played_otherwise(score=51)
    ),
    "a game without a move": Flaw(
        message="expected an outcome of a whole game on deal 0, got ", edit=played_otherwise(moves=0)
    ),
    "a win of a deal that cannot be won": Flaw(
        message=f"expected no win, as the deal cannot be won, on deal {first_deal(LABELS['winnable'] == 0)}, got ",
        edit=played_otherwise(first_deal(LABELS["winnable"] == 0), moves=77, **WON),
    ),
    "more points than there are": Flaw(
        message=r"expected no more points than the deal has on deal \d+, got .*-1",
        edit=played_otherwise(
            first_deal(LABELS["best_score"] < -1), moves=77, won=False, score=-1, cleared=False, cleared_in_pass=0
        ),
    ),
    "made-up games": Flaw(
        message=f"of 'careful' on deal {first_deal(LABELS['best_score'] == 50)}, got .*50, True, True",
        edit=played_otherwise(first_deal(LABELS["best_score"] == 50), moves=77, **WON),
    ),
    "a changed agent": Flaw(message="expected careful with sha256 .* has changed", edit=of_the_agent(sha256="0" * 64)),
    "search where none may be": Flaw(
        message="expected an agent that does not search in track a, got searches true", stated={"searches": True}
    ),
    "a planner that says it does not search": Flaw(
        message="expected searches true, as 'planner' searches", agents="planner", stated={"track": "b-1"}
    ),
    "bounds": of_best(r"expected searches true, as 'best' searches \(bounds do", agents="best"),
    "slow search": Flaw(
        message="expected at most 0.01 seconds a move in track b-0.01, got ",
        stated={"track": "b-0.01"},
        edit=played_otherwise(seconds=1e6),
    ),
    "no training": Flaw(message="expected training.steps in track c-1M, got none", stated={"track": "c-1M"}),
    "uncounted steps": of_best("expected training.steps in track c-1M, got none", stated={"track": "c-1M"}),
    "too many steps": of_best(
        "expected training.steps of 1 to 1,000,000 in track c-1M, got 1,000,001",
        steps=1_000_001,
        stated={"track": "c-1M"},
    ),
    "not from nothing": of_best(
        "expected training.start 'nothing' in track c-1M, got 'labels'",
        steps=1_000_000,
        start="labels",
        stated={"track": "c-1M"},
    ),
    "its moves were not counted": of_best("expected the number of moves in .*agent.json", steps=1_000_000),
    "learned, it does not say how": Flaw(message="expected training, since 'best@no-bounds' was trained", agents=BEST),
    "too few seeds": of_best("expected one training seed, or 5 or more for a recipe, got 2", seeds=[0, 1]),
    "another seed": of_best(r"expected training.seeds \[0\], as in the results, got \[3\]", seeds=[3]),
    "seeds of nobody": Flaw(
        message="expected training.seeds .*, as in the results, got", stated={"training": {**TRAINING, "seeds": []}}
    ),
    "not from text": Flaw(message="expected reads 'text' in track d, got 'observation'", stated={"track": "d"}),
    "only said to be from text": Flaw(
        message="expected a TextAgent in track d, got 'careful'", stated={"track": "d", "reads": "text"}
    ),
    "a budget without text": Flaw(
        message="expected budget null, or above 0 in a track of text; got 300", stated={"budget": 300}
    ),
    "a budget of nothing": Flaw(
        message="expected budget null, or above 0 in a track of text; got 0", stated={"track": "d", "budget": 0}
    ),
}


@pytest.mark.parametrize("name", FLAWS)
def test_a_flaw_is_refused_in_one_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flaw = FLAWS[name]
    folder = submitted(tmp_path / "r", flaw.agents, flaw.stated, **flaw.compare)
    flaw.edit(folder)
    with pytest.raises(ValueError, match=flaw.message) as raised:
        check_submission(folder)
    assert "\n" not in str(raised.value)
    capsys.readouterr()
    assert main(["submit", str(folder), "--scoreboard", str(tmp_path / "board.jsonl")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not (tmp_path / "board.jsonl").exists()


def test_there_are_twenty_kinds_of_flaws() -> None:
    assert len(FLAWS) >= 20


def test_an_agent_that_began_with_another_says_so(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(SHIPPED / "pyramid-win", mine)
    card = json.loads((mine / CARD).read_text())
    card["hyperparameters"]["start_from"] = "pyramid-score"
    (mine / CARD).write_text(json.dumps(card))
    folder = submitted(tmp_path / "r", f"{mine}@no-bounds", {"training": TRAINING})
    with pytest.raises(ValueError, match="expected training.start to name 'pyramid-score', as in .*; got 'nothing'"):
        check_submission(folder)


def test_moves_of_training_are_counted(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(SHIPPED / "pyramid-win", mine)
    card = json.loads((mine / CARD).read_text())
    (mine / CARD).write_text(json.dumps({**card, "moves": 99_000_001}))
    folder = submitted(tmp_path / "r", f"{mine}@no-bounds", {"training": {**TRAINING, "steps": 99_000_000}})
    with pytest.raises(
        ValueError, match="expected training.steps of 99,000,001 or more, the moves of .*; got 99,000,000"
    ):
        check_submission(folder)


# --- Games that are played again --------------------------------------------------------------------------------------

PEEKERS = """
import sys
from solitaire_agents import Agent
from solitaire_envs.engine import Engine

class Peeker(Agent):
    def __init__(self, options):
        pass

    def act(self, observations, action_masks):
        frame = sys._getframe()
        while not isinstance(engine := frame.f_locals.get("engine"), Engine):
            frame = frame.f_back
        odd = engine.states.deck[frame.f_locals["games"], -1] % 2 == 1
        last = action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)
        return odd * last + ~odd * action_masks.argmax(axis=1)

class Quick(Peeker):
    quick = True
"""


@pytest.mark.parametrize("agent", ["peekers:Peeker", "peekers:Quick"])
def test_an_agent_that_looks_at_hidden_cards_is_refused(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "peekers.py").write_text(PEEKERS)
    monkeypatch.syspath_prepend(tmp_path)  # type: ignore[no-untyped-call]
    monkeypatch.setattr(submission.secrets, "randbits", lambda bits: 1)  # type: ignore[attr-defined]
    folder = submitted(tmp_path / "r", agent)
    with pytest.raises(ValueError, match=f"expected '{agent}' to choose by what a player can know, got another move "):
        check_submission(folder)


TEXT_AGENT = """
from solitaire_agents.text_agent import TextAgent

class Brief(TextAgent):
    quick = True
    budget = 30

    def __init__(self, options):
        pass

    def answer(self, conversation):
        return conversation[-1]["content"].rpartition("moves: ")[2].split(", ")[0]
"""


def test_a_text_agent_has_the_stated_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "texts.py").write_text(TEXT_AGENT)
    monkeypatch.syspath_prepend(tmp_path)  # type: ignore[no-untyped-call]
    stated = {"track": "d", "reads": "text"}
    folder = submitted(tmp_path / "r", "texts:Brief", {**stated, "budget": 30})
    (row,) = check_submission(folder)
    assert (row.track, row.budget, row.replayed) == ("d", 30, COUNT)
    for other in (None, 31):
        submitted(folder, "texts:Brief", {**stated, "budget": other})
        with pytest.raises(ValueError, match="expected budget 30, that of 'texts:Brief'; got (null|31)"):
            check_submission(folder)


@pytest.mark.parametrize("agent", ["uniform", "careful", BEST, "best", "planner"])
@pytest.mark.parametrize("seed", few([0, 1]))
def test_fair_agents_choose_the_same_whatever_is_hidden(agent: str, seed: int) -> None:
    (spec,) = find_agent_specs([agent], WIN.game, WIN.options)
    chunk = replace(make_chunks(WIN, spec, DEALS[:8], 0)[0], seed=seed)
    for draw in range(4):
        again, outcomes = play_again(Replay(chunk, draw))
        assert again is chunk
        assert (outcomes == play_chunk(chunk).outcomes).all()


def test_nobody_can_know_which_chunks_of_a_slow_agent_are_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    (spec,) = find_agent_specs(["oracle"], WIN.game, WIN.options)
    outcomes = np.zeros(20, WIN.game.outcome_dtype)
    played = [PlayedChunk(chunk, outcomes, 1.0) for chunk in make_chunks(WIN, spec, DEALS[:COUNT], 0)]
    pieces: list[Replay] = []

    def fake(piece: Replay) -> tuple[Chunk, Any]:
        pieces.append(piece)
        return piece.chunk, outcomes

    monkeypatch.setattr(submission, "play_again", fake)
    monkeypatch.setattr(submission, "REPLAYED_CHUNKS", 1)
    for _ in range(40):
        assert submission._replay(played, spec, ALONE, lambda count: None) == 20
    assert {piece.chunk.number for piece in pieces} == {0, 1, 2}
    assert len({piece.draw for piece in pieces}) == 40
    assert submission._replay(played, replace(spec, quick=True), ALONE, lambda count: None) == COUNT


# --- Rows -------------------------------------------------------------------------------------------------------------


def test_a_row_says_what_the_outcomes_make(tmp_path: Path) -> None:
    (row,) = check_submission(submitted(tmp_path / "r"))
    results = store.load_results(tmp_path / "r")
    won = results.metrics.query("metric == 'won' and stratum == 'all'").iloc[0]
    assert (row.track, row.game, row.agent, row.metric) == ("a", "pyramid-win", "careful", "won")
    assert (row.value, row.low, row.high) == tuple(round(won[name], 6) for name in ("value", "low", "high"))
    assert (row.deals, row.replayed) == (COUNT, COUNT)
    moves, (seconds,) = results.outcomes["moves"].sum(), results.agents["seconds"]
    assert row.seconds == pytest.approx(seconds / moves, rel=0.01)


def test_each_game_of_a_folder_has_a_row(tmp_path: Path) -> None:
    specs = [make_env_spec(PYRAMID, {}), make_env_spec(TOUR, {})]
    rows = check_submission(submitted(tmp_path / "r", "uniform", env_specs=specs))
    assert [(row.game, row.metric, row.is_share) for row in rows] == [
        ("pyramid-score", "score", False),
        ("la-tour", "won", True),
    ]


def test_five_seeds_have_one_row(tmp_path: Path) -> None:
    texts = []
    for seed in range(5):
        shutil.copytree(SHIPPED / "pyramid-win", tmp_path / f"{seed}")
        card = json.loads((tmp_path / f"{seed}" / CARD).read_text())
        card["hyperparameters"]["seed"] = seed
        (tmp_path / f"{seed}" / CARD).write_text(json.dumps(card))
        texts.append(f"{tmp_path}/{seed}@no-bounds")
    stated = {"agent": "ppo", "training": {**TRAINING, "seeds": [0, 1, 2, 3, 4]}}
    (row,) = check_submission(submitted(tmp_path / "r", f"ppo={'+'.join(texts)}", stated))
    assert row.low == row.value == row.high  # five times the same network
    assert row.replayed == 5 * COUNT


def test_an_agent_that_is_elsewhere_is_not_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = submitted(tmp_path / "r")
    monkeypatch.setattr(submission, "is_here", lambda spec, game: False)
    (row,) = check_submission(folder)
    assert row.replayed == 0


def test_rows_take_the_place_of_older_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = tmp_path / "board.jsonl"
    for agents in ("uniform", "careful", "careful"):
        folder = submitted(tmp_path / agents, agents)
        assert main(["submit", str(folder), "--scoreboard", str(board)]) == 0
        text = capsys.readouterr().out
        assert text.endswith(f"1 row written into {board}\n")
    rows = read_rows(board)
    assert [row.agent for row in rows] == ["careful", "uniform"]  # the better first
    assert text.splitlines()[0].startswith("track a, pyramid-win, careful: won ")
    assert text.splitlines()[0].endswith(f"] in {COUNT} deals, {COUNT} of them played again")
    write_rows(board, [replace(rows[0], track="b-1"), replace(rows[1], authors="Bob")])
    assert [(row.track, row.agent, row.authors) for row in read_rows(board)] == [
        ("a", "careful", "Ada"),
        ("a", "uniform", "Ada"),
        ("a", "uniform", "Bob"),
        ("b-1", "careful", "Ada"),
    ]


@pytest.mark.parametrize("line", ["{", "[]", '{"track": "a"}'])
def test_a_damaged_scoreboard(line: str, tmp_path: Path) -> None:
    (tmp_path / "board.jsonl").write_text(line + "\n")
    with pytest.raises(ValueError, match="expected .*, got"):
        read_rows(tmp_path / "board.jsonl")
