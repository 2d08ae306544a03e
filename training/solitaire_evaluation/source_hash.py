"""Finds the source files of a module: its own, and those that it imports from this project and its own package."""

import ast
import importlib.util
import sys
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_PARSING = threading.Lock()  # CPython 3.11 has one depth counter for all syntax trees: parsing in two threads fails


@cache
def source_files(module: str) -> frozenset[Path]:
    """Returns the file of a module, and those of the modules that it imports, directly or indirectly.

    Only modules of this project and of the module's own package are followed.
    """
    roots = ("solitaire_envs", "solitaire_agents", "solitaire_evaluation", module.partition(".")[0])
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found or name.partition(".")[0] not in roots:
            continue
        origin = _origin(name)
        if origin is not None:
            found[name] = origin
            waiting += _imports(name, origin)
    return frozenset(found.values())


def in_order(files: Iterable[Path]) -> list[Path]:
    """Sorts source files by package and module, wherever the packages lie."""
    return sorted(files, key=_place)


def _place(file: Path) -> tuple[str, ...]:
    root = file.parent
    while (root / "__init__.py").exists():
        root = root.parent
    return file.relative_to(root).parts


def _origin(name: str) -> Path | None:
    """Returns the file of a module; None for other names.

    `from solitaire_envs import pyramid` imports a module, `... import GAMES` does not.
    """
    package = name.rpartition(".")[0]
    if package and not hasattr(sys.modules.get(package), "__path__"):
        return None
    loaded = getattr(sys.modules.get(name), "__file__", None)  # the module of a running script has no spec
    spec = None if loaded else importlib.util.find_spec(name)
    origin = loaded or (spec.origin if spec else None)
    return Path(origin) if origin else None


@cache
def _imports(module: str, path: Path) -> tuple[str, ...]:
    """Returns the imported names in a file that may be modules."""
    package, found = module if path.name == "__init__.py" else module.rpartition(".")[0], list[str]()
    with _PARSING:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            found += (base, *(f"{base}.{alias.name}" for alias in node.names))
    return tuple(found)
