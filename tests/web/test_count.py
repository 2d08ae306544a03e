"""Games that count: test deals, each once, without undo and without analysis."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from solitaire_envs.transcript import parse_transcript
from solitaire_training.commands.main import main
from solitaire_training.evaluation.people import NUM_COUNTED_DEALS, Games
from tests.web.test_positions import PYRAMID, ask, refusal


def play_out(client: TestClient, player: str, seed: int = 0, **content: Any) -> Any:
    """Plays a game that counts to its end with random moves, one request each."""
    rng = np.random.default_rng(seed)
    shown = ask(client, "count/start", player=player, env=PYRAMID, **content)
    moves = shown["text"].split()
    while not shown["over"]:
        moves.append(rng.choice([move for move, _ in shown["legal"]]))
        shown = ask(client, "count/move", game=shown["game"], moves=" ".join(moves))
    assert shown["kept"]
    return shown


def test_a_game_is_kept_as_a_transcript_that_replays(client: TestClient, games: Games) -> None:
    shown = play_out(client, "ada")
    (kept,) = games.finished("ada")
    *_, engine = parse_transcript(kept.transcript or "").replay()
    assert engine.outcome(0) == shown["outcome"] == kept.outcome
    assert 0 <= kept.deal < NUM_COUNTED_DEALS
    assert ask(client, "count/games", player="ada", env=PYRAMID)["games"][0]["score"] == shown["outcome"]["score"]


def test_nothing_is_taken_back(client: TestClient) -> None:
    shown = ask(client, "count/start", player="ada", env=PYRAMID)
    ask(client, "count/move", game=shown["game"], moves="draw draw")
    for moves in ("draw", "", "draw redeal"):
        assert "expected" in refusal(client, "count/move", game=shown["game"], moves=moves)
    again = ask(client, "count/start", player="ada", env=PYRAMID)
    assert (again["game"], again["deal"], again["text"]) == (shown["game"], shown["deal"], "draw draw")


def test_a_repeated_request_makes_no_difference(client: TestClient, games: Games) -> None:
    """As when the answer to the last move was lost."""
    shown = play_out(client, "ada")
    game = games.find(shown["game"])
    again = ask(client, "count/move", game=game.id, moves=" ".join(game.moves))
    assert again["outcome"] == shown["outcome"]
    assert len(games.finished("ada")) == 1


def test_its_deal_is_closed_to_undo_and_analysis(client: TestClient) -> None:
    shown = ask(client, "count/start", player="ada", env=PYRAMID)
    free = {"env": "solitaire/PyramidPar-v0", "deal": shown["deal"], "moves": ""}
    for name in ("position", "analyse", "review", "choice"):
        assert "for the count" in refusal(client, name, **free, agent="careful")
    ask(client, "count/move", game=shown["game"], moves="draw", give_up=True)
    ask(client, "position", **free)


def test_what_is_given_up_counts_as_it_stands(client: TestClient, games: Games) -> None:
    shown = ask(client, "count/start", player="ada", env=PYRAMID)
    ask(client, "count/move", game=shown["game"], moves="draw", give_up=True)
    (kept,) = games.finished("ada")
    assert kept.outcome["score"] == -52
    assert "expected" in refusal(client, "count/move", game=shown["game"], moves="draw draw")


@pytest.mark.parametrize("name", ["", " ", "x" * 41, "a,b", "a/b", "a=b", "[red]", "a\nb", "a*"])
def test_names_that_mean_something_else_are_refused(client: TestClient, name: str) -> None:
    assert "name" in refusal(client, "count/start", player=name, env=PYRAMID)


def test_a_person_is_a_row_of_the_comparison(
    client: TestClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in range(4):
        play_out(client, "ada", seed)
    command = ["compare", "--agents", "human:ada,careful", "--data", str(tmp_path), "--jobs", "1"]
    assert main([*command, "--out", str(tmp_path / "results")]) == 0
    shown = capsys.readouterr().out
    assert "human:ada" in shown
    assert "4 deals" in shown
    assert main([*command, "--out", str(tmp_path / "results")]) == 0  # goes on, with nothing to do
    assert main(["compare", "--agents", "human:bob,careful", "--data", str(tmp_path)]) == 2
    assert "expected finished games of human:bob" in capsys.readouterr().err


def test_replay_lists_and_shows_the_games(
    client: TestClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = play_out(client, "ada")
    assert main(["replay", "human:ada", "--data", str(tmp_path)]) == 0
    assert f"deal {shown['deal']}" in capsys.readouterr().out
    assert main(["replay", f"human:ada/{shown['deal']}", "--data", str(tmp_path)]) == 0
    assert f"score {shown['outcome']['score']}" in capsys.readouterr().out
    assert main(["replay", "human:ada/x", "--data", str(tmp_path)]) == 2
