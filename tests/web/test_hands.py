"""Hands on the page: touches, keys, hints, and the end of a game in which nothing is left to decide."""

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest

from tests.web.driver import NEEDS_CHROMIUM, ONE_PASS, PHONE, PYRAMID, TOUR, Player, ServerProcess

pytestmark = NEEDS_CHROMIUM
SUITS_IN_ORDER = " ".join(rank + suit for rank in "A23456789TJQK" for suit in "CDHS")
"""A deck that goes up card by card."""


def moves_from(player: Player) -> dict[str, set[str]]:
    """Returns the moves of each place, but draws."""
    found: dict[str, set[str]] = {}
    for action in player.engine.legal_actions(0):
        for gesture in player.engine.game.gestures(player.engine.states[0], action):
            if gesture.target:
                found.setdefault(gesture.source, set()).add(player.engine.move_text(0, action))
    return found


def find(env: str, fits: Callable[[dict[str, set[str]]], str | None]) -> tuple[Player, int, str]:
    """Returns a game, its deal and a place that fits, after some random moves."""
    for deal in count(2_000):
        player, rng = Player(None, env, deal), np.random.default_rng(deal)
        for _ in range(12):
            place = fits(moves_from(player))
            if place is not None:
                return player, deal, place
            player.choose(rng)
    raise AssertionError


def status(page: Any) -> str:
    return str(page.locator("#board .status").inner_text())


def expect_moves(page: Any, number: int) -> None:
    page.wait_for_function(
        "n => document.querySelector('#board .status').textContent.includes(`move ${n} `)", arg=number
    )


@pytest.mark.parametrize("env", [PYRAMID, ONE_PASS])
def test_a_card_with_one_place_to_go_goes_with_one_touch(server: ServerProcess, open_page: Any, env: str) -> None:
    player, deal, place = find(
        env, lambda moves: next((one for one in moves if len(moves[one]) == 1 and one != "stock"), None)
    )
    (move,) = moves_from(player)[place]
    page = player.page = open_page(server.address(env, deal, " ".join(player.moves)), **PHONE)
    page.touchscreen.tap(*player.middles(place)[0])
    player.engine.step(np.array([player.engine.parse_move(0, move)]))
    player.expect()


def test_a_king_goes_with_one_touch_from_the_stock_too(server: ServerProcess, open_page: Any) -> None:
    player, deal, _ = find(PYRAMID, lambda moves: next((one for one in moves.get("stock", ()) if one[0] == "K"), None))
    page = player.page = open_page(server.address(PYRAMID, deal, " ".join(player.moves)), **PHONE)
    (point,) = player.middles("stock")
    page.touchscreen.tap(*point)
    page.touchscreen.tap(*point)  # the second half of a double touch
    (move,) = moves_from(player)["stock"]
    player.engine.step(np.array([player.engine.parse_move(0, move)]))
    player.expect()


def test_a_double_touch_goes_to_the_foundation(server: ServerProcess, open_page: Any) -> None:
    player, deal, place = find(
        TOUR,
        lambda moves: next(
            (one for one in moves if len(moves[one]) > 1 and any(move.endswith(">F") for move in moves[one])), None
        ),
    )
    (up,) = (move for move in moves_from(player)[place] if move.endswith(">F"))
    page = player.page = open_page(server.address(TOUR, deal, " ".join(player.moves)), **PHONE)
    (point,) = player.middles(place)
    page.touchscreen.tap(*point)
    page.touchscreen.tap(*point)
    player.engine.step(np.array([player.engine.parse_move(0, up)]))
    player.expect()


def test_a_second_touch_does_not_draw(server: ServerProcess, open_page: Any) -> None:
    player, deal, place = find(
        PYRAMID,
        lambda moves: next((one for one in moves if one == "stock" and not any("K" in x for x in moves[one])), None),
    )
    page = player.page = open_page(server.address(PYRAMID, deal, " ".join(player.moves)), **PHONE)
    (point,) = player.middles(place)
    for pause in (0, 600, 0, 600):
        page.touchscreen.tap(*point)
        page.wait_for_timeout(pause)
    player.expect()
    page.tap("#draw")
    expect_moves(page, len(player.moves) + 1)


def test_a_pair_that_does_not_match_says_why(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7))
    player = Player(page, PYRAMID, 7)
    places = [f"row 7, card {number + 1}" for number in range(7)]
    first = next(place for place in places if place not in moves_from(player))
    second = next(place for place in places if place != first)
    for point in player.middles(first, second):
        page.mouse.click(*point)
    page.wait_for_function("() => document.getElementById('said').textContent.includes('a pair makes 13')")
    player.expect()
    page.keyboard.press("Escape")
    start, end = player.middles(first, "discard pile")
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=2)
    page.mouse.up()
    page.wait_for_function("() => document.getElementById('said').textContent.includes('Only a king')")
    player.expect()


def test_a_hint_is_shown_on_the_cards(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7))
    for act in (lambda: page.keyboard.press("h"), lambda: page.click("#hint")):
        act()
        page.wait_for_selector("#board .advised")
        assert page.locator("#said").inner_text().startswith("Hint: ")
        assert "move 0" in status(page)
        page.keyboard.press("d")
        page.wait_for_function("() => !document.querySelector('#board .advised')")
        page.keyboard.press("u")
        expect_moves(page, 0)


def test_keys_wait_for_the_answer_before(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7))
    press = """keys => keys.forEach(([key, more]) =>
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...more })))"""
    page.evaluate(press, [["d", {}]] * 8)
    expect_moves(page, 8)
    page.evaluate(press, [["u", {}], ["D", {"shiftKey": True}], ["z", {"ctrlKey": True}], ["z", {"metaKey": True}]])
    expect_moves(page, 6)
    page.evaluate(press, [["Z", {"ctrlKey": True, "shiftKey": True}], ["y", {"ctrlKey": True}], ["U", {}]])
    expect_moves(page, 7)
    player = Player(page, PYRAMID, 7)
    (point,) = player.middles("stock")
    page.mouse.click(*point, click_count=2)
    expect_moves(page, 9)


def test_keys_of_one_letter_can_be_switched_off(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, "draw"))
    page.locator("#settings-part summary").click()
    page.uncheck("#letters")
    for key in "dunh":
        page.keyboard.press(key)
    page.wait_for_timeout(200)
    assert "move 1 " in status(page)
    assert not page.locator("#new-game").is_visible()
    page.reload()
    page.wait_for_selector("#board g.source")
    page.keyboard.press("d")
    page.keyboard.press("Control+z")
    expect_moves(page, 0)


def test_a_card_that_cannot_move_says_so(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, "draw"))
    (point,) = Player(page, PYRAMID, 7).middles("row 4, card 1")
    page.mouse.click(*point)
    page.wait_for_function("() => document.getElementById('said').textContent.startsWith('No move with ')")


def test_keys_work_wherever_the_focus_is_but_in_a_text_field(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7))
    page.locator("#watch-part summary").click()
    page.locator("#settings-part summary").click()
    page.locator("#analysis-part summary").click()
    for number, place in enumerate(("#analysis", "#watch-2", "#speed", "#language"), start=1):
        page.focus(place)
        page.keyboard.press("d")
        expect_moves(page, number)
    page.locator("#count-part summary").click()
    page.focus("#player")
    page.keyboard.type("dudd")
    assert page.input_value("#player") == "dudd"
    assert "move 4 " in status(page)


def test_a_game_is_finished_when_nothing_is_left_to_decide(server: ServerProcess, open_page: Any) -> None:
    moves = [f"{card}>F" for card in SUITS_IN_ORDER.split()[:6]]
    moves += [move for card in SUITS_IN_ORDER.split()[6:-1] for move in ("draw", f"{card}>F")]
    address = server.address(TOUR, 0, " ".join(moves), deck=SUITS_IN_ORDER)
    page = open_page(address, script="")
    page.click("#draw")
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('won')")
    page.keyboard.press("u")  # taken back, it waits
    page.wait_for_timeout(600)
    assert "won" not in status(page)
    other = open_page(address)
    other.click("#draw")
    other.wait_for_timeout(600)
    assert "won" not in status(other)
