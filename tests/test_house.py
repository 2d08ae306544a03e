"""The house: what is of one game stays in the folder of that game."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from solitaire_envs.catalogue import GAMES
from tests import sizes

ROOT = Path(__file__).parents[1]
ROOMS = (
    "envs/solitaire_envs",
    "agents/solitaire_agents",
    "training/solitaire_evaluation",
    "training/solitaire_training",
    "web/solitaire_web",
)
OWN = {
    "envs/solitaire_envs/catalogue.py",
    "envs/solitaire_envs/series.py",  # two series, each of one game
    "agents/solitaire_agents/catalogue.py",
}
"""Files that name games: the two catalogues, and the games' own beside modules and folders named after them."""
NAMES = {game.root.name for game in GAMES.values()}


def product_files() -> Iterator[Path]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            of_a_game = any(f"/{name}/" in place or re.search(rf"/{name}(_words)?\.py$", place) for name in NAMES)
            if place not in OWN and not of_a_game:
                yield path


def words_of_code(path: Path) -> Iterator[str]:
    """Yields names, modules and texts of a file's code, without its comments and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        for name in ("id", "attr", "name", "module", "arg"):
            if isinstance(getattr(node, name, None), str):
                yield getattr(node, name)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


@pytest.mark.parametrize("path", list(product_files()), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_other_file_names_a_game(path: Path) -> None:
    named = [word for word in words_of_code(path) if re.search("|".join(NAMES), word, re.IGNORECASE)]
    assert [word for word in named if word not in EXAMPLES.get(path.name, ())] == []


EXAMPLES = {
    "arguments.py": ("solitaire/Pyramid-v0",),  # a default environment, as any command needs one
    "config.py": ("solitaire/Pyramid-v0",),
}


def test_no_file_is_too_long(capsys: pytest.CaptureFixture[str]) -> None:
    assert sizes.main() == 0, capsys.readouterr().out
