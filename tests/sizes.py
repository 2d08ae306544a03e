"""Counts what grows too long: files over 450 lines, functions over 25 lines of code. `python -m tests.sizes`.

Lines of code are those that are neither blank nor comment nor docstring. A function is counted from its `def` on,
functions inside it included.
"""

import ast
import io
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ("envs", "agents", "training", "seeds", "web", "examples", "benchmarks", "experiments", "tests", "docs")
MAX_FILE, MAX_FUNCTION = 450, 25
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def code_lines(source: str) -> set[int]:
    """Returns the numbers of the lines that hold code."""
    lines = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def long_functions(source: str) -> Iterator[tuple[str, int]]:
    """Yields the functions that are too long, with their lines of code."""
    lines = code_lines(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            body = range(node.lineno, (node.end_lineno or 0) + 1)
            length = len(lines.intersection(body))
            if length > MAX_FUNCTION:
                yield node.name, length


def main(root: Path = ROOT) -> int:
    """Prints the counts, and what is counted; returns 1 if a file is too long."""
    paths = [path for folder in SOURCES for path in sorted((root / folder).rglob("*.py"))]
    sources = {path.relative_to(root): path.read_text(encoding="utf-8") for path in paths}
    files = {path: len(text.splitlines()) for path, text in sources.items() if len(text.splitlines()) > MAX_FILE}
    functions = [(path, name, size) for path, text in sources.items() for name, size in long_functions(text)]
    for path, size in files.items():
        print(f"{path}: {size} lines")
    for path, name, size in sorted(functions, key=lambda row: -row[2]):
        print(f"{path}: {name} has {size} lines of code")
    print(f"{len(files)} files over {MAX_FILE} lines, {len(functions)} functions over {MAX_FUNCTION} lines of code")
    return int(bool(files))


if __name__ == "__main__":
    sys.exit(main())
