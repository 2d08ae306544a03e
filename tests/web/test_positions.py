"""Positions: what the server answers is what the engine says."""

import asyncio
import re
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from solitaire_agents.catalogue import agents_of, kit_of
from solitaire_envs import pyramid
from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.engine import Engine
from solitaire_envs.game import make_options
from solitaire_envs.render import status_text
from solitaire_envs.transcript import Transcript, parse_transcript
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_web.about import languages
from solitaire_web.positions import KEPT_STATES, PositionCache, describe_position
from tests.agents.piles.test_solver import GAMES, engine_at, option_sets, positions
from tests.environments import walk
from tests.reference.exhaustive import Exhaustive

PYRAMID, TOUR = "solitaire/Pyramid-v0", "solitaire/TourInfernale-v0"
SAFE = [name for name, game in GAMES.items() if kit_of(game).safe_up]
"""Declared games in which cards may be put up for good."""
POSITION = Transcript(game=pyramid.GAME, options=pyramid.GAME.options(), deal=0)


def ask(client: TestClient, name: str, **content: Any) -> Any:
    answer = client.post(f"/api/{name}", json=content)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(client: TestClient, name: str, **content: Any) -> str:
    answer = client.post(f"/api/{name}", json=content)
    assert 400 <= answer.status_code < 500
    return str(answer.json()["error"])


@pytest.mark.parametrize("env", walk())
def test_each_position_of_a_game_is_that_of_the_engine(client: TestClient, env: str) -> None:
    entry = CATALOGUE[env]
    engine = Engine(entry.game, make_options(entry.game.options, dict(entry.preset)), 1)
    engine.deal_numbers([5])
    moves: list[str] = []
    rng = np.random.default_rng(5)
    for _ in range(80):
        shown = ask(client, "position", env=env, deal="5", moves=" ".join(moves))
        legal = [] if engine.states.ended[0] else engine.legal_actions(0)
        assert [one["move"] for one in shown["legal"]] == list(dict.fromkeys(engine.move_text(0, one) for one in legal))
        assert shown["table"]["status"] == status_text(engine, 0)
        assert (shown["over"], shown["outcome"]) == (bool(engine.states.ended[0]), engine.outcome(0))
        if not legal:
            break
        moves.append(engine.move_text(0, int(rng.choice(legal))))
        engine.step(np.array([engine.parse_move(0, moves[-1])]))


def test_a_new_server_answers_the_same(client: TestClient, games: Any) -> None:
    """It remembers positions only to be quick: long games, undo and other orders of requests make no difference."""
    moves = ["draw"] * 24 + ["redeal"] + ["draw"] * 24 + ["redeal"] + ["draw"] * 10
    first = [ask(client, "position", env=PYRAMID, deal="3", moves=" ".join(moves[:n])) for n in range(0, 61, 10)]
    again = [ask(client, "position", env=PYRAMID, deal="3", moves=" ".join(moves[:n])) for n in range(60, -1, -10)]
    assert first == again[::-1]
    from tests.web.conftest import HOST, Server, make_app

    app: Any = make_app(Server(games), [HOST])
    with TestClient(app, base_url=f"http://{HOST}") as other:
        assert ask(other, "position", env=PYRAMID, deal="3", moves=" ".join(moves[:60])) == first[-1]


def test_a_request_that_pauses_is_not_moved_by_another() -> None:
    """One of 51 moves of which one is remembered pauses after the last."""
    draws = ["draw"] * 24
    long = replace(POSITION, deal=3, moves=(*draws, "redeal", *draws, "redeal", "draw"))
    short = replace(long, deal=4, moves=("draw", "draw"))

    async def ask_both() -> tuple[Engine, Engine]:
        positions = PositionCache()
        await positions.engine(replace(long, moves=("draw",)))
        return tuple(await asyncio.gather(positions.engine(long), positions.engine(short)))  # type: ignore[return-value]

    for engine, position in zip(asyncio.run(ask_both()), (long, short), strict=True):
        assert describe_position(engine, position) == describe_position(
            asyncio.run(PositionCache().engine(position)), position
        )


def test_what_is_remembered_takes_ten_megabytes_at_most() -> None:
    """Long games as much as short ones."""
    spec = make_env_spec(TOUR, {})
    positions, engine = PositionCache(), Engine(spec.game, spec.options, 1)
    tracemalloc.start()
    for deal in range(KEPT_STATES + 100):
        long = Transcript(game=spec.game, options=spec.options, deal=deal, moves=["draw"] * 2_000)
        positions._remember(long, 2_000, engine)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 1_000_000 < size < 10_000_000


def test_a_game_is_finished_when_nothing_is_left_to_decide(client: TestClient) -> None:
    deck = " ".join(rank + suit for rank in "A23456789TJQK" for suit in "CDHS")
    shown = ask(client, "position", env=TOUR, deck=deck, moves="")
    moves: list[str] = []
    while not shown["finish"]:  # draws lay up the whole deck, suit by suit
        up = [one["move"] for one in shown["legal"] if one["move"].endswith(">F")]
        moves.append(up[0] if up else "draw")
        shown = ask(client, "position", env=TOUR, deck=deck, moves=" ".join(moves))
        assert not shown["over"]
    assert all(move.endswith(">F") for move in shown["finish"])
    end = ask(client, "position", env=TOUR, deck=deck, moves=" ".join([*moves, *shown["finish"]]))
    assert end["outcome"]["won"]
    assert end["finish"] == []


def test_a_game_with_one_move_left_is_finished(client: TestClient) -> None:
    asked: dict[str, Any] = {"env": PYRAMID, "options": {"passes": 1}, "deal": "7"}
    moves: list[str] = []
    shown = ask(client, "position", **asked, moves="")
    assert shown["finish"] == []
    while not shown["finish"]:
        moves.append(shown["legal"][-1]["move"])
        shown = ask(client, "position", **asked, moves=" ".join(moves))
    assert ask(client, "position", **asked, moves=" ".join([*moves, *shown["finish"]]))["over"]


def safe_moves_that_win(name: str, deals: range) -> int:
    """Counts cards put up for good in late positions that can be won, by a search that leaves nothing out."""
    game, count = GAMES[name], 0
    for deal in deals:
        options = option_sets(game)[deal % len(option_sets(game))]
        exhaustive = Exhaustive(game, options, 20_000)
        for state in positions(game, options, deal):
            engine = engine_at(game, options, state)
            safe = describe_position(engine, POSITION)["safe"]
            if safe is not None and exhaustive.winnable(state):
                engine.step(np.array([engine.parse_move(0, safe)]))
                assert exhaustive.winnable(engine.states[0]) in (True, None), (name, deal)
                count += 1
    return count


@pytest.mark.slow
def test_what_is_put_up_for_good_loses_no_win() -> None:
    counts = {name: safe_moves_that_win(name, range(60)) for name in SAFE}
    assert counts["bakers_game"] > 5
    assert sum(counts.values()) > 500


def test_only_cards_that_nothing_needs_are_put_up(client: TestClient) -> None:
    """Of a deal only aces; none where kings carry aces."""
    env, moves = "solitaire/Klondike-v0", list[str]()
    for deal in range(40):
        shown = ask(client, "position", env=env, deal=str(deal), moves="")
        ways = [(one["move"], way["target"] or "") for one in shown["legal"] for way in one["gestures"]]
        ups = {move for move, target in ways if target.startswith("foundation")}
        assert (shown["safe"] in ups) == bool(ups)  # an ace
        moves += [shown["safe"]] * bool(ups)
    assert len(moves) > 10
    assert {move[0] for move in moves} == {"A"}
    assert ask(client, "position", env="solitaire/Canfield-v0", deal="1", moves="")["safe"] is None


def test_why_a_card_may_not_go_somewhere(client: TestClient) -> None:
    asked = {"env": PYRAMID, "deal": "7", "moves": "", "source": "row 7, card 1"}
    assert "a pair makes 13" in ask(client, "why", **asked, target="row 7, card 3")["why"]
    assert ask(client, "why", **asked | {"env": TOUR, "source": "nowhere"}, target="x" * 9)["why"] == ""


@pytest.mark.parametrize("between", [" ", ",", ", ", ",  "])
def test_a_given_deck_and_options(client: TestClient, between: str) -> None:
    deck = between.join(rank + suit for suit in "CDHS" for rank in "A23456789TJQK")
    shown = ask(client, "position", env=TOUR, options={"piles": 5, "passes": 2}, deck=deck, moves="AC>F 2C>F")
    assert shown["outcome"]["score"] == 2
    assert "of 2" in shown["table"]["status"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"env": "nothing:mine/Game-v0", "deal": "0", "moves": ""}, "expected an environment among"),
        ({"env": PYRAMID, "deal": "-1", "moves": ""}, "expected a deal number"),
        ({"env": PYRAMID, "deal": 7, "moves": ""}, "expected deal to be a text"),
        ({"env": PYRAMID, "deal": str(2**64), "moves": ""}, "expected a deal number"),
        ({"env": PYRAMID, "deck": "AC", "moves": ""}, "expected 52 cards"),
        ({"env": PYRAMID, "deal": "0", "moves": "draw AC+AC"}, "move 2: expected a legal move"),
        ({"env": PYRAMID, "deal": "0", "moves": "draw " * 5_000}, "expected at most 4000 moves"),
        ({"env": PYRAMID, "deal": "0", "moves": "x" * 30}, "expected moves such as"),
        ({"env": PYRAMID, "deal": "0", "moves": "", "options": {"passes": 0}}, "expected passes"),
        ({"env": PYRAMID, "deal": "0", "moves": "", "options": {"module": "os"}}, "expected options among"),
        ({"env": PYRAMID, "deal": "0", "moves": "", "options": [1]}, "options"),
        ({"env": PYRAMID, "options": {"passes": 1}, "deal": "0", "moves": "draw " * 25}, "move 25"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(client: TestClient, content: Any, expected: str) -> None:
    error = refusal(client, "position", **content)
    assert expected in error
    assert "\n" not in error
    assert len(error) < 1_000


def test_transcripts_out_and_in(client: TestClient) -> None:
    moves = "draw draw draw"
    text = ask(client, "write", env="solitaire/TourInfernaleOnePass-v0", deal="12", moves=moves)["text"]
    *_, engine = parse_transcript(text).replay()
    assert engine.outcome(0)["moves"] == 3
    read = ask(client, "read", text=text)
    assert (read["env"], read["deal"], read["moves"]) == ("solitaire/TourInfernaleOnePass-v0", "12", moves)
    assert read["options"]["passes"] == 1
    assert "expected a transcript" in refusal(client, "read", text="nothing")
    assert "at most 4000 moves" in refusal(client, "read", text=text.replace("draw draw draw", "draw " * 4_001))
    assert "move 3" in refusal(client, "read", text=text.replace("draw draw draw", "draw draw KS>F"))


def test_a_transcript_with_a_deck(client: TestClient) -> None:
    deck = " ".join(rank + suit for suit in "CDHS" for rank in "A23456789TJQK")
    text = ask(client, "write", env=TOUR, deck=deck, moves="AC>F")["text"]
    assert ask(client, "read", text=text)["deck"] == deck


def test_what_there_is_to_choose_from(client: TestClient) -> None:
    about = client.get("/api/about").json()
    assert [one["env"] for one in about["environments"]] == list(CATALOGUE)
    assert int(about["daily"]["deal"]) == 10**12 + int(about["daily"]["date"].replace("-", ""))
    for one in about["environments"]:
        assert one["rules"]
        assert one["title"]
        assert "v0" not in " ".join([*one["title"], one["about"], *one["rules"]])
        for option in one["options"]:
            assert option["label"]
            assert all(choice["words"] for choice in option["choices"])
        assert set(agents_of(CATALOGUE[one["env"]].game)) <= {agent["name"] for agent in one["agents"]}
    klondike = next(one for one in about["environments"] if one["env"] == "solitaire/KlondikeDrawOne-v0")
    draw = next(option for option in klondike["options"] if option["name"] == "draw")
    assert (draw["value"], draw["choices"]) == (
        1,
        [{"value": 1, "words": "one card"}, {"value": 3, "words": "three cards"}],
    )


def test_the_page_is_small_and_asks_for_nothing_else(client: TestClient) -> None:
    page, names, size = client.get("/"), {"page.css", "page.js"}, 0
    answers = [page, max((client.get("/api/about", params={"languages": code}) for code in languages()), key=sent)]
    waiting = set(names)
    while waiting:
        name = waiting.pop()
        answers.append(client.get(f"/static/{name}"))
        found = {part.split('"')[0] for part in re.split(r'(?:from|import) "\./', answers[-1].text)[1:]}
        waiting |= found - names
        names |= found
    size = sum(map(sent, answers))
    assert {"cards.js", "board.js", "review.js", "keys.js"} <= names
    assert size < 100_000
    assert "http:" not in page.text.replace("http://www.w3.org", "")


def sent(answer: Any) -> int:
    """Returns the bytes that an answer took."""
    return int(answer.headers["content-length"])
