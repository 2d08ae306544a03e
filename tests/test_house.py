"""The house: what is of one game stays in the folder of that game."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from solitaire_envs.catalogue import GAMES
from solitaire_envs.piles.games import PILE_GAMES
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
    "envs/solitaire_envs/piles/games.py",
    "envs/solitaire_envs/series.py",  # two series, each of one game
    "agents/solitaire_agents/catalogue.py",
}
"""Files that name games: the two catalogues, and the games' own beside modules and folders named after them."""
FAMILY = "piles"
"""The folder of the declared games, which have no files of their own. Only the list of records names them."""
DECLARED = {game.name for game in PILE_GAMES.values()}
NAMES = {game.root.name for game in GAMES.values()} - DECLARED


def product_files() -> Iterator[Path]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            of_a_game = any(re.search(rf"/{name}(/|(_words|_table)?\.py$)", place) for name in NAMES)
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
    declared = rf"\b({'|'.join(DECLARED)})\b"
    named = [
        word
        for word in words_of_code(path)
        if re.search("|".join(NAMES), word, re.IGNORECASE) or re.search(declared, word)
    ]
    assert [word for word in named if word not in EXAMPLES.get(path.name, ())] == []


EXAMPLES = {
    "arguments.py": ("solitaire/Pyramid-v0",),  # a default environment, as any command needs one
    "config.py": ("solitaire/Pyramid-v0",),
}


def test_no_file_is_too_long(capsys: pytest.CaptureFixture[str]) -> None:
    assert sizes.main() == 0, capsys.readouterr().out


# --- Names ------------------------------------------------------------------------------------------------------------

SAME_ON_PURPOSE = {"ARGUMENTS"}  # each group of commands has its table


def owner_of(path: Path) -> str:
    """Returns the game that a file belongs to, which may share names with other games; else the file itself."""
    place = path.relative_to(ROOT).as_posix()
    owners = (*NAMES, FAMILY)
    return next((name for name in owners if re.search(rf"/{name}(/|_\w+\.py$|\.py$)", place)), place)


def public_names(path: Path) -> Iterator[str]:
    """Yields the public names that a module defines."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
        else:
            continue
        yield from (name for name in names if not name.startswith("_"))


def test_no_public_name_means_two_things() -> None:
    """Games are parallel, so they may share names with one another; no other two places may."""
    owners: dict[str, set[str]] = {}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            for name in public_names(path):
                owners.setdefault(name, set()).add(owner_of(path))
    twice = {name: sorted(places) for name, places in owners.items() if len(places) > 1 and places - {*NAMES, FAMILY}}
    assert {name: places for name, places in twice.items() if name not in SAME_ON_PURPOSE} == {}
