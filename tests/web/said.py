"""All that the page may say, in English: what each catalogue has to have, and nothing else."""

import ast
import inspect
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from solitaire_envs import klondike_words, pyramid_words, tour_infernale_words
from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.engine import Engine
from solitaire_envs.layout import PIPS
from solitaire_envs.piles import words as pile_words
from solitaire_envs.render import layout_of, status_text
from solitaire_web.about import about, words_of
from solitaire_web.analyses import Agents
from solitaire_web.starting import TEXTS
from tests.environments import QUICK

STATIC = Path(str(files("solitaire_web"))) / "static"
GAME_WORDS: tuple[ModuleType, ...] = (pyramid_words, tour_infernale_words, klondike_words, pile_words)
TEXT = r'"((?:[^"\\]|\\.)*)"'
VALUE = re.compile(rf"-?\d+(?:\.\d+)?|[{''.join(PIPS.values())}]")
VALUES_OF_AGENTS = (
    "The agent expects to win with probability {1}",
    "The agent expects to win in {1} moves",
    "The agent expects {1}% of the way from the worst result to the best",
)
"""What `policy_of` tells of a trained agent, after the page's own first words."""
SPECIMENS = ({}, {"passes": 2}, {"passes": 1}, {"max_moves": 3})
"""Options under which the table says different things."""
SPECIAL = ("solitaire/KingAlbert-v0",)
"""Its places have names that those of other games do not have."""


def all_said() -> set[str]:
    """Returns everything."""
    return {*page_texts(), *script_texts(), *game_texts(), *table_texts(), *refusals(), *VALUES_OF_AGENTS, *TEXTS}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: set[str] = set()
        self._tag = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tag = tag
        self.texts |= {value for name, value in attrs if name == "aria-label" and value}

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if re.search(r"[^\W\d]", text) and self._tag != "code":
            self.texts.add(text)


def page_texts() -> set[str]:
    """Returns the texts of the page itself."""
    page = _Page()
    page.feed((STATIC / "index.html").read_text(encoding="utf-8"))
    return page.texts


def script_texts() -> Iterator[str]:
    """Yields the texts of the page's modules, which stand in calls of `t`, `said` and `counted`."""
    for file in STATIC.glob("*.js"):
        source = file.read_text(encoding="utf-8")
        found = re.findall(rf"\b(?:t|said)\({TEXT}", source)
        for one, more in re.findall(rf"\bcounted\([^\"]*{TEXT}, {TEXT}\)", source):
            found += [one, more]
        yield from (json.loads(f'"{text}"') for text in found)
    yield from (
        "draw",
        "foundation",
        "empty pile",
        "cell",
    )  # where a draw is not possible; `moveInWords`, which the report has


def game_texts() -> Iterator[str]:
    """Yields what the games and agents tell of themselves."""
    games = list(dict.fromkeys(entry.game for entry in CATALOGUE.values()))
    for environment in about(Agents([], games))["environments"]:
        texts = (*environment["title"], environment["about"], *environment["rules"])
        yield from (text if text in words_of("de") else numbered(text) for text in texts)
        yield from (block["name"] for block in environment["blocks"])
        yield from (agent["about"] for agent in environment["agents"])
        for option in environment["options"]:
            texts = [option["label"], *(choice["words"] for choice in option["choices"])]
            yield from (text for text in [*texts, *[option["none"]] * option["optional"]] if not text.isdecimal())


def refusals() -> Iterator[str]:
    """Yields why cards may not be put somewhere."""
    for module in GAME_WORDS:
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Said":
                yield ast.literal_eval(node.args[0])


def table_texts() -> set[str]:
    """Returns places, captions, status and moves of random games, with their numbers and suits numbered."""
    found: set[str] = set()
    for entry in (CATALOGUE[env] for env in (*QUICK, *SPECIAL)):
        for special in SPECIMENS:
            values: dict[str, Any] = {**entry.preset, **special}
            values = {name: value for name, value in values.items() if name in entry.game.options.__dataclass_fields__}
            engine, rng = Engine(entry.game, entry.game.options(**values), 1), np.random.default_rng(0)
            engine.deal_numbers([0])
            for _ in range(150):
                texts = [*re.split(" {2,}", status_text(engine, 0))]
                for spot in layout_of(engine, 0).spots:
                    texts += [spot.place, spot.caption]
                legal = [] if engine.states.ended[0] else engine.legal_actions(0)
                moves = [engine.move_text(0, action) for action in legal]
                texts += [move for move in moves if move.islower()]
                found |= {numbered(text) for text in texts if text}
                if not legal:
                    break
                engine.step(np.array([rng.choice(legal)]))
    return {*found, "won"}  # no random game


def numbered(text: str) -> str:
    """Returns a text of the server as a key of the catalogues."""
    number = iter(range(1, 20))
    return VALUE.sub(lambda _: f"{{{next(number)}}}", text)
