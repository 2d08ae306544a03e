"""Analysis: lines that come one by one, from agents of the catalogue only."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from solitaire_evaluation.people import Games
from solitaire_web.analyses import MAX_STREAMS, Agents, Analyses
from solitaire_web.app import Server, make_app
from solitaire_web.request import Body, RefusedError
from tests.web.conftest import HOST
from tests.web.test_positions import PYRAMID, TOUR, ask, refusal

GOLDEN = {"env": PYRAMID, "deal": "7", "moves": "draw draw"}


def lines(client: TestClient, name: str, **content: Any) -> list[Any]:
    answer = client.post(f"/api/{name}", json=content)
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def test_a_planner_tells_the_odds_with_growing_effort(client: TestClient) -> None:
    found = lines(client, "analyse", **GOLDEN, agent="planner", objective="win", solver=True)
    kinds = [line["kind"] for line in found]
    assert kinds == ["choice", "odds", "verdict", "odds", "odds", "odds", "end"]
    odds = [line for line in found if line["kind"] == "odds"]
    assert [line["samples"] for line in odds] == [8, 32, 128, 512]
    for line in odds:
        assert line["unit"] == "chance"
        means = [one["mean"] for one in line["odds"]]
        assert means == sorted(means, reverse=True)
        assert all(0 <= mean <= 1 for mean in means)
    verdict = next(line["verdict"] for line in found if line["kind"] == "verdict")
    assert verdict["winnable"] in (True, False)
    assert verdict["moves"]


def test_a_trained_agent_tells_probabilities_and_its_value(client: TestClient) -> None:
    choice, end = lines(client, "choice", **GOLDEN, agent="best", objective="win")
    assert end["kind"] == "end"
    assert choice["move"] == choice["chances"][0]["move"]
    assert sum(one["chance"] for one in choice["chances"]) == pytest.approx(1, abs=0.001)
    assert choice["value"].startswith("expects to win")
    told = [
        line for line in lines(client, "analyse", **GOLDEN, agent="best", objective="win") if line["kind"] == "odds"
    ]
    assert [line["samples"] for line in told] == [0]  # learned: no order is sampled, and there is no error; told once
    odds = told[0]["odds"]
    left_out = [one["mean"] is None for one in odds]
    assert left_out == sorted(left_out)  # they come last
    assert any(left_out)
    assert {one["error"] for one in odds} == {0, None}


def test_an_unfair_agent_is_marked_and_sees_the_stock(client: TestClient) -> None:
    choice, _ = lines(client, "choice", **GOLDEN, agent="oracle")
    assert choice["fair"] is False


@pytest.mark.parametrize("agent", ["planner", "best"])
@pytest.mark.parametrize("env", [TOUR, "solitaire/TourInfernaleOnePass-v0", "solitaire/PyramidPar-v0"])
def test_other_games(client: TestClient, env: str, agent: str) -> None:
    found = lines(client, "analyse", env=env, deal="1", moves="draw", agent=agent)
    units = {line["unit"] for line in found if line["kind"] == "odds"}
    assert units == {"moves"} if env == TOUR else units <= {"chance", "return"}
    assert found[-1]["kind"] == "end"


def test_a_review_goes_through_the_game(client: TestClient) -> None:
    moves = "draw draw draw draw"
    *positions, end = lines(client, "review", env=PYRAMID, deal="7", moves=moves, agent="planner", objective="win")
    assert end["kind"] == "end"
    assert [line["at"] for line in positions] == [0, 1, 2, 3, 4]
    for line in positions[:-1]:
        assert line["move"] == "draw"
        assert line["loss"] >= 0
        assert line["verdict"]["winnable"] in (True, False, None)


def test_agents_are_those_of_the_catalogue(client: TestClient, tmp_path: Any) -> None:
    for name in ("os:system", str(tmp_path), "thrifty", "../best", "human:ada", "best@sample"):
        assert "expected an agent among" in refusal(client, "analyse", **GOLDEN, agent=name)
    assert "expected objective to be" in refusal(client, "choice", **GOLDEN, agent="best", objective="ruin")


def test_an_agent_that_does_not_play_these_rules_says_so(client: TestClient) -> None:
    asked = {"env": PYRAMID, "options": {"max_moves": 50}, "deal": "7", "moves": ""}
    (line,) = lines(client, "choice", **asked, agent="oracle")
    assert line["kind"] == "error"
    assert "max_moves" in line["error"]


def test_a_game_that_is_over_has_no_choice(client: TestClient) -> None:
    asked = {"env": PYRAMID, "options": {"max_moves": 1}, "deal": "7", "moves": "draw"}
    (line,) = lines(client, "choice", **asked, agent="careful")
    assert line["kind"] == "error"


@pytest.mark.anyio
async def test_who_goes_away_is_not_worked_for() -> None:
    analyses, done = Analyses(Agents([], [])), list[int]()
    answer = analyses.stream(done.append(number) or {"number": number} for number in range(1_000))
    assert await anext(answer) == {"number": 0}
    assert await anext(answer) == {"number": 1}
    await answer.aclose()  # type: ignore[attr-defined]
    time.sleep(0.05)
    assert done == [0, 1]
    analyses.close()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_few_run_at_a_time() -> None:
    analyses, running, most = Analyses(Agents([], [])), 0, 0
    lock = threading.Lock()

    def work() -> Iterator[dict[str, Any]]:
        nonlocal running, most
        for _ in range(3):
            with lock:
                running += 1
                most = max(most, running)
            time.sleep(0.01)
            with lock:
                running -= 1
            yield {}

    import asyncio

    async def ask() -> None:
        async for _ in analyses.stream(work()):
            pass

    async with asyncio.TaskGroup() as group:
        for _ in range(MAX_STREAMS):
            group.create_task(ask())
    assert most == 2
    analyses.close()


def test_a_planner_answers_by_the_request_alone_and_gets_on(client: TestClient, games: Games) -> None:
    """Whatever was asked before, by whichever thread; and who follows it never comes to a table twice."""
    asked: dict[str, Any] = {"env": "solitaire/TourInfernaleOnePass-v0", "deal": "1", "agent": "planner"}
    moves, tables = list[str](), set[str]()
    for _ in range(40):
        moves.append(lines(client, "choice", **asked, moves=" ".join(moves))[0]["move"])
        tables.add(json.dumps(ask(client, "position", **asked, moves=" ".join(moves))["table"]))
    assert len(tables) == 40
    app: Any = make_app(Server(games), [HOST])
    with TestClient(app, base_url=f"http://{HOST}") as other:
        for count in range(38, 0, -5):
            assert lines(other, "choice", **asked, moves=" ".join(moves[:count]))[0]["move"] == moves[count]


def test_perfect_play_is_that_from_the_deal_on(client: TestClient) -> None:
    (first, _), (later, _) = (lines(client, "perfect", **GOLDEN | {"moves": moves}) for moves in ("", "draw draw"))
    assert first == later
    assert isinstance(first["verdict"]["best"], int)


def test_which_agents_play_under_the_options(client: TestClient) -> None:
    (fits, _) = lines(client, "agents", env=PYRAMID)
    assert not any(fits["refusals"].values())
    assert fits["adviser"] == "best"
    (fits, _) = lines(client, "agents", env=PYRAMID, options={"passes": 2})
    assert "passes of 3 or more" in fits["refusals"]["patient"]
    (fits, _) = lines(client, "agents", env=TOUR, options={"information": "table"})
    assert fits["refusals"]["best"]
    (fits, _) = lines(client, "agents", env=TOUR)
    assert not fits["refusals"]["best"]
    assert fits["adviser"] == "swift"


def test_named_agents_are_offered_wherever_they_fit(games: Games) -> None:
    named = ["tour-infernale-one-pass", "pyramid-win-other-rules"]
    app: Any = make_app(Server(games, named), [HOST])
    with TestClient(app, base_url=f"http://{HOST}") as client:
        offered = {
            one["env"]: {agent["name"] for agent in one["agents"]} & set(named)
            for one in client.get("/api/about").json()["environments"]
        }
        assert offered[TOUR] == {"tour-infernale-one-pass"}
        assert offered[PYRAMID] == {"pyramid-win-other-rules"}
        for env, options, name in (
            ("solitaire/TourInfernaleOnePass-v0", {}, named[0]),
            (PYRAMID, {"passes": 2}, named[1]),
        ):
            (fits, _) = lines(client, "agents", env=env, options=options)
            assert not fits["refusals"][name]
            asked = {"env": env, "options": options, "deal": "7", "moves": "", "agent": name}
            assert lines(client, "choice", **asked)[0]["move"]
        (fits, _) = lines(client, "agents", env=PYRAMID)
        assert "has learned" in fits["refusals"][named[1]]


def test_named_agents_have_to_exist(games: Games) -> None:
    with pytest.raises(ValueError, match="expected an agent of one of the games, .*; got 'nobody'"):
        Server(games, ["nobody"])
    with pytest.raises(RefusedError):
        Body({}).env_spec()
