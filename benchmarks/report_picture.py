"""Photographs a report for the README: `make readme-results` plays what the README's table has, and calls this.

pip install playwright      # it drives the Chromium of the system
python benchmarks/report_picture.py results/all docs/images/report.png
"""

import argparse
import shutil
import sys
from pathlib import Path

WIDTH, HEIGHT = 1_280, 1_600


def photograph(page: Path, picture: Path) -> None:
    """Writes a picture of the upper part of a page.

    Raises:
        ValueError: There is no Chromium.
    """
    from playwright.sync_api import sync_playwright

    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise ValueError("expected Chromium on the path, got none")
    with (
        sync_playwright() as driver,
        driver.chromium.launch(executable_path=browser, args=["--no-sandbox"]) as chromium,
    ):
        tab = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        tab.goto(page.resolve().as_uri())
        tab.screenshot(path=picture)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="results, with their report.html")
    parser.add_argument("picture", type=Path)
    chosen = parser.parse_args()
    try:
        photograph(chosen.folder / "report.html", chosen.picture)
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
