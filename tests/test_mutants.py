"""The lists of mutants fit the sources, so that `make mutants` can run."""

from collections import Counter

import pytest

from tests.mutants import Mutant, mutants
from tests.mutants.agents import AGENTS
from tests.mutants.rules import RULES
from tests.mutants.runner import MUTANTS, ROOT, check


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_fits_the_sources(mutant: Mutant) -> None:
    check(mutant, ROOT)
    source = (ROOT / mutant.file).read_text(encoding="utf-8")
    compile(source.replace(mutant.old, mutant.new), mutant.file, "exec")


def test_each_break_is_there_once_and_there_are_enough() -> None:
    assert Counter(mutant.name for mutant in MUTANTS).most_common(1)[0][1] == 1
    assert len(RULES) >= 30
    assert len(MUTANTS) - len(RULES) >= 40
    assert AGENTS


@pytest.mark.parametrize(
    ("old", "test", "message"),
    [
        (
            "GAMES_AT_A_TIME",
            "training/evaluation/test_record.py",
            "expected 'GAMES_AT_A_TIME' once in .*, got it [2-9] times",
        ),
        ("no such words", "training/evaluation/test_record.py", "expected .* got it 0 times"),
        (
            "GAMES_AT_A_TIME = 10",
            "training/no_such_test.py::test_a",
            "expected tests/training/no_such_test.py::test_a, got no such test",
        ),
        ("GAMES_AT_A_TIME = 10", "training/test_seeds.py::test_b", "expected tests/.*::test_b, got no such test"),
    ],
)
def test_a_mutant_that_does_not_fit_is_named(old: str, test: str, message: str) -> None:
    (mutant,) = mutants("training/solitaire_evaluation/record.py", test, ("a break", old, ""))
    with pytest.raises(ValueError, match=f"a break: {message}"):
        check(mutant, ROOT)
