"""Plays in a real browser by mouse, by touch and by keyboard, with the engine beside it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.engine import Engine
from solitaire_envs.layout import BACK, STOCK_NAME, Gesture
from solitaire_envs.render import layout_of, status_text
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_web.about import words_of
from tests.web.said import VALUE, numbered

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
NEEDS_CHROMIUM = pytest.mark.skipif(
    CHROMIUM is None or find_spec("playwright") is None,
    reason="no Playwright, or no Chromium: `apt-get install chromium-headless-shell`, as root",
)
PYRAMID, TOUR, ONE_PASS = "solitaire/Pyramid-v0", "solitaire/TourInfernale-v0", "solitaire/TourInfernaleOnePass-v0"
WIDE: dict[str, Any] = {"viewport": {"width": 900, "height": 800}, "reduced_motion": "reduce"}
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
PATIENCE = 120_000
"""Milliseconds that a test waits for the page at most, where kernels are compiled first beside other work."""
PLAY_ALL = "if (location.protocol === 'http:') localStorage.setItem('solitaire-rl finish', 'false')"
"""A script by which a page leaves every move to its player."""


SHOWN = """async text => {
    const status = document.querySelector('#board .status'), end = Date.now() + 60000;
    const asked = document.querySelector('#stuck');  // its line moves the table
    const waits = () => status.textContent !== text || asked.ariaBusy === 'true';
    while (waits() && Date.now() < end) await new Promise(done => setTimeout(done, 3));
    const cards = [...document.querySelectorAll('#board g[data-key^=card]')];
    const at = group => group.getAttribute('transform').match(/[-\\d.]+/g).map(Number);
    return [cards.map(group => [Number(group.dataset.key.slice(5)) % 52, ...at(group)]), status.textContent];
}"""
POINTS = """places => places.map(place => {
    const own = [...document.querySelectorAll('#board g[data-place]')]
        .filter(group => group.dataset.place === place && group.dataset.key);
    const box = own.at(-1).querySelector('.rim').getBoundingClientRect(), x = box.x + box.width / 2;
    const points = [0.8, 0.1].map(share => [x, box.y + box.height * share]);
    return points.find(point => document.elementFromPoint(...point)?.closest('g') === own.at(-1)) ?? points[0];
})"""
"""A point of each place that no other card covers: the lower part of a card, or the upper one in a fan."""


def get(path: str, port: int) -> tuple[int, str]:
    """Returns the status and the text of an answer."""
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", path)
    answer = connection.getresponse()
    status, text = answer.status, answer.read().decode()
    connection.close()
    return status, text


def between(start: tuple[float, float], end: tuple[float, float], steps: int = 4) -> list[tuple[float, float]]:
    """Returns the points of a drag."""
    return [
        (start[0] + (end[0] - start[0]) * step / steps, start[1] + (end[1] - start[1]) * step / steps)
        for step in range(1, steps + 1)
    ]


def open_sheet(page: Any) -> None:
    """Draws up the sheet, which is closed on a phone."""
    if not page.locator("#sheet").is_visible():
        page.click("#menu")


class ServerProcess:
    """The command `solitaire-rl serve`, which can be killed and started again."""

    def __init__(self, data: Path) -> None:
        self._data, self.port = data, 0
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "solitaire_training", "serve", "--no-open", "--data", str(self._data)]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "LANG": "C.UTF-8"},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line
        self.port = int(found[1])
        while get("/", self.port)[0] == 503:  # the games are being prepared
            time.sleep(0.1)

    def stop(self, how: int = signal.SIGTERM) -> None:
        self.process.send_signal(how)
        self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def address(self, env: str, deal: int, moves: str = "", **options: Any) -> str:
        parts = {"env": env, **options, "deal": deal, **({"moves": moves} if moves else {})}
        return f"http://127.0.0.1:{self.port}/#{urlencode(parts)}"


class Player:
    """One game in a page, and the same game in an engine."""

    def __init__(self, page: Any, env: str, deal: int, language: str = "en", **options: Any) -> None:
        spec = make_env_spec(env, options)
        assert env in CATALOGUE
        self.page, self.engine = page, Engine(spec.game, spec.options, 1)
        self.engine.deal_numbers([deal])
        self.moves: list[str] = []
        self._words = words_of(language)
        self._stock_has_moves = False  # a touch is then no draw
        self._played: tuple[str, ...] = ()  # places of the last card that a touch has played
        self._touch: Any = None
        self.carried = 0
        """Cards that the last drag took along."""

    @property
    def over(self) -> bool:
        return bool(self.engine.states.ended[0])

    def choose(self, rng: np.random.Generator) -> tuple[str, list[Gesture]]:
        """Draws a move, a draw half the time so that games end; returns its gestures, and plays it in the engine."""
        legal = self.engine.legal_actions(0)
        ways = [way for one in legal for way in self.engine.game.gestures(self.engine.states[0], one)]
        self._stock_has_moves = any(way.source == STOCK_NAME and way.target for way in ways)
        action = legal[0] if rng.random() < 0.5 else int(rng.choice(legal))
        move = self.engine.move_text(0, action)
        gestures = list(self.engine.game.gestures(self.engine.states[0], action))
        self.engine.step(np.array([self.engine.parse_move(0, move)]))  # of equal moves, the first
        self.moves.append(move)
        return move, gestures

    def in_words(self, text: str) -> str:
        """Returns a text in the language of the page."""
        values = VALUE.findall(text)
        return re.sub(r"\{(\d+)\}", lambda at: values[int(at[1]) - 1], self._words.get(numbered(text), numbered(text)))

    # --- What the page shows ------------------------------------------------------------------------------------------

    def expect(self) -> None:
        """Waits until the page shows the engine's position, and compares where each card lies."""
        parts = [self.in_words(part) for part in re.split(" {2,}", status_text(self.engine, 0))]
        status = re.sub(r"-(?=\d)", "\N{MINUS SIGN}", " · ".join(parts))
        got, said = self.page.evaluate(SHOWN, status)
        assert said == status, f"expected {status!r}, the page shows {said!r}"
        spots = [spot for spot in layout_of(self.engine, 0).spots if spot.card not in (None, BACK)]
        expected = sorted((spot.card or 0, 16 + 88 * spot.x, 16 + 112 * spot.y) for spot in spots)
        assert np.abs(np.array(sorted(got)) - np.array(expected)).max(initial=0) < 0.1

    def middles(self, *places: str | None) -> list[tuple[float, float]]:
        """Returns a point of the top of each place, in the part that no other card covers."""
        points: list[tuple[float, float]] = self.page.evaluate(POINTS, [place for place in places if place])
        return points

    # --- Moves --------------------------------------------------------------------------------------------------------

    def by_mouse(self, gestures: list[Gesture]) -> None:
        """Drags where that is a way, else clicks."""
        source, target = next((one for one in gestures if one.target), gestures[0])
        if self._draws_by_button(source, target):
            self.page.click("#draw")
            return
        mouse, (start, *end) = self.page.mouse, self.middles(source, target)
        mouse.move(*start)
        mouse.down()
        for point in end:
            mouse.move(*point, steps=2)
        mouse.up()

    def by_touch(self, gestures: list[Gesture]) -> None:
        """Touches the card, and then its goal, if the card has several."""
        source, target = next((one for one in gestures if one.target is None), gestures[0])
        if self._draws_by_button(source, target):
            self.page.tap("#draw")
            return
        start, *end = self.middles(source, target)
        self._wait_for(source)
        self.page.touchscreen.tap(*start)
        if self._holds():
            for point in end:
                self.page.touchscreen.tap(*point)
        self._played = (source, target or source) if gestures[0].target else ()

    def by_drag(self, gestures: list[Gesture]) -> None:
        """Drags with a finger where that is a way, else touches; checks that a run is carried whole."""
        source, target = next((one for one in gestures if one.target), gestures[0])
        if target is None:
            self.by_touch(gestures)
            return
        start, end = self.middles(source, target)
        touch = self.page.context.new_cdp_session(self.page) if self._touch is None else self._touch
        self._touch = touch
        for kind, points in (("touchStart", [start]), *(("touchMove", [point]) for point in between(start, end))):
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})
        self.carried = self.page.locator("#board .held").count()
        self.page.wait_for_timeout(60)  # a finger that flings away the card makes the next touch a mere stop
        touch.send(
            "Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [dict(zip("xy", end, strict=True))]}
        )
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        self._played = ()

    def by_keyboard(self, gestures: list[Gesture]) -> None:
        """Goes with Tab to the card and to its goal."""
        source, target = next((one for one in gestures if one.target is None), gestures[0])
        if self._draws_by_button(source, target):
            self.page.keyboard.press("d")
            return
        self.tab_to(source)
        self._wait_for(source)
        self.page.keyboard.press("Enter")
        if target and self._holds():
            self.tab_to(target)
            self.page.keyboard.press("Enter")
        self._played = (source, target or source) if gestures[0].target else ()

    def _draws_by_button(self, source: str, target: str | None) -> bool:
        return source == STOCK_NAME and target is None and self._stock_has_moves

    def _holds(self) -> bool:
        return bool(self.page.evaluate("() => document.querySelector('#board .held') !== null"))

    def _wait_for(self, place: str) -> None:
        """Lets the time pass in which a second touch of a place belongs to the first."""
        if place in self._played:
            self.page.wait_for_timeout(450)

    def tab_to(self, place: str) -> None:
        """Goes with Tab to a place."""
        for _ in range(80):
            if self.page.evaluate("() => document.activeElement?.dataset?.place") == place:
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {place}")
