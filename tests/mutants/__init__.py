"""Broken sources, each of which a test has to notice: `make mutants`, or `python -m tests.mutants WORD ...`.

`rules.py` breaks the rules of the games, `piles.py` all of the declared ones, `agents.py` what chooses moves,
`training.py` what fits and measures. Each break names the tests that have to notice it, those of its own module.
`runner.py` tries the breaks.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One break."""

    name: str
    """What is wrong."""
    file: str
    """The file that is broken, relative to the root."""
    old: str
    """A stretch of the file that is there once."""
    new: str
    """What takes its place."""
    tests: tuple[str, ...]
    """Files of tests, or tests as pytest names them, relative to `tests/`."""


def mutants(file: str, tests: str, *breaks: tuple[str, str, str]) -> Iterator[Mutant]:
    """Yields the breaks of one file.

    Args:
        file: The file.
        tests: The tests that have to notice them, with spaces between; those that fail soonest first.
        *breaks: Name, old, new.
    """
    for name, old, new in breaks:
        yield Mutant(name, file, old, new, tuple(tests.split()))
