"""Counts what grows too long: files over 500 lines, functions of more than ten arguments. `python -m tests.sizes`."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ("envs", "agents", "training", "seeds", "web", "examples", "benchmarks", "experiments", "tests", "docs")
MAX_FILE, MAX_ARGUMENTS = 500, 10


def wide_functions(source: str) -> Iterator[tuple[str, int]]:
    """Yields the functions that take too many arguments, with their number."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            count = len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs)
            if count > MAX_ARGUMENTS:
                yield node.name, count


def main(root: Path = ROOT) -> int:
    """Prints the counts, and what is counted; returns 1 if a file is too long."""
    paths = [path for folder in SOURCES for path in sorted((root / folder).rglob("*.py"))]
    sources = {path.relative_to(root): path.read_text(encoding="utf-8") for path in paths}
    files = {path: len(text.splitlines()) for path, text in sources.items() if len(text.splitlines()) > MAX_FILE}
    functions = [(path, name, count) for path, text in sources.items() for name, count in wide_functions(text)]
    for path, lines in files.items():
        print(f"{path}: {lines} lines")
    for path, name, count in sorted(functions, key=lambda row: -row[2]):
        print(f"{path}: {name} takes {count} arguments")
    print(f"{len(files)} files over {MAX_FILE} lines, {len(functions)} functions of over {MAX_ARGUMENTS} arguments")
    return int(bool(files))


if __name__ == "__main__":
    sys.exit(main())
