"""The page in a real browser: Debian's Chromium, driven by Playwright."""

import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.people import Games
from solitaire_training.commands.main import main
from tests.environments import few
from tests.web.driver import NEEDS_CHROMIUM, ONE_PASS, PHONE, PYRAMID, WIDE, Player, ServerProcess, open_sheet

pytestmark = NEEDS_CHROMIUM

WAYS = {"by_mouse": WIDE, "by_touch": PHONE, "by_keyboard": WIDE}
GAMES = [("by_mouse", PYRAMID, "en"), ("by_keyboard", ONE_PASS, "de")]
MORE_GAMES = [("by_touch", ONE_PASS, "fr"), ("by_mouse", ONE_PASS, "de"), ("by_mouse", ONE_PASS, "fr")]
MORE_GAMES += [
    ("by_touch", PYRAMID, "de"),
    ("by_touch", PYRAMID, "en"),
    ("by_keyboard", PYRAMID, "fr"),
    ("by_keyboard", ONE_PASS, "en"),
]


@pytest.mark.parametrize(("way", "env", "language"), few([*GAMES, *MORE_GAMES], len(GAMES)))
def test_a_whole_game(server: ServerProcess, open_page: Any, way: str, env: str, language: str) -> None:
    deal = len(way)
    options = {"max_moves": 25} if env == ONE_PASS else {"passes": 1 + (way == "by_mouse")}  # short games
    page = open_page(server.address(env, deal, **options), locale=language, **WAYS[way])
    player, rng = Player(page, env, deal, language, **options), np.random.default_rng(deal)
    player.expect()
    while not player.over:
        _, gestures = player.choose(rng)
        getattr(player, way)(gestures)
        player.expect()
    said = page.locator("#said").inner_text()
    assert any(player.in_words(ending) in said for ending in ("The game is over", "You have won"))
    open_sheet(page)
    assert page.locator("#tally tr").first.inner_text().split() == [player.in_words("Games"), "1"]


def test_undo_redo_reload_and_link(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7))
    player, rng = Player(page, PYRAMID, 7), np.random.default_rng(1)
    for _ in range(8):
        player.by_mouse(player.choose(rng)[1])
        player.expect()
    for _ in range(8):
        page.keyboard.press("u")
        page.wait_for_function("() => !document.querySelector('#board .status').textContent.includes('move 8')")
    Player(page, PYRAMID, 7).expect()
    for _ in range(8):
        page.get_by_role("button", name="Redo").click()
    player.expect()
    page.reload()
    player.expect()
    other = open_page(page.url)
    Player.expect(player)
    player.page = other
    player.expect()


def test_a_drop_elsewhere_goes_back(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(ONE_PASS, 1))
    player = Player(page, ONE_PASS, 1)
    page.mouse.move(*player.middles("pile 1")[0])
    page.mouse.down()
    page.mouse.move(5, 500, steps=3)
    page.mouse.up()
    player.expect()


def test_analysis_comes_and_can_be_cancelled(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7, "draw draw"))
    page.locator("#analysis-part summary").click()
    page.select_option("#agent", "planner")
    page.get_by_role("switch").check()
    page.wait_for_function("() => document.querySelectorAll('#analysis-out .bar').length > 1")
    page.click("#cancel")  # before the end, on a slow machine too
    page.wait_for_function("() => document.querySelector('#analysis-out .note').textContent === 'Cancelled.'")
    page.wait_for_selector("#board .advised")
    page.check("#solver")
    page.wait_for_selector("#verdict-out .verdict")
    page.click("#draw")  # play goes on at once
    page.wait_for_function("() => document.querySelector('#board .status').textContent.includes('move 3')")


def test_a_game_is_reviewed_and_tried_again(server: ServerProcess, open_page: Any) -> None:
    player, rng = Player(None, PYRAMID, 7), np.random.default_rng(0)
    for _ in range(20):
        player.choose(rng)
    page = open_page(server.address(PYRAMID, 7, " ".join(player.moves)))
    page.locator("#review-part summary").click()
    page.click("#review")
    page.wait_for_selector("#lost h2")
    page.wait_for_selector("#graph polyline")
    button = page.locator("#lost button").first
    at = int(button.get_attribute("data-at"))
    button.click()
    page.wait_for_function("at => document.querySelector('#board .status').textContent.includes(`move ${at} `)", arg=at)
    page.get_by_role("button", name="Redo").click()


@pytest.mark.slow
def test_two_agents_side_by_side(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 3))
    page.locator("#watch-part summary").click()
    page.select_option("#watch-1", "careful")
    page.select_option("#watch-2", "pyramid-first")
    page.fill("#speed", "0")
    page.click("#watch")
    ended = """([board, seat]) => /over|won/.test(document.querySelector(`${board} .status`).textContent)
        || document.querySelector(seat).textContent.includes('gives up')"""
    for board, seat in (("#board", "#seat-1"), ("#board-2", "#seat-2")):
        page.wait_for_function(ended, arg=[board, seat])


@pytest.mark.slow
def test_a_counted_game_survives_the_server_and_becomes_a_row(
    tmp_path: Path, open_page: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    server = ServerProcess(tmp_path)
    page = open_page(server.address(PYRAMID, 7, passes=1))
    page.locator("#count-part summary").click()
    page.fill("#player", "ada")
    page.click("#count")
    page.wait_for_function("() => document.getElementById('deal-name').textContent.includes('for the count')")
    game = Games(tmp_path).offer("ada", make_env_spec(PYRAMID, {"passes": 1}))  # the one under way
    player, rng = Player(page, PYRAMID, game.deal, passes=1), np.random.default_rng(3)
    player.expect()
    assert page.locator("#undo").is_disabled()
    while not player.over:
        if len(player.moves) == 5:
            server.stop(signal.SIGKILL)
            _, gestures = player.choose(rng)
            player.by_mouse(gestures)
            page.wait_for_selector("#banner:not([hidden])")
            assert "Nothing is lost" in page.locator("#banner").inner_text()
            server.start()
            player.expect()
            page.reload()
            page.wait_for_selector("#board g.source")
            assert page.locator("#undo").is_disabled()  # it goes on counting
            assert game.id not in page.url
        else:
            player.by_mouse(player.choose(rng)[1])
        player.expect()
    page.wait_for_selector("#counted table", state="attached")  # in a part that is closed since the reload
    server.stop()
    assert Games(tmp_path).finished("ada")[0].transcript.moves == player.moves
    rules = ["--option", "passes=1"]
    assert main(["compare", "--agents", "human:ada,careful", *rules, "--data", str(tmp_path), "--jobs", "1"]) == 0
    assert "human:ada" in capsys.readouterr().out


@pytest.mark.parametrize(("scheme", "width"), few([("light", 360), ("dark", 1440), ("dark", 360), ("light", 1440)]))
def test_axe_finds_nothing(server: ServerProcess, open_page: Any, scheme: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(
        server.address(ONE_PASS, 7, "draw draw"), color_scheme=scheme, viewport={"width": width, "height": 900}
    )
    open_sheet(page)
    while (closed := page.locator("details:not([open]) > summary")).count():
        closed.first.click()
    page.get_by_role("switch").check()
    page.wait_for_selector("#analysis-out .bar")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    results = axe.run(page)
    assert results.violations_count == 0, results.generate_report()
    page.click("#new")
    page.wait_for_selector("#shelf svg")
    results = axe.run(page)
    assert results.violations_count == 0, results.generate_report()
