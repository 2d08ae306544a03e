"""An agent beside the player, deals that can be won, sounds, and cards put up by one touch."""

import itertools
import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from solitaire_agents.catalogue import kit_of
from solitaire_agents.kit import Status, dealt
from solitaire_evaluation.env_spec import make_env_spec
from tests.environments import few
from tests.web.driver import NEEDS_CHROMIUM, ServerProcess, open_sheet
from tests.web.test_analyses import lines
from tests.web.test_positions import PYRAMID, ask, refusal

COUNT_TONES = """() => {
    const start = OscillatorNode.prototype.start;
    window.tones = 0;
    OscillatorNode.prototype.start = function (at) { window.tones++; return start.call(this, at); };
}"""
FREECELL, TWO_CELLS = "solitaire/FreeCell-v0", {"cells": 2}

# --- Deals that can be won --------------------------------------------------------------------------------------------


def positions_searched(client: TestClient, difficulty: str) -> int:
    """Asks for a deal; returns how many positions the solver searches to win it."""
    found, _ = lines(client, "deal", env=FREECELL, options=TWO_CELLS, difficulty=difficulty)
    assert found["kind"] == "deal"
    spec = make_env_spec(FREECELL, TWO_CELLS)
    solver = kit_of(spec.game).solver
    assert solver is not None
    solved = solver().solve(dealt(spec.game, spec.options, [int(found["deal"])])[0], spec.options)  # type: ignore[arg-type]
    assert solved.status is Status.SOLVED
    return solved.nodes


def test_a_random_deal_can_be_won_and_is_as_hard_as_wanted(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    searched = {}
    for difficulty in ("easy", "hard", "any"):
        numbers = itertools.count()  # the same deals each time
        monkeypatch.setattr("secrets.randbelow", lambda n, numbers=numbers: next(numbers))
        searched[difficulty] = positions_searched(client, difficulty)
    assert searched["easy"] < searched["hard"]
    assert searched["easy"] <= searched["any"] <= searched["hard"]


def test_without_a_solver_no_deal_is_sought(client: TestClient) -> None:
    assert "any, easy or hard" in refusal_of(client, FREECELL, "x")
    assert "whose deals the solver knows" in refusal_of(client, "solitaire/PyramidPar-v0", "any")


def refusal_of(client: TestClient, env: str, difficulty: str) -> str:
    answer = client.post("/api/deal", json={"env": env, "options": {}, "difficulty": difficulty})
    return str(json.loads(answer.text.splitlines()[-1])["error"])


@NEEDS_CHROMIUM
def test_random_deals_are_as_the_player_wants_them(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(FREECELL, 7, cells=2))
    asked: list[Any] = []
    page.on("request", lambda request: asked.append(request.post_data) if request.url.endswith("/deal") else None)
    for opener in ("#new", "#new"):  # the second time it is remembered
        page.click(opener)
        if not asked:
            page.locator("#difficulty .chip", has_text="easy").click()
        page.click("#random")
        page.wait_for_selector("#new-game", state="hidden")
    assert [json.loads(one)["difficulty"] for one in asked] == ["easy", "easy"]
    assert "cells=2" in page.url
    page.click("#new")
    page.locator("#shelf button", has_text="Pyramid, a par series").first.click()
    assert not page.locator("#difficulty").is_visible()  # of a series no solver knows the deals


# --- An agent beside the player ---------------------------------------------------------------------------------------


@NEEDS_CHROMIUM
def test_an_agent_plays_the_same_deal_beside(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, passes=1))
    page.locator("#watch-part summary").click()
    page.select_option("#watch-1", "careful")
    page.evaluate("() => { const speed = document.querySelector('#speed'); speed.value = 0; }")
    page.click("#race")
    page.keyboard.press("d")  # the player goes on meanwhile
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 1 ')")
    page.wait_for_function("() => document.querySelector('#said').textContent.startsWith('careful: ')")
    small, own = (page.locator(f"#{board} svg").bounding_box()["width"] for board in ("board-2", "board"))
    assert small < own / 2
    page.click("#give-up")
    page.click("#question-yes")
    page.wait_for_selector("#end", state="visible")
    facts = page.locator("#end-facts").inner_text()
    assert "careful" in facts
    assert "Score" in facts.split("careful")[1]
    assert "careful did better than you." in page.locator("#end-note").inner_text()
    kept = page.evaluate("() => localStorage.getItem('solitaire-rl games solitaire/Pyramid-v0 {\"passes\":1}')")
    assert [game["hinted"] for game in json.loads(kept)] == [True]  # what the agent does can be looked at
    page.click("#next")
    page.wait_for_selector("#other", state="hidden")


# --- Cards put up, and sounds -----------------------------------------------------------------------------------------


def first_with_aces(client: TestClient) -> int:
    for deal in range(100):
        shown = ask(client, "position", env=FREECELL, deal=str(deal), moves="")
        if shown["safe"]:
            return deal
    raise AssertionError("no deal with an ace on top")


@NEEDS_CHROMIUM
@pytest.mark.parametrize("way", few(["mouse", "key", "button"]))
def test_one_touch_puts_up_what_is_safe(server: ServerProcess, open_page: Any, client: TestClient, way: str) -> None:
    page = open_page(server.address(FREECELL, first_with_aces(client)))
    assert not page.locator("#draw").is_visible()  # there is no stock
    page.evaluate(COUNT_TONES)
    open_sheet(page)
    page.locator("#settings-part summary").click()
    assert not page.is_checked("#sounds")
    if way == "key":
        page.check("#sounds")
    if way == "mouse":
        box = page.locator("#board svg").bounding_box()
        page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] - 3)
    elif way == "key":
        page.locator("#settings-part summary").focus()
        page.keyboard.press("a")
    else:
        page.click("#up")
    page.wait_for_function("() => document.querySelector('#up').disabled")
    assert "moves=A" in page.url
    assert (page.evaluate("() => window.tones") > 0) == (way == "key")


def test_wrong_requests(client: TestClient) -> None:
    assert "difficulty" in refusal(client, "deal", env=FREECELL, options={})
