"""The source files that a module is made of: itself, and all modules of this project that it imports."""

import ast
import importlib.util
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path


@cache
def source_files(module: str) -> frozenset[Path]:
    """Returns the file of a module and those of all modules of these packages that it imports, directly or not."""
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        spec = importlib.util.find_spec(name) if name not in found and name.startswith("solitaire_") else None
        if spec is None or spec.origin is None:
            continue
        found[name] = Path(spec.origin)
        waiting += _imports(found[name])
    return frozenset(found.values()) or frozenset({Path(sys.modules[module].__file__ or "")})


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (name for alias in node.names if _is_module(name := f"{node.module}.{alias.name}"))


def _is_module(name: str) -> bool:
    """Whether there is such a module: `from solitaire_envs import pyramid` imports one, `... import GAMES` does not."""
    package = name.rpartition(".")[0]
    if not name.startswith("solitaire_") or not hasattr(sys.modules.get(package), "__path__"):
        return False
    return importlib.util.find_spec(name) is not None
