"""Games in which no move can help any more: the proof, and what the page makes of it."""

import json
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_envs.engine import Engine
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_web.stuck import is_stuck
from tests.web.driver import NEEDS_CHROMIUM, PYRAMID, ServerProcess
from tests.web.test_hands import expect_moves
from tests.web.test_keeping import choose

KLONDIKE = "solitaire/Klondike-v0"
MOST = 60
"""Moves in which a game has to be stuck."""


def stuck_game(deal: int) -> list[str] | None:
    """Plays by a simple rule until no move can help; returns the moves, None if that does not come soon."""
    spec, moves = make_env_spec(KLONDIKE, {}), list[str]()
    engine, agent = Engine(spec.game, spec.options, 1), find_agent("greedy", spec.game, spec.options)
    engine.deal_numbers([deal])
    while len(moves) < MOST and not engine.states.ended[0]:
        action = agent.choose(engine)
        moves.append(engine.move_text(0, int(action[0])))
        engine.step(action)
        if is_stuck(engine):
            return moves
    return None


@pytest.fixture(scope="module")
def stuck() -> dict[int, list[str]]:
    """Three deals, each with the moves to a position in which it is stuck."""
    found: dict[int, list[str]] = {}
    deal = 0
    while len(found) < 3:
        moves = stuck_game(deal)
        found |= {deal: moves} if moves else {}
        deal += 1
    return found


def test_where_a_game_is_stuck_nothing_helps(stuck: dict[int, list[str]]) -> None:
    spec, rng = make_env_spec(KLONDIKE, {}), np.random.default_rng(0)
    for deal, moves in stuck.items():
        engine = Engine(spec.game, spec.options, 1)
        engine.deal_numbers([deal])
        for number, move in enumerate(moves):
            assert not is_stuck(engine), number
            engine.step(np.array([engine.parse_move(0, move)]))
        score, hidden = engine.outcome(0)["score"], len(spec.game.hidden(engine.states[0]))
        for _ in range(300):
            engine.step(np.array([rng.choice(engine.legal_actions(0))]))
            assert engine.outcome(0)["score"] <= score
            assert len(spec.game.hidden(engine.states[0])) == hidden


def own(address: str) -> str:
    """Returns a script by which the game of an address is the player's own, as after a reload."""
    kept = {"address": "#" + address.partition("#")[2], "seconds": 60, "own": True, "underWay": True}
    call = f"sessionStorage.setItem('solitaire-rl game', {json.dumps(json.dumps(kept))})"
    return f"if (location.protocol === 'http:') {call}"


@NEEDS_CHROMIUM
def test_seven_games_won_and_three_stuck_are_seven_and_three(
    server: ServerProcess, open_page: Any, stuck: dict[int, list[str]]
) -> None:
    won = [{"deal": str(900 + n), "won": True, "score": 52, "at": 1, "seconds": 200} for n in range(7)]
    page = open_page(server.address(PYRAMID, 7))
    keep = "games => localStorage.setItem('solitaire-rl games solitaire/Klondike-v0 {}', JSON.stringify(games))"
    page.evaluate(keep, won)
    for deal, moves in stuck.items():
        address = server.address(KLONDIKE, deal, " ".join(moves))
        page.goto("about:blank")
        page.add_init_script(own(address))
        page.goto(address)
        page.wait_for_selector("#stuck:not([hidden]):not([aria-busy=true])")
        page.click("#draw")
        expect_moves(page, len(moves) + 1)
        page.wait_for_selector("#stuck:not([hidden]):not([aria-busy=true])")
        choose(page, "#random", KLONDIKE)  # nobody is asked
        page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 0 ')")
    rows = dict(row.split("\t") for row in page.locator("#tally tr").all_inner_texts())
    assert (rows["Games"], rows["Won"]) == ("10", "7")


@NEEDS_CHROMIUM
def test_a_game_that_is_given_up_is_lost(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(KLONDIKE, 3))
    assert page.locator("#give-up").is_disabled()
    page.keyboard.press("d")
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 1 ')")
    page.click("#give-up")
    page.click("#question-no")
    assert page.locator("#end").is_hidden()
    page.click("#give-up")
    page.click("#question-yes")
    page.wait_for_selector("#end:not([hidden])")
    assert page.locator("#tally tr").all_inner_texts()[:2] == ["Games\t1", "Won\t0"]


@NEEDS_CHROMIUM
def test_a_game_with_a_hint_counts_apart(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, max_moves=2))
    page.keyboard.press("h")
    page.wait_for_selector("#board .advised")
    page.reload()
    page.wait_for_selector("#board g.source")
    page.keyboard.press("h")
    page.wait_for_selector("#board .advised")
    for _ in range(2):
        page.keyboard.press("d")
    page.wait_for_selector("#end:not([hidden])")
    rows = dict(row.split("\t") for row in page.locator("#tally tr").all_inner_texts())
    assert (rows["Games"], rows["Won with hints"]) == ("0", "0 of 1")


@NEEDS_CHROMIUM
def test_a_watched_agent_gives_up_where_no_move_can_help(
    server: ServerProcess, open_page: Any, stuck: dict[int, list[str]]
) -> None:
    deal, moves = next(iter(stuck.items()))
    page = open_page(server.address(KLONDIKE, deal, " ".join(moves)))
    page.locator("#watch-part summary").click()
    page.fill("#speed", "0")
    page.click("#watch")
    page.wait_for_function("() => document.getElementById('seat-1').textContent.includes('best gives up')")
    expect_moves(page, len(moves) + 1)
