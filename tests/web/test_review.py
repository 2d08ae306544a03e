"""A game gone through by arrow keys, its list of moves and the graph of its review; odds on the cards; on a phone."""

from typing import Any

import numpy as np
import pytest

from tests.environments import few
from tests.web.driver import NEEDS_CHROMIUM, PHONE, PYRAMID, Player, ServerProcess
from tests.web.test_hands import expect_moves, status

pytestmark = NEEDS_CHROMIUM
MOVES = 12


def game_of(count: int = MOVES) -> Player:
    player, rng = Player(None, PYRAMID, 7), np.random.default_rng(0)
    for _ in range(count):
        player.choose(rng)
    return player


def open_game(open_page: Any, server: ServerProcess, **settings: Any) -> Any:
    page = open_page(server.address(PYRAMID, 7, " ".join(game_of().moves)), **settings)
    page.locator("#review-part summary").click()
    return page


def review(page: Any) -> None:
    page.click("#review")
    page.wait_for_selector("#lost h2")


def test_arrow_keys_go_through_the_game(server: ServerProcess, open_page: Any) -> None:
    page = open_game(open_page, server)
    for key, at in (("ArrowLeft", 11), ("ArrowLeft", 10), ("Home", 0), ("ArrowRight", 1), ("End", MOVES)):
        page.keyboard.press(key)
        expect_moves(page, at)
    page.mouse.click(*Player(page, PYRAMID, 7).middles("row 7, card 1")[0])  # a card that was clicked holds no arrow
    for key, at in (("ArrowLeft", 11), ("ArrowLeft", 10), ("ArrowRight", 11)):
        page.keyboard.press(key)
        expect_moves(page, at)
    page.locator("#count-part summary").click()
    page.locator("#watch-part summary").click()
    page.locator("#share-part summary").click()
    for place in ("#player", "#speed", "#transcript"):
        page.focus(place)
        for key in ("ArrowLeft", "Home", "ArrowRight"):
            page.keyboard.press(key)
    page.wait_for_timeout(200)
    assert "move 11 " in status(page)
    page.focus("#draw")
    page.keyboard.press("Home")
    expect_moves(page, 0)


def test_arrows_go_between_the_cards_by_keyboard(server: ServerProcess, open_page: Any) -> None:
    page = open_game(open_page, server)
    page.keyboard.press("Home")
    expect_moves(page, 0)
    Player(page, PYRAMID, 7).tab_to("row 7, card 1")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => /^row 7, card [2-7]/.test(document.activeElement.dataset.place)")
    assert "move 0 " in status(page)


def test_the_list_of_moves_leads_to_each(server: ServerProcess, open_page: Any) -> None:
    page = open_game(open_page, server)
    buttons = page.locator("#played button")
    assert buttons.count() == MOVES + 1
    assert buttons.first.inner_text() == "Start"
    assert page.locator("#played [aria-current]").get_attribute("data-at") == str(MOVES)
    page.click('#played [data-at="5"]')
    expect_moves(page, 5)
    current = "() => document.querySelector('#played [aria-current]').dataset.at"
    assert page.evaluate(current) == "5"
    assert page.evaluate("() => document.activeElement.dataset.at") == "5"
    page.keyboard.press("ArrowRight")
    expect_moves(page, 6)
    assert page.evaluate("() => document.activeElement.dataset.at") == "6"
    for button, at in (("#first", 0), ("#forward", 1), ("#last", MOVES), ("#back", MOVES - 1)):
        page.click(button)
        expect_moves(page, at)
    page.click("#draw")
    expect_moves(page, MOVES)


def test_the_graph_leads_to_each_position(server: ServerProcess, open_page: Any) -> None:
    page = open_game(open_page, server)
    page.keyboard.press("Home")  # moves taken back are reviewed too
    expect_moves(page, 0)
    review(page)
    graph = page.get_by_role("slider", name="Odds of a win before each move")
    assert graph.get_attribute("aria-valuemax") == str(MOVES)
    graph.click()  # in the middle
    page.wait_for_function("() => document.querySelector('#graph svg').getAttribute('aria-valuenow') !== '0'")
    at = int(graph.get_attribute("aria-valuenow"))
    assert abs(at - MOVES / 2) <= 1
    expect_moves(page, at)
    graph.focus()
    page.keyboard.press("ArrowLeft")
    expect_moves(page, at - 1)
    assert graph.get_attribute("aria-valuetext").startswith(f"Position {at - 1} of {MOVES}; ")
    assert page.locator("#review-here").inner_text() == graph.get_attribute("aria-valuetext")
    page.keyboard.press("End")
    expect_moves(page, MOVES)
    assert graph.get_attribute("aria-valuenow") == str(MOVES)


def test_another_line_is_left_only_by_consent(server: ServerProcess, open_page: Any) -> None:
    page = open_game(open_page, server)
    review(page)
    page.click('#played [data-at="3"]')
    expect_moves(page, 3)
    other = next(
        one
        for one in page.locator("#moves button").all()
        if one.inner_text() not in page.locator('#played [data-at="4"]').inner_text()
    )
    other.click()
    expect_moves(page, 4)
    assert page.locator("#review-here").inner_text() == "This is no longer the game that was reviewed."
    graph = page.locator("#graph svg")
    last = {"x": graph.bounding_box()["width"] - 5, "y": 20}
    graph.click(position=last)
    page.click("#question-no")
    assert "move 4 " in status(page)
    graph.click(position=last)
    page.click("#question-yes")
    expect_moves(page, MOVES)
    player = game_of()
    player.page = page
    player.expect()


def test_odds_are_on_the_cards(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7))
    page.locator("#analysis-part summary").click()
    page.select_option("#agent", "planner")
    page.get_by_role("switch").check()
    page.wait_for_selector("#board .odds")
    page.wait_for_function("() => document.querySelector('#analysis-out .note').textContent === 'Done.'")
    for group in page.locator("#board g.source").all():
        odds = group.locator(".odds text").text_content()
        assert odds.endswith(" %")
        assert f"odds {odds}" in group.get_attribute("aria-label")
    best = page.locator("#analysis-out .bar.chosen span").last.inner_text().split(" ")[0]
    shown = page.locator("#board .odds text").all_text_contents()
    assert any(abs(float(best) - int(odds.split()[0])) <= 0.5 for odds in shown)
    choice = page.locator("#analysis-out strong").inner_text()
    why = page.locator("#analysis-out .why")
    first = page.locator("#analysis-out .bar.chosen span").first.inner_text()
    assert why.count() == (choice != first)
    if choice != first:  # the panel says why the agent plays another move than its odds put first
        assert first in why.inner_text()
    page.select_option("#agent", "best")
    page.wait_for_function("() => document.querySelector('#analysis-out').textContent.includes('(learned values)')")
    assert "\u00b1" not in page.locator("#analysis-out").inner_text()
    page.get_by_role("switch").uncheck()
    page.click("#draw")
    page.wait_for_function("() => !document.querySelector('#board .odds')")


@pytest.mark.parametrize("part", ["analysis", "review"])
def test_board_and_analysis_are_seen_together_on_a_phone(server: ServerProcess, open_page: Any, part: str) -> None:
    page = open_page(server.address(PYRAMID, 7, " ".join(game_of().moves)), **PHONE)
    page.tap("#menu")
    page.locator(f"#{part}-part summary").tap()
    if part == "analysis":
        page.select_option("#agent", "planner")
        page.get_by_role("switch").check()
        page.wait_for_function("() => document.querySelector('#analysis-out .note')?.textContent === 'Done.'")
        place = "#analysis-out .bar"
    else:
        review(page)
        place = "#graph svg"
        assert page.evaluate("svg => svg.clientWidth / svg.viewBox.baseVal.width", page.query_selector(place)) > 0.8
    page.evaluate("place => document.querySelector(place).scrollIntoView()", place)
    page.wait_for_timeout(200)
    board, other = (page.locator(one).first.bounding_box() for one in ("#board svg", place))
    assert board["y"] >= 0
    assert board["y"] + board["height"] <= other["y"]
    assert other["y"] + other["height"] <= PHONE["viewport"]["height"]
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", few(["light", "dark"]))
def test_axe_finds_nothing_in_a_review(server: ServerProcess, open_page: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_game(open_page, server, color_scheme=scheme)
    review(page)
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#board .odds")
    results = axe.run(page)
    assert results.violations_count == 0, results.generate_report()
