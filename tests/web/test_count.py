"""Games that count: test deals, each once, without undo and without analysis."""

import sqlite3
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from solitaire_envs.cards import deck_of_deal, deck_text
from solitaire_evaluation.people import COUNTED_DEALS, Games
from solitaire_training.commands.main import main
from tests.web.test_positions import PYRAMID, ask, refusal


def play_out(client: TestClient, player: str, seed: int = 0, **content: Any) -> Any:
    """Plays a game that counts to its end with random moves, one request each."""
    rng = np.random.default_rng(seed)
    shown = ask(client, "count/start", player=player, env=PYRAMID, **content)
    moves = shown["text"].split()
    while not shown["over"]:
        moves.append(rng.choice([one["move"] for one in shown["legal"]]))
        shown = ask(client, "count/move", game=shown["game"], moves=" ".join(moves))
    assert shown["kept"]
    return shown


def test_a_game_is_kept_as_a_transcript_that_replays(client: TestClient, games: Games) -> None:
    shown = play_out(client, "ada")
    (kept,) = games.finished("ada")
    *_, engine = kept.transcript.replay()
    assert engine.outcome(0) == shown["outcome"] == kept.outcome
    assert kept.deal in COUNTED_DEALS
    assert ask(client, "count/games", player="ada", env=PYRAMID)["games"][0]["score"] == shown["outcome"]["score"]


def test_nothing_is_taken_back(client: TestClient) -> None:
    shown = ask(client, "count/start", player="ada", env=PYRAMID)
    ask(client, "count/move", game=shown["game"], moves="draw draw")
    for moves in ("draw", "", "draw redeal"):
        assert "expected" in refusal(client, "count/move", game=shown["game"], moves=moves)
    again = ask(client, "count/start", player="ada", env=PYRAMID)
    assert (again["game"], again["deal"], again["text"]) == (shown["game"], shown["deal"], "draw draw")


def test_a_refusal_tells_only_of_what_is_kept(client: TestClient) -> None:
    shown = ask(client, "count/start", player="ada", env=PYRAMID)
    told = refusal(client, "count/move", game=shown["game"], moves="draw draw KS+KH draw")
    again = ask(client, "count/start", player="ada", env=PYRAMID)
    assert again["text"] == "draw draw"
    assert ", ".join(one["move"] for one in again["legal"]) in told
    for moves in ("draw KS+KH", "draw redeal KS+KH", "KS+KH"):  # other moves than those made are not even played
        assert "made so far" in refusal(client, "count/move", game=shown["game"], moves=moves)
    assert ask(client, "count/start", player="ada", env=PYRAMID)["text"] == "draw draw"


def test_what_follows_the_end_of_a_game_does_not_undo_it(client: TestClient, games: Games) -> None:
    shown = ask(client, "count/start", player="ada", env=PYRAMID, options={"max_moves": 2})
    assert "the game is over" in refusal(client, "count/move", game=shown["game"], moves="draw draw draw")
    assert [game.transcript.moves for game in games.finished("ada")] == [["draw", "draw"]]
    assert "has not ended" in refusal(client, "count/move", game=shown["game"], moves="draw draw KS+KH")


def test_nobody_can_guess_a_game(client: TestClient) -> None:
    started = [ask(client, "count/start", player=name, env=PYRAMID)["game"] for name in ("ada", "bob")]
    assert min(map(len, started)) >= 32
    for game in ("1", "2", "", started[0][:-1]):
        assert "expected the id" in refusal(client, "count/move", game=game, moves="", give_up=True)


def test_a_repeated_request_makes_no_difference(client: TestClient, games: Games) -> None:
    """As when the answer to the last move was lost."""
    shown = play_out(client, "ada")
    game = games.find(shown["game"])
    again = ask(client, "count/move", game=game.id, moves=" ".join(game.transcript.moves))
    assert again["outcome"] == shown["outcome"]
    assert len(games.finished("ada")) == 1


def test_its_deal_is_closed_to_undo_and_analysis(client: TestClient) -> None:
    shown = ask(client, "count/start", player="ada", env=PYRAMID)
    free = {"env": "solitaire/PyramidPar-v0", "deal": shown["deal"], "moves": ""}
    for name in ("position", "analyse", "review", "choice"):
        assert "for the count" in refusal(client, name, **free, agent="careful")
    cards = deck_text(deck_of_deal(int(shown["deal"])))
    for other in ({"deal": shown["deal"]}, {"deck": cards}, {"deck": cards.lower().replace(" ", ",")}):
        for env in (PYRAMID, "solitaire/TourInfernale-v0"):
            for name in ("position", "write", "review"):
                assert "for the count" in refusal(client, name, env=env, **other, moves="", agent="careful")
    for line in (f"deal: {shown['deal']}", f"deck: {cards}"):
        text = f"solitaire-rl transcript 1\ngame: tour_infernale\n{line}\nmoves:"
        assert "for the count" in refusal(client, "read", text=text)
    ask(client, "count/move", game=shown["game"], moves="draw", give_up=True)
    ask(client, "position", **free)


def test_only_the_moves_made_are_asked_why(client: TestClient) -> None:
    """To ask about others would be a look ahead."""
    shown = ask(client, "count/start", player="ada", env=PYRAMID)
    places = {"source": "row 7, card 1", "target": "discard pile"}
    assert ask(client, "why", game=shown["game"], **places)["why"]
    free = {"env": PYRAMID, "deal": shown["deal"], "moves": "draw"}
    assert "for the count" in refusal(client, "why", **free, **places)
    for name in ("perfect", "agents"):
        answer = client.post(f"/api/{name}", json=free)
        assert (answer.status_code == 403) == (name == "perfect")


def test_what_is_given_up_counts_as_it_stands(client: TestClient, games: Games) -> None:
    shown = ask(client, "count/start", player="ada", env=PYRAMID)
    ask(client, "count/move", game=shown["game"], moves="draw", give_up=True)
    (kept,) = games.finished("ada")
    assert kept.outcome["score"] == -52
    assert "expected" in refusal(client, "count/move", game=shown["game"], moves="draw draw")


def test_a_file_names_no_module(
    client: TestClient, games: Games, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "planted.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)  # type: ignore[no-untyped-call]
    shown = ask(client, "count/start", player="ada", env=PYRAMID)
    with sqlite3.connect(games.path) as database:
        database.execute("UPDATE games SET env = 'planted:solitaire/Pyramid-v0'")
    assert "expected env among" in refusal(client, "count/move", game=shown["game"], moves="draw")
    assert "planted" not in sys.modules


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
