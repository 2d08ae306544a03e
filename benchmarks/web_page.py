"""How large the page is, and how soon it is drawn: `python benchmarks/web_page.py --times 20`. Needs Chromium.

Drawn is when the board's cards are in the page and a frame has been painted. The time is counted from the end of the
server's answer to the last request that the first drawing needs, and from the end of the first answer.
"""

import argparse
import shutil
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright
from web_load import serving

GAMES = ("Pyramid", "TourInfernale", "Klondike", "FreeCell")
NOTE_THE_DRAWING = """
new MutationObserver((_, observer) => {
  if (!document.querySelector("#board g.source")) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.drawn = performance.now(); }));
}).observe(document, {childList: true, subtree: true});
"""
READ = """() => {
  const files = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter(file => file.responseEnd <= window.drawn);
  return {
    drawn: window.drawn,
    first: files[0].responseEnd,
    last: Math.max(...files.map(file => file.responseEnd)),
    bytes: files.reduce((sum, file) => sum + file.transferSize, 0),
  };
}"""


def open_once(browser: Any, address: str) -> dict[str, float]:
    """Opens the page with nothing in any cache."""
    with browser.new_context(viewport={"width": 1200, "height": 900}) as context:
        page = context.new_page()
        page.add_init_script(NOTE_THE_DRAWING)
        page.goto(address)
        page.wait_for_function("() => window.drawn")
        found: dict[str, float] = page.evaluate(READ)
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="its path")
    chosen = parser.parse_args()
    with serving() as (port, _), sync_playwright() as drivers:
        address = f"http://127.0.0.1:{port}/"
        browser = drivers.chromium.launch(executable_path=chosen.chromium, args=["--no-sandbox"])
        for game in GAMES:
            path = f"#env=solitaire/{game}-v0&deal=7"
            open_once(browser, address + path)  # the server has played each game before
            found = [open_once(browser, address + path) for _ in range(chosen.times)]
            after_last, after_first = (
                np.median([one["drawn"] - one[moment] for one in found]) for moment in ("last", "first")
            )
            size = max(one["bytes"] for one in found) / 1_000
            print(f"{game}: {size:.0f} kB, drawn {after_last:.0f} ms after the last answer that it takes", end=", ")
            print(
                f"{after_first:.0f} ms after the first; medians of {chosen.times}, at most "
                f"{max(one['drawn'] - one['first'] for one in found):.0f} ms"
            )
        browser.close()


if __name__ == "__main__":
    main()
