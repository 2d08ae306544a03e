"""The page in other languages: catalogues without gaps, and the page itself in German and French."""

import re
from collections import defaultdict
from typing import Any

import pytest
from starlette.testclient import TestClient

from solitaire_agents.catalogue import LANGUAGES_OF_AGENTS
from solitaire_envs.tour_infernale_words import WORDS
from solitaire_envs.words import LANGUAGES, read_catalogue
from solitaire_web.about import LANGUAGES_OF_PAGE, language_of, languages, words_of
from tests.environments import few
from tests.web.driver import NEEDS_CHROMIUM, ONE_PASS, PHONE, PYRAMID, Player, ServerProcess, open_sheet
from tests.web.said import all_said
from tests.web.test_hands import moves_from

OTHERS = [language for language in languages() if language != "en"]
PLACE = re.compile(r"\{\w+\}")
SHIPPED = [LANGUAGES_OF_PAGE, *LANGUAGES.iterdir(), *LANGUAGES_OF_AGENTS.parent.rglob("languages")]


@pytest.fixture(scope="module")
def texts() -> set[str]:
    return all_said()


def test_german_and_french_are_there() -> None:
    assert languages() == ("de", "en", "fr")


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_has_no_gaps_and_nothing_unused(language: str, texts: set[str]) -> None:
    words = words_of(language)
    assert sorted(texts - set(words)) == []
    assert sorted(set(words) - texts) == []
    assert all(words.values())


@pytest.mark.parametrize("language", OTHERS)
def test_places_for_values_are_alike(language: str) -> None:
    unlike = {text: said for text, said in words_of(language).items() if set_of(text) != set_of(said)}
    assert unlike == {}


def set_of(text: str) -> set[str]:
    return set(PLACE.findall(text))


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_has_two_translations(language: str) -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for folder in SHIPPED:
        for text, said in read_catalogue([folder], language).items():
            found[text].add(said)
    assert {text: said for text, said in found.items() if len(said) > 1} == {}


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("de-CH,de;q=0.9,en;q=0.8", "de"),
        ("fr", "fr"),
        ("nl,fr-BE", "fr"),
        ("en-GB,de", "en"),
        ("", "en"),
        ("../de", "en"),
        ("DE", "de"),
    ],
)
def test_the_first_language_that_there_is_is_taken(wanted: str, language: str, client: TestClient) -> None:
    assert language_of(wanted) == language
    about = client.get("/api/about", params={"languages": wanted}).json()
    assert about["language"] == language
    assert bool(about["words"]) == (language != "en")


# --- In a real browser ------------------------------------------------------------------------------------------------


@NEEDS_CHROMIUM
def test_the_language_of_the_browser_is_taken(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(ONE_PASS, 7), locale="de-CH")
    assert page.locator("html").get_attribute("lang") == "de"
    assert page.locator("h1").inner_text() == "La tour infernale, ein Durchgang"
    assert page.locator("#draw").inner_text() == "Aufdecken"
    assert page.locator("#board .status").inner_text() == "Durchgang 1 von 1 · Zug 0 · Punkte 0"
    assert page.locator('#board g[data-place="stock"]').get_attribute("aria-label") == "verdeckt, Talon 46"
    page.locator("details:has(#rules) summary").click()
    assert page.locator("#rules p").count() == len(WORDS.rules)
    assert page.locator("#rules").inner_text().startswith("6 Stapel beginnen mit je einer Karte.")
    page.click("#new")
    assert "Durchgänge durch den Talon" in page.locator("#options").inner_text()


@NEEDS_CHROMIUM
def test_another_language_is_chosen_and_remembered(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, "draw"))
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("#language option").all_text_contents() == ["Deutsch", "English", "Français"]
    page.locator("#settings-part summary").click()
    page.select_option("#language", "fr")
    page.wait_for_function("() => document.documentElement?.lang === 'fr' && document.querySelector('#board g.source')")
    assert "coup 1" in page.locator("#board .status").inner_text()
    page.goto("about:blank")
    page.goto(server.address(PYRAMID, 8))
    page.wait_for_function("() => document.documentElement?.lang === 'fr' && document.querySelector('#board g.source')")
    page.click("#new")
    assert page.locator("#daily").inner_text() == "Donne du jour"
    page.click("#new-close")
    page.locator("#settings-part summary").click()
    page.select_option("#language", "en")
    page.wait_for_function("() => document.documentElement?.lang === 'en' && document.querySelector('#board g.source')")
    page.click("#new")
    assert page.locator("#daily").inner_text() == "Deal of the day"


@NEEDS_CHROMIUM
def test_reasons_and_refusals_are_in_the_language(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7), locale="de")
    player = Player(page, PYRAMID, 7)
    places = [f"row 7, card {number + 1}" for number in range(7)]
    first = next(place for place in places if place not in moves_from(player))
    for point in player.middles(first, next(place for place in places if place != first)):
        page.mouse.click(*point)
    page.wait_for_function("() => /ein Paar ergibt 13/.test(document.getElementById('said').textContent)")
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    page.wait_for_function("() => /^Tipp: /.test(document.getElementById('said').textContent)")
    page.click("#new")
    page.fill("#deal", "-1")
    page.click("#go")
    page.wait_for_function("() => /ist eine ganze Zahl/.test(document.getElementById('new-said').textContent)")
    page.click("#new-close")
    page.click("#draw")
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('Zug 1 ')")
    page.click("#new")
    page.click("#random")
    page.wait_for_selector("#question[open]")
    assert page.locator("#question-no").inner_text() == "Weiterspielen"


@NEEDS_CHROMIUM
def test_the_end_and_the_analysis_are_in_the_language(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7), locale="de")
    page.locator("#analysis-part summary").click()
    page.get_by_role("switch").check()
    page.check("#solver")
    page.wait_for_selector("#verdict-out .verdict")
    assert "Der Agent schätzt seine Gewinnchance auf 0," in page.locator("#analysis-out").inner_text()
    assert page.locator("#verdict-out").inner_text().startswith("Der Löser, der den Talon sieht:")
    page = open_page(server.address(PYRAMID, 7, max_moves=2), locale="de")
    for number in (1, 2):
        page.click("#draw")
        page.wait_for_function(
            "n => document.querySelector('#board .status').textContent.includes(`Zug ${n}`)", arg=number
        )
    page.wait_for_selector("#end:not([hidden])")
    assert page.locator("#end-title").inner_text() == "Das Spiel ist vorbei"
    assert page.locator("#end-facts dt").all_inner_texts()[:3] == ["Punkte", "Züge", "Zeit"]


@NEEDS_CHROMIUM
@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("settings", few([PHONE, {"viewport": {"width": 1440, "height": 900}}]))
def test_nothing_is_left_in_english_or_overflows(
    server: ServerProcess, open_page: Any, language: str, settings: Any
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(server.address(ONE_PASS, 7, "draw draw"), locale=language, **settings)
    open_sheet(page)
    while (closed := page.locator("details:not([open]) > summary")).count():
        closed.first.click()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    shown = page.locator("body").inner_text()
    english = [text for text, said in words_of(language).items() if len(text) > 20 and text != said]
    assert [text for text in english if text in shown] == []
    assert axe.run(page).violations_count == 0
