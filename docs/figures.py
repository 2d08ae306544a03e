"""Draws the pictures of figures, each from its inputs, whose hash the file holds: `python docs/figures.py`.

Two of them show tables that stand in the pages; one shows the report of a comparison that takes a minute. Needs the
extras report and test, and Chromium. A test fails when the inputs of a picture have changed.
"""

import hashlib
import io
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from PIL import Image
from PIL.PngImagePlugin import PngInfo

DOCS = Path(__file__).parent
ROOT = DOCS.parent
INPUTS = "Inputs"
"""Name of the text in a PNG file that holds the SHA-256 of the inputs."""
OURS, OTHERS = "#2a6f97", "#a9a9a9"
TO_WIN, AGENTS, DEALS = {"objective": "win"}, ["uniform", "careful", "best"], 1_000
"""The comparison in the picture of a report."""

WITHOUT_COLUMN = """name => document.querySelectorAll("th, td").forEach(
    cell => (cell.dataset.label ?? cell.textContent) === name && cell.remove()
)"""


class Picture(NamedTuple):
    """A picture of figures."""

    inputs: Callable[[], Any]
    """Returns all that the picture depends on."""
    draw: Callable[[Any], Image.Image]
    """inputs -> the picture."""

    def sha256(self) -> str:
        """Returns the hash of the inputs."""
        return hashlib.sha256(repr(self.inputs()).encode()).hexdigest()


def page(name: str) -> str:
    """Returns the text of a page."""
    return (DOCS / name).read_text(encoding="utf-8")


def to_image(figure: Figure, dpi: int) -> Image.Image:
    """Returns a figure of Matplotlib as an image."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=dpi)
    return Image.open(content)


# --- Speed ------------------------------------------------------------------------------------------------------------


def speeds() -> list[tuple[str, int]]:
    """Returns each suite with its steps per second, from the table of the page, the slowest first."""
    table = page("speed.md").partition("\ncontender ")[2].partition("```")[0]
    rows = re.findall(r"^(\S.*?) +([\d,]+) +[\d,]+ +[\d,]+ +[\d,]+ +[\d.]+x", table, re.MULTILINE)
    return sorted(((name, int(rate.replace(",", ""))) for name, rate in rows), key=lambda row: row[1])


def draw_speeds(rows: list[tuple[str, int]]) -> Image.Image:
    """Draws a bar for each suite."""
    figure = Figure(figsize=(8, 0.32 * len(rows) + 1), layout="constrained")
    axes = figure.subplots()
    names, rates = zip(*rows, strict=True)
    axes.barh(names, rates, color=[OURS if name.startswith("solitaire-rl") else OTHERS for name in names])
    axes.set_xscale("log")
    axes.set_xlabel("steps per second on one core, random legal play (log scale)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(y=0.01)
    return to_image(figure, 110)


# --- Generalisation ---------------------------------------------------------------------------------------------------


def shares() -> list[tuple[str, ...]]:
    """Returns the rows of the page's first table: algorithm, number of training deals, two shares with intervals."""
    table = page("generalisation.md").partition("| own deals | test deals |")[2].partition("\n\n")[0]
    return re.findall(
        r"^\| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", table.replace("|---|---|---|---|\n", ""), re.MULTILINE
    )


def draw_shares(rows: list[tuple[str, ...]]) -> Image.Image:
    """Draws the shares won on own deals and on test deals, for each algorithm."""
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    algorithms = list(dict.fromkeys(row[0] for row in rows))
    for axes, algorithm in zip(figure.subplots(1, len(algorithms), sharey=True), algorithms, strict=True):
        own = [row for row in rows if row[0] == algorithm]
        for column, style, label in ((2, "o--", "own deals"), (3, "s-", "test deals")):
            figures = np.array([[float(number) for number in re.findall(r"[\d.]+", row[column])] for row in own])
            value, low, high = figures.T
            axes.errorbar(
                [row[1] for row in own], value, (value - low, high - value), fmt=style, capsize=3, label=label
            )
        axes.set(title=algorithm, xlabel="training deals")
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("won, %")
    figure.axes[0].legend(frameon=False)
    return to_image(figure, 120)


# --- The report -------------------------------------------------------------------------------------------------------


def behind_report() -> dict[str, str]:
    """Returns the hashes of the agent that is compared, and of the page's templates."""
    agents, evaluation = ROOT / "agents" / "solitaire_agents", ROOT / "training" / "solitaire_evaluation"
    files = [
        agents / "shipped" / "pyramid-win" / "agent.safetensors",
        *sorted((evaluation / "report" / "templates").iterdir()),
    ]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def photograph_report(_: dict[str, str]) -> Image.Image:
    """Returns the upper part of the page of a comparison, as Chromium shows it."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  # the other pictures need no browser

    from solitaire_evaluation.compare import compare  # noqa: PLC0415
    from solitaire_evaluation.env_spec import make_env_spec  # noqa: PLC0415
    from solitaire_evaluation.report.page import write_report  # noqa: PLC0415
    from solitaire_evaluation.report.tables import SPEED  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        compare(
            [make_env_spec("solitaire/Pyramid-v0", TO_WIN)],
            AGENTS,
            np.arange(DEALS, dtype=np.uint64),
            folder=Path(folder),
        )
        report = write_report(Path(folder), lambda line: None)
        chromium = driver.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell"), args=["--no-sandbox"]
        )
        tab = chromium.new_page(viewport={"width": 1_280, "height": 1_600}, color_scheme="light")
        tab.goto(report.as_uri())
        tab.evaluate(WITHOUT_COLUMN, SPEED)  # it depends on the machine, and on what else it does
        return Image.open(io.BytesIO(tab.screenshot()))


PICTURES = {
    "benchmark.png": Picture(speeds, draw_speeds),
    "generalisation.png": Picture(shares, draw_shares),
    "report.png": Picture(behind_report, photograph_report),
}


def drawn_from(path: Path) -> str:
    """Returns the hash of the inputs that a picture was drawn from; empty if there is none."""
    if not path.exists():
        return ""
    with Image.open(path) as picture:
        return str(picture.info.get(INPUTS, ""))


def main() -> None:
    """Draws the pictures whose inputs have changed, and prints their names."""
    for name, picture in PICTURES.items():
        path = DOCS / "images" / name
        if drawn_from(path) != picture.sha256():
            about = PngInfo()
            about.add_text(INPUTS, picture.sha256())
            picture.draw(picture.inputs()).convert("RGB").quantize(128).save(path, optimize=True, pnginfo=about)
            print(path)


if __name__ == "__main__":
    main()
