"""Draws the pictures of the page about the browser: `python docs/web_pictures.py`. Needs the extras web and test."""

import io
import itertools
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.web.driver import CHROMIUM, FLAGS, ServerProcess, open_sheet  # noqa: E402  # the folder has to be found first

IMAGES = ROOT / "docs" / "images"
MIDDLE = 9
"""Move of the game that is played to its end after which there are pictures of play."""
KEPT = """
const score = place => [50, -8, 35, -31, 12, 50, -20, 42, -40, 18][place * 7 % 10];
const games = Array.from({ length: 48 }, (_, place) => ({
  deal: String(100 + place), score: score(place), won: score(place) > 30,
  seconds: 95 + place * 37 % 240, at: 1.79e12 + place,
}));
if (location.protocol === "http:") {
  localStorage.setItem('solitaire-rl games solitaire/Pyramid-v0 {"passes":1}', JSON.stringify(games));
}
"""
"""Games of a player, made up for the picture of the figures."""
FRAMES = 12
PATIENCE = 300_000
"""Milliseconds, for a machine that has other things to do."""


def ask_the_planner(page: Any) -> None:
    """Opens the analysis and turns it on."""
    open_sheet(page)
    page.locator("#analysis-part summary").click()
    page.select_option("#agent", "planner")
    page.get_by_role("switch").check()


def shoot(browser: Any, server: ServerProcess, width: int, scheme: str) -> None:
    """Takes the pictures of a game from its start to one's own figures."""
    height = 740 if width < 500 else 900
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", locale="en"
    )
    page.set_default_timeout(PATIENCE)
    page.add_init_script(KEPT)

    def take(state: str) -> None:
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(64)
        target = IMAGES / f"web-{state}-{width}-{scheme}.png"
        picture.save(target, optimize=True)
        print(target)

    page.goto(server.address("solitaire/Pyramid-v0", 7, passes=1))
    page.wait_for_selector("#board g.source")
    take("start")
    ask_the_planner(page)
    page.check("#solver")
    page.wait_for_selector("#verdict-out .verdict")
    page.wait_for_timeout(3_000)  # more orders are sampled
    page.locator("#analysis-part").evaluate("part => part.scrollIntoView()")
    take("analysis")
    page.get_by_role("switch").uncheck()
    page.uncheck("#solver")
    page.locator("#analysis-part summary").click()
    page.evaluate("() => scrollTo(0, 0)")
    for number in itertools.count(1):
        page.locator("#moves button").last.click()  # to draw is the first
        shown = "n => document.querySelector('#board .status').textContent.includes(`move ${n} `)"
        page.wait_for_function(shown, arg=number)
        if number == MIDDLE:
            page.evaluate("() => scrollTo(0, 0)")
            take("play")
            page.keyboard.press("h")
            page.wait_for_selector("#board .advised")
            take("hint")
        if page.locator("#end").is_visible():
            break
    page.wait_for_function("() => !document.querySelector('#end-facts').textContent.includes('\u2026')")
    page.locator("#end").scroll_into_view_if_needed()
    take("end")
    page.click("#end-review")
    page.wait_for_selector("#lost h2")
    page.keyboard.press("Home")
    page.wait_for_selector("#board .odds")
    page.locator("#graph").evaluate("graph => graph.scrollIntoView()")
    take("review")
    page.click("#figures-open")
    take("figures")
    page.close()


def animate(browser: Any, server: ServerProcess) -> None:
    """Films some moves that the planner chooses, with its odds."""
    page = browser.new_page(viewport={"width": 960, "height": 860}, color_scheme="light", reduced_motion="reduce")
    page.set_default_timeout(PATIENCE)
    page.goto(server.address("solitaire/Pyramid-v0", 7))
    page.wait_for_selector("#board g.source")
    ask_the_planner(page)
    frames = []
    for number in range(1, FRAMES + 1):
        page.wait_for_selector("#board .advised")
        page.wait_for_function("() => document.querySelectorAll('#analysis-out .bar').length")
        page.wait_for_timeout(300)
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize((720, 645), Image.Resampling.LANCZOS)
        frames.append(picture.quantize(48))
        move = page.locator("#analysis-out strong").inner_text()
        page.locator("#moves button").get_by_text(move, exact=True).click()
        shown = "n => document.querySelector('#board .status').textContent.includes(`move ${n} `)"
        page.wait_for_function(shown, arg=number)
    frames[0].save(IMAGES / "web-analysis.gif", save_all=True, append_images=frames[1:], duration=1500, loop=0)
    page.close()


def main() -> None:
    """Takes a picture at each size, light and dark."""
    folder = Path(tempfile.mkdtemp(prefix="web-pictures-"))
    with sync_playwright() as drivers:
        server = ServerProcess(folder)
        browser = drivers.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for width in (360, 768, 1440):
            for scheme in ("light", "dark"):
                shoot(browser, server, width, scheme)
        animate(browser, server)
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
