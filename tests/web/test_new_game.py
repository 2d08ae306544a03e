"""Where a new game is chosen, the page as an installed app, and the table beside the rules."""

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from solitaire_envs.catalogue import CATALOGUE
from tests.environments import QUICK, few
from tests.web.driver import NEEDS_CHROMIUM, ONE_PASS, PYRAMID, TOUR, ServerProcess

STATUS = "text => document.querySelector('#board .status').textContent.includes(text)"


def chosen(page: Any) -> str:
    """Returns the environment that is chosen on the shelf."""
    return str(page.get_attribute("#shelf [data-env][aria-pressed=true]", "data-env"))


@NEEDS_CHROMIUM
def test_game_options_and_deal_are_chosen_together(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, passes=2))
    page.click("#new")
    assert chosen(page) == PYRAMID
    assert page.input_value("#option-passes") == "2"
    page.click(f'#shelf [data-env="{ONE_PASS}"]')
    assert page.input_value("#option-passes") == "1"  # those of the other game
    page.fill("#option-piles", "5")
    page.fill("#deal", "12")
    assert page.locator("h1").inner_text() == "Pyramid"  # nothing has been dealt
    page.click("#go")
    page.wait_for_function("() => document.querySelectorAll('#board g[data-place^=pile]').length === 5")
    assert page.locator("h1").inner_text() == "La tour infernale, one pass"
    assert page.locator("#deal-name").inner_text() == "Deal 12 · Piles: 5"
    assert "piles=5" in page.url
    assert "deal=12" in page.url


@NEEDS_CHROMIUM
def test_the_shelf_has_the_games_to_search_and_to_keep(server: ServerProcess, open_page: Any) -> None:
    page = open_page(f"http://127.0.0.1:{server.port}/")
    assert page.locator("#new-game").is_visible()  # nothing has been played here
    assert page.locator("#shelf [data-env]").count() == len(CATALOGUE)
    page.evaluate("""() => localStorage.setItem('solitaire-rl games solitaire/Golf-v0 {}', JSON.stringify(
        [{ deal: '1', won: true, score: 1, at: 1, seconds: 1 },
         { deal: '2', won: false, score: 1, at: 2, seconds: 1 }]))""")
    page.fill("#search", "golf")
    assert page.locator("#shelf b").all_inner_texts() == ["Golf"]
    assert page.locator("#shelf small").inner_text() == "hidden cards · 43\u00a0% can be won · 1 of 2 won"
    page.click("#shelf .star")
    page.fill("#search", "")
    assert page.locator("#shelf b").all_inner_texts()[:2] == ["Pyramid", "Golf"]
    page.fill("#search", "x1")
    assert page.locator("#shelf").inner_text() == "No game has that name."


@NEEDS_CHROMIUM
def test_options_are_chips_in_words(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address("solitaire/Klondike-v0", 7, max_moves=90))
    page.click("#new")
    page.locator(".chip", has_text="one card").click()
    assert "What agents see" not in page.locator("#options").inner_text()
    page.click("#random")
    page.wait_for_function(
        "() => document.getElementById('deal-name').textContent.includes('A draw turns over: one card')"
    )
    assert "draw=1" in page.url
    assert "max_moves=90" in page.url  # what the address had stays


@NEEDS_CHROMIUM
def test_settings_are_kept(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7))
    rimmed = "() => [...document.querySelectorAll('#board .source .rim')].map(rim => rim.getAttribute('stroke-width'))"
    assert "5" not in page.evaluate(rimmed)
    page.locator("#settings-part summary").click()
    for setting in ("#rims", "#colours", "#large", "#left"):
        page.check(setting)
    page.uncheck("#motion")
    page.select_option("#backs", "red")
    page.reload()
    page.wait_for_selector("#board g.source")
    assert "5" in page.evaluate(rimmed)
    looks = page.evaluate("() => [document.body.className.split(' ').sort().join(' '), document.body.dataset.backs]")
    assert looks == ["colours large left open rims still", "red"]


@NEEDS_CHROMIUM
def test_a_new_game_that_is_not_dealt_changes_nothing(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, "draw"))
    address = page.url
    for close in (lambda: page.click("#new-close"), lambda: page.keyboard.press("Escape")):
        page.keyboard.press("n")
        page.click(f'#shelf [data-env="{TOUR}"]')
        page.fill("#deal", "12")
        close()
        page.wait_for_selector("#new-game", state="hidden")
    page.keyboard.press("d")
    page.wait_for_function(STATUS, arg="move 2 ")
    page.keyboard.press("u")
    page.wait_for_function(STATUS, arg="move 1 ")
    assert page.url == address
    page.keyboard.press("n")
    assert chosen(page) == PYRAMID
    assert page.input_value("#deal") == "7"


@NEEDS_CHROMIUM
def test_a_key_counts_as_soon_as_a_dialog_is_closed(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7))
    page.keyboard.press("n")
    page.fill("#deal", "12")
    focused = """() => {
        document.querySelector('#new-game').close();
        const field = document.activeElement;
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'd', bubbles: true }));
        return field.id;
    }"""
    assert page.evaluate(focused) == "deal"  # until the next frame is drawn
    page.wait_for_function(STATUS, arg="move 1 ")


@NEEDS_CHROMIUM
def test_a_browser_would_install_the_page(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7))
    session = page.context.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert manifest["url"].endswith("/static/patience.webmanifest")
    errors = {error["errorId"] for error in session.send("Page.getInstallabilityErrors")["installabilityErrors"]}
    assert errors <= {"in-incognito"}  # as every page of these tests is


def test_the_manifest_names_files_that_there_are(client: TestClient) -> None:
    answer = client.get("/static/patience.webmanifest")
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = json.loads(answer.text)
    for icon in manifest["icons"]:
        file = client.get(icon["src"])
        assert file.status_code == 200
        assert file.headers["content-type"] == icon["type"]
    assert client.get(manifest["start_url"]).status_code == 200


@NEEDS_CHROMIUM
def test_the_rules_have_a_picture_of_their_table(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, "draw"))
    page.locator("#rules-part summary").click()
    page.wait_for_selector("#rules-table g[data-key^=card]")
    assert page.locator("#rules-table svg").get_attribute("aria-label") == "The table of Pyramid, at the start"
    assert page.locator("#rules-table g.source").count() == 0  # it is to be looked at
    page.click("#new")
    page.click(f'#shelf [data-env="{TOUR}"]')
    page.fill("#option-piles", "5")
    page.click("#random")
    page.wait_for_function("() => document.querySelectorAll('#rules-table g[data-place^=pile]').length === 5")


@NEEDS_CHROMIUM
@pytest.mark.parametrize("env", few(QUICK, 4))
def test_each_board_and_its_status_are_in_the_first_screen(server: ServerProcess, open_page: Any, env: str) -> None:
    page = open_page(server.address(env, 7))
    for width, height in ((1280, 800), (360, 740), (740, 360)):
        page.set_viewport_size({"width": width, "height": height})
        for part in ("#board .status", "#board svg"):
            box = page.locator(part).bounding_box()
            assert box["y"] >= 0, part
            assert box["y"] + box["height"] <= height, part
            assert box["x"] + box["width"] <= width, part
