"""Words for people on the page: titles, options, cards, deals, one status."""

import re
from typing import Any

from tests.web.driver import NEEDS_CHROMIUM, ONE_PASS, PYRAMID, ServerProcess

pytestmark = NEEDS_CHROMIUM


def test_games_and_options_are_named_in_words(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(ONE_PASS, 7, passes=2))
    assert page.locator("#deal-name").inner_text() == "Deal 7 · Passes through the stock: 2"
    page.click("#new")
    titles = page.locator("#shelf b").all_inner_texts()
    assert titles[:4] == ["La tour infernale, one pass", "Pyramid", "Pyramid, a par series", "La tour infernale"]
    assert page.locator("h1").inner_text() == "La tour infernale, one pass"
    assert page.locator("#about-game").inner_text().startswith("Build each suit up")
    texts = page.locator("#options").inner_text()
    assert "Passes through the stock" in texts
    assert "see" not in texts  # what is for agents alone
    assert not re.search(r"[a-z]_[a-z]|None|True|False", texts)
    assert page.input_value("#option-passes") == "2"


def test_cards_are_written_alike(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(ONE_PASS, 7, "draw draw"))
    page.locator("#analysis-part summary").click()
    page.get_by_role("switch").check()
    page.wait_for_selector("#analysis-out .bar")
    for place in ("#moves", "#analysis-out"):
        text = page.locator(place).inner_text()
        assert not re.search(r"\b[A2-9TJQK][CDHS]\b|>", text)
    assert page.locator("#moves").inner_text().strip()


def test_deals_have_short_numbers(server: ServerProcess, open_page: Any) -> None:
    page = open_page(f"http://127.0.0.1:{server.port}/")
    assert re.fullmatch(r"Deal \d{7}", page.locator("#deal-name").inner_text())
    page.click("#daily")
    page.wait_for_function("() => document.getElementById('deal-name').textContent === 'Deal of the day'")
    page.keyboard.press("n")
    page.fill("#deal", str(2**64 - 1))
    page.click("#go")
    page.wait_for_function("() => document.getElementById('deal-name').textContent.length < 14")
    assert page.locator("#deal-name").get_attribute("title") == f"Deal {2**64 - 1}"


def test_there_is_one_status(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, "draw"))
    page.wait_for_load_state("networkidle")
    assert page.locator("#play").inner_text().count("pass 1 of 3") == 1


def test_agents_that_do_not_play_these_rules_are_left_out(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, passes=2))
    page.locator("#analysis-part summary").click()
    page.wait_for_function("() => document.getElementById('agents-left-out').textContent.includes('patient')")
    assert "patient" not in page.locator("#agent option").all_inner_texts()
    assert "best" in page.locator("#agent option").all_inner_texts()
