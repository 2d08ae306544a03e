"""Draws the pictures of the page about the browser: `python docs/web_pictures.py`. Needs the extras web and test."""

import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.web.driver import CHROMIUM, FLAGS, ServerProcess, open_sheet  # noqa: E402
from tests.web.test_stuck import own, stuck_game  # noqa: E402

from solitaire_agents.catalogue import kit_of  # noqa: E402  # the folder of the tests has to be found first
from solitaire_agents.kit import dealt  # noqa: E402
from solitaire_envs.transcript import Transcript  # noqa: E402
from solitaire_evaluation.analysis import line_in_words  # noqa: E402
from solitaire_evaluation.env_spec import make_env_spec  # noqa: E402

IMAGES = ROOT / "docs" / "images"
PAGE = ROOT / "docs" / "web-pictures.md"
PYRAMID, KLONDIKE, FREECELL, YUKON = (f"solitaire/{name}-v0" for name in ("Pyramid", "Klondike", "FreeCell", "Yukon"))
SIZES = ((360, 740), (740, 360), (768, 1024), (1440, 900))
SCHEMES = ("light", "dark")
DEAL = 2_000_011
STUCK_DEAL = next(deal for deal in range(1_000) if stuck_game(deal))
KEPT = """
const score = place => [50, -8, 35, -31, 12, 50, -20, 42, -40, 18][place * 7 % 10];
const games = Array.from({ length: 48 }, (_, place) => ({
  deal: String(100 + place), score: score(place), won: score(place) > 30,
  seconds: 95 + place * 37 % 240, at: 1.79e12 + place,
}));
if (location.protocol === "http:") {
  localStorage.setItem('solitaire-rl games solitaire/Pyramid-v0 {"passes":1}', JSON.stringify(games));
  localStorage.setItem('solitaire-rl sheet', 'false');
}
"""
"""Games of a player, made up for the pictures of the shelf and of the statistics."""
FRAMES = 12
PATIENCE = 300_000
"""Milliseconds, for a machine that has other things to do."""


def winning_moves() -> str:
    """Returns the moves of a line that wins FreeCell, without the last ones."""
    spec = make_env_spec(FREECELL, {})
    solver = kit_of(spec.game).solver
    assert solver is not None
    actions = solver().solve(dealt(spec.game, spec.options, [DEAL])[0], spec.options).actions  # type: ignore[arg-type]
    made = Transcript(game=spec.game, options=spec.options, deal=DEAL)
    return " ".join(line_in_words(made.engine(), actions)[:-6])


# --- States: each is called with a page at its address, and leads to what the picture shows --------------------------


def shelf(page: Any) -> None:
    page.click("#new")
    page.wait_for_timeout(800)  # the pictures of tables come one by one


def in_play(page: Any) -> None:
    page.wait_for_timeout(100)


def run_in_the_air(page: Any) -> None:
    runs = page.locator("#board g.source[data-place*=', card ']")
    box = runs.first.locator(".rim").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 6)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 1.2, box["y"] + box["height"] * 0.9, steps=6)


def hint(page: Any) -> None:
    page.keyboard.press("h")
    page.wait_for_selector("#board .advised")


def stuck(page: Any) -> None:
    page.wait_for_selector("#stuck", state="visible")


def won(page: Any) -> None:
    page.evaluate("() => document.querySelector('#moves button').click()")  # the page plays what is left
    ended(page)


def lost(page: Any) -> None:
    page.evaluate("() => document.querySelector('#give-up').click()")
    page.click("#question-yes")
    ended(page)


def ended(page: Any) -> None:
    page.wait_for_selector("#end", state="visible")
    page.wait_for_function("() => !document.querySelector('#end-facts').textContent.includes('\u2026')")


def analysis(page: Any) -> None:
    ask_the_planner(page)
    page.check("#solver")
    page.wait_for_selector("#verdict-out .verdict")
    page.wait_for_timeout(3_000)  # more orders are sampled


def review(page: Any) -> None:
    open_sheet(page)
    page.locator("#review-part summary").click()
    page.click("#review")
    page.wait_for_selector("#lost h2")


def statistics(page: Any) -> None:
    page.evaluate("() => document.querySelector('#figures-open').click()")
    page.wait_for_selector("#figures", state="visible")


def settings(page: Any) -> None:
    open_sheet(page)
    page.locator("#settings-part summary").click()
    page.evaluate("() => { document.querySelector('#sheet').scrollTop = 1e6; }")


def ask_the_planner(page: Any) -> None:
    """Opens the analysis and turns it on."""
    open_sheet(page)
    page.locator("#analysis-part summary").click()
    page.select_option("#agent", "planner")
    page.get_by_role("switch").check()


MIDDLE = "draw " * 9
STATES: dict[str, tuple[Callable[[Any], None], str, int, str, dict[str, Any]]] = {
    "shelf": (shelf, PYRAMID, DEAL, "", {"passes": 1}),
    "play": (in_play, FREECELL, DEAL, " ".join(winning_moves().split()[:30]), {}),
    "run": (run_in_the_air, YUKON, 3, "", {}),
    "hint": (hint, FREECELL, DEAL, "", {}),
    "stuck": (stuck, KLONDIKE, STUCK_DEAL, " ".join(stuck_game(STUCK_DEAL) or []), {}),
    "won": (won, FREECELL, DEAL, winning_moves(), {}),
    "lost": (lost, PYRAMID, 7, MIDDLE, {"passes": 1}),
    "analysis": (analysis, PYRAMID, 7, "", {"passes": 1}),
    "review": (review, PYRAMID, 7, MIDDLE, {"passes": 1}),
    "statistics": (statistics, PYRAMID, 7, "", {"passes": 1}),
    "settings": (settings, PYRAMID, 7, "", {"passes": 1}),
}
"""Name -> what leads to it, and the game, deal, moves and options that it begins with."""
SHARE = """() => {
    const { width, height } = document.querySelector('#board svg').getBoundingClientRect();
    return width * height / innerWidth / innerHeight;
}"""


def shoot(browser: Any, server: ServerProcess, size: tuple[int, int], scheme: str) -> float:
    """Takes the pictures of each state; returns the board's share of the window in play."""
    width, height = size
    share = 0.0
    for state, (lead, env, deal, moves, options) in STATES.items():
        page = browser.new_page(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", locale="en"
        )
        page.set_default_timeout(PATIENCE)
        address = server.address(env, deal, moves, **options)
        page.add_init_script(KEPT)
        if moves:
            page.add_init_script(own(address))
        page.goto(address)
        page.wait_for_selector("#board g[data-key^=card]")
        lead(page)
        if state == "play":
            share = page.evaluate(SHARE)
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(64)
        target = IMAGES / f"web-{state}-{width}-{scheme}.png"
        picture.save(target, optimize=True)
        print(target, flush=True)
        page.close()
    return share


def write_page(shares: dict[int, float]) -> None:
    """Writes the page that shows the pictures."""
    lines = [
        "# Pictures of the page",
        "",
        "The pictures show the page in use; 48 games of the statistics are made up. The pictures, and this page, are",
        "those of `python docs/web_pictures.py`.",
    ]
    for width, height in SIZES:
        share = f"In play, the board has {shares[width]:.0%} of the window."
        lines += ["", f"## {width} x {height} pixels", "", share, "", "| | light | dark |", "|---|---|---|"]
        for state in STATES:
            cells = (f"![{state}, {width} pixels wide, {one}](images/web-{state}-{width}-{one}.png)" for one in SCHEMES)
            lines.append(f"| {state} | {' | '.join(cells)} |")
    PAGE.write_text("\n".join(lines) + "\n")


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
    """Takes the pictures at each size, light and dark."""
    folder = Path(tempfile.mkdtemp(prefix="web-pictures-"))
    with sync_playwright() as drivers:
        server = ServerProcess(folder)
        browser = drivers.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        shares = {size[0]: max([shoot(browser, server, size, scheme) for scheme in SCHEMES]) for size in SIZES}
        write_page(shares)
        animate(browser, server)
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
