"""The end of a game on the page: what came of it, what to do next, a celebration of a win."""

from typing import Any

import pytest

from tests.environments import few
from tests.web.driver import NEEDS_CHROMIUM, PYRAMID, TOUR, ServerProcess
from tests.web.test_hands import SUITS_IN_ORDER

pytestmark = NEEDS_CHROMIUM
SMALL = {"width": 360, "height": 740}


def facts(page: Any) -> dict[str, str]:
    names, texts = (page.locator(f"#end-facts {tag}").all_inner_texts() for tag in ("dt", "dd"))
    return dict(zip(names, texts, strict=True))


def draw_twice(page: Any) -> None:
    """Plays a game of two moves to its end."""
    page.click("#draw")
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 1 ')")
    page.click("#draw")
    page.wait_for_selector("#end:not([hidden])")


def end_by_hand(open_page: Any, server: ServerProcess) -> Any:
    page = open_page(server.address(PYRAMID, 7, max_moves=2))
    draw_twice(page)
    return page


def play_first_moves(page: Any) -> None:
    """Plays the first move of the list, again and again, until the game ends."""
    ended = "before => !document.getElementById('end').hidden || document.querySelector('#board .status').textContent"
    while not page.locator("#end").is_visible():
        before = page.locator("#board .status").text_content()
        page.evaluate("() => document.querySelector('#moves button').click()")
        page.wait_for_function(f"{ended} !== before", arg=before)


def test_the_end_tells_what_came_of_it(server: ServerProcess, open_page: Any) -> None:
    page = end_by_hand(open_page, server)
    assert page.locator("#end-title").inner_text() == "The game is over"
    told = facts(page)
    assert (told["Score"], told["Moves"]) == ("\N{MINUS SIGN}52", "2")
    assert told["Time"].startswith("0:")
    assert told["Par over the last 6"].startswith("1 of 6 games, \N{MINUS SIGN}52")
    page.click("#end-close")
    assert not page.locator("#end").is_visible()


def test_the_end_tells_what_perfect_play_would_have_had(server: ServerProcess, open_page: Any) -> None:
    moves = " ".join(["draw"] * 24)
    page = open_page(server.address(PYRAMID, 7, moves, passes=1))
    play_first_moves(page)
    page.wait_for_function("() => /score/.test(document.querySelector('#end-facts dd:last-child').textContent)")
    assert facts(page)["Perfect play"].split(",")[0] in ("a win", "no win", "not known whether a win")


def test_again_and_next(server: ServerProcess, open_page: Any) -> None:
    page = end_by_hand(open_page, server)
    page.click("#again")
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 0 ')")
    assert not page.locator("#end").is_visible()
    assert "deal=7" in page.url
    draw_twice(page)
    assert "for the first time" in page.locator("#end-note").inner_text()
    page.click("#next")
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 0 ')")
    assert "deal=7&" not in page.url + "&"


def test_the_end_leads_to_the_review(server: ServerProcess, open_page: Any) -> None:
    moves = " ".join(["draw"] * 24)
    page = open_page(server.address(PYRAMID, 7, moves, passes=1))
    play_first_moves(page)
    page.click("#end-review")
    page.wait_for_selector("#graph polyline")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_win_is_celebrated_where_motion_is_wanted(server: ServerProcess, open_page: Any, motion: str) -> None:
    moves = [f"{card}>F" for card in SUITS_IN_ORDER.split()[:6]]
    moves += [move for card in SUITS_IN_ORDER.split()[6:] for move in ("draw", f"{card}>F")]
    address = server.address(TOUR, 0, " ".join(moves[:-1]), deck=SUITS_IN_ORDER)
    page = open_page(address, reduced_motion=motion)
    page.locator("#moves button", has_text="foundation").click()
    page.wait_for_selector("#end:not([hidden])")
    assert page.locator("#end-title").inner_text() == "You have won"
    page.wait_for_function("() => /^a win/.test(document.querySelector('#end-facts dd:last-child').textContent)")
    assert page.locator(".celebration").count() == (motion == "no-preference")


@pytest.mark.parametrize("scheme", few(["light", "dark"]))
def test_axe_finds_nothing_at_the_end(server: ServerProcess, open_page: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(server.address(PYRAMID, 7, "draw", max_moves=2), color_scheme=scheme, viewport=SMALL)
    page.wait_for_selector("#shared:not([hidden])")
    page.click("#draw")
    page.wait_for_selector("#end:not([hidden])")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert axe.run(page).violations_count == 0
    page.click("#again")
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 0 ')")
    page.click("#draw")
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 1 ')")
    page.click("#new")
    assert axe.run(page).violations_count == 0
    page.click("#random")
    page.wait_for_selector("#question[open]")
    assert axe.run(page).violations_count == 0
