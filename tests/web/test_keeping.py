"""Nothing is lost on the page, and nothing is credited to who has not played it."""

from typing import Any

import numpy as np
import pytest

from tests.environments import few
from tests.web.driver import NEEDS_CHROMIUM, ONE_PASS, PYRAMID, TOUR, Player, ServerProcess

pytestmark = NEEDS_CHROMIUM


def games_so_far(page: Any) -> int:
    return int(page.locator("#tally tr").first.inner_text().split()[1])


def begin(open_page: Any, server: ServerProcess, env: str = PYRAMID, deal: int = 7, **options: Any) -> Player:
    """Returns a game with three draws made by hand."""
    page = open_page(server.address(env, deal, **options))
    player = Player(page, env, deal, **options)
    draw_on(player, 3)
    return player


def draw_on(player: Player, count: int) -> None:
    for _ in range(count):
        player.page.keyboard.press("d")
        player.engine.step(np.array([player.engine.parse_move(0, "draw")]))
        player.expect()


def choose(page: Any, button: str, env: str = PYRAMID) -> None:
    """Chooses a new game."""
    page.click("#new")
    page.click(f'#shelf [data-env="{env}"]')
    page.click(button)


LEAVING = {
    "random": lambda page: choose(page, "#random"),
    "daily": lambda page: choose(page, "#daily"),
    "deal": lambda page: choose(page, "#go"),
    "game": lambda page: choose(page, "#go", TOUR),
    "back": lambda page: page.go_back(),
    "link": lambda page: page.evaluate("() => { location.hash = '#env=solitaire/TourInfernale-v0&deal=3'; }"),
}


@pytest.mark.parametrize("way", few(LEAVING, 2))
def test_a_game_under_way_is_left_only_by_consent(server: ServerProcess, open_page: Any, way: str) -> None:
    player = begin(open_page, server)
    page, address = player.page, player.page.url
    LEAVING[way](page)
    page.wait_for_selector("#question[open]")
    page.click("#question-no")
    player.expect()
    page.wait_for_url(address)
    assert page.locator("h1").inner_text() == "Pyramid"
    LEAVING[way](page)
    page.wait_for_selector("#question[open]")
    page.click("#question-yes")
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 0 ')")
    assert page.url != address


def test_nobody_is_asked_where_nothing_is_lost(server: ServerProcess, open_page: Any) -> None:
    player = begin(open_page, server)
    page = player.page
    page.click("#restart")
    page.click("#question-yes")
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 0 ')")
    for _ in range(3):
        page.keyboard.press("r")
    player.expect()
    other = open_page(page.url)  # looked at
    choose(other, "#random")
    other.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 0 ')")
    assert not other.locator("#question").is_visible()


def test_games_are_forgotten_only_by_consent(server: ServerProcess, open_page: Any) -> None:
    page = begin(open_page, server, max_moves=4).page
    page.keyboard.press("d")
    page.wait_for_selector("#end:not([hidden])")
    assert games_so_far(page) == 1
    for button, left in (("#question-no", 1), ("#question-yes", 0)):
        page.click("#forget")
        page.click(button)
        page.wait_for_selector("#question", state="hidden")
        page.wait_for_function(
            "left => document.querySelector('#tally tr').innerText.split(/\\s+/)[1] === left", arg=str(left)
        )


def test_a_shared_game_that_is_over_counts_for_nobody(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, "draw draw", max_moves=2))
    page.wait_for_selector("#end:not([hidden])")
    assert games_so_far(page) == 0
    assert page.locator("#end-title").inner_text() == "A shared game that is over"
    assert page.locator("#shared").is_visible()
    page.reload()
    page.wait_for_selector("#end:not([hidden])")
    assert games_so_far(page) == 0


def test_a_shared_game_is_played_from_there_and_does_not_count(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, "draw draw", max_moves=4))
    assert page.locator("#shared").is_visible()
    page.keyboard.press("u")
    assert page.locator("#shared").is_visible()
    player = Player(page, PYRAMID, 7, max_moves=4)
    player.engine.step(np.array([player.engine.parse_move(0, "draw")]))
    player.expect()
    draw_on(player, 1)
    assert not page.locator("#shared").is_visible()
    page.reload()
    player.expect()
    draw_on(player, 2)
    page.wait_for_selector("#end:not([hidden])")
    assert games_so_far(page) == 0
    assert "does not count" in page.locator("#end-note").inner_text()
    page.click("#again")
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 0 ')")
    draw_on(Player(page, PYRAMID, 7, max_moves=4), 4)
    page.wait_for_function("() => document.querySelector('#tally tr').innerText.includes('1')")


def test_a_game_of_ones_own_counts_after_a_reload(server: ServerProcess, open_page: Any) -> None:
    player = begin(open_page, server, max_moves=4)
    player.page.reload()
    player.expect()
    assert not player.page.locator("#shared").is_visible()
    draw_on(player, 1)
    player.page.wait_for_selector("#end:not([hidden])")
    assert games_so_far(player.page) == 1


def test_the_page_without_an_address_goes_on_with_the_game(server: ServerProcess, open_page: Any) -> None:
    player = begin(open_page, server)
    player.page.goto("about:blank")
    player.page.goto(f"http://127.0.0.1:{server.port}/")
    player.expect()
    assert not player.page.locator("#shared").is_visible()


def test_what_cannot_be_dealt_is_told_in_the_dialog(server: ServerProcess, open_page: Any) -> None:
    player = begin(open_page, server)
    page = player.page
    page.click("#new")
    for field, value, told in (
        ("#deal", "-1", "number of a deal"),
        ("#option-passes", "0", "Passes through the stock cannot be 0."),
    ):
        page.fill(field, value)
        page.click("#go")
        page.wait_for_function("told => document.getElementById('new-said').textContent.includes(told)", arg=told)
        page.fill(field, "3")
    page.click("#new-close")
    player.expect()


@pytest.mark.parametrize(
    ("address", "told", "title"),
    [
        ("#env=solitaire/Pyramid-v0&passes=0&deal=7", "Passes through the stock cannot be 0.", "Pyramid"),
        ("#env=solitaire/Patience-v9&deal=7", "This page does not have the game solitaire/Patience-v9.", "Pyramid"),
        ("#env=solitaire/Pyramid-v0&deal=x", "number of a deal", "Pyramid"),
    ],
)
def test_a_link_to_what_cannot_be(server: ServerProcess, open_page: Any, address: str, told: str, title: str) -> None:
    page = open_page(f"http://127.0.0.1:{server.port}/{address}")
    page.wait_for_function("told => document.getElementById('said').textContent.includes(told)", arg=told)
    assert page.locator("h1").inner_text() == title


def test_the_page_opens_with_the_game_played_last(server: ServerProcess, open_page: Any) -> None:
    player = begin(open_page, server, ONE_PASS, max_moves=4)
    draw_on(player, 1)
    player.page.wait_for_selector("#end:not([hidden])")
    player.page.goto("about:blank")
    player.page.goto(f"http://127.0.0.1:{server.port}/")
    player.page.wait_for_selector("#board g.source")
    assert player.page.locator("h1").inner_text() == "La tour infernale, one pass"
    assert "max_moves=4" in player.page.url
    assert not player.page.url.endswith("deal=7")
