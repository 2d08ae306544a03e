"""Environments that tests of all games walk through: some of the declared games always, the others in slow tests."""

from collections.abc import Container, Iterable
from typing import Any

import pytest

from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.piles.games import PILE_GAMES

FEW_DECLARED = ("freecell", "canfield", "spiderette", "golf", "spider_two_suits")
"""Between them they have all that a declaration can have."""
TAUGHT = ("spiderette",)
"""Those in which agents and solvers are tested always: compiling them takes half a minute a game."""
QUICK = [env for env in CATALOGUE if env not in PILE_GAMES or PILE_GAMES[env].name in FEW_DECLARED]
"""Environments for tests that do not mark the others as slow."""
QUICK_GAMES = list(dict.fromkeys(CATALOGUE[env].game.name for env in QUICK))


def walk(names: Iterable[str] = CATALOGUE) -> list[Any]:
    """Returns names of environments or games as parameters; those of most declared games are slow tests."""
    return _marked(names, (*QUICK, *QUICK_GAMES))


def walk_agents(names: Iterable[str]) -> list[Any]:
    """Returns names of declared games as parameters, for tests that compile an agent or a solver for each."""
    return _marked(names, TAUGHT)


def few(cases: Iterable[Any], quick: int = 1) -> list[Any]:
    """Returns cases as parameters; all but the first ones are slow tests."""
    as_values = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*case, marks=[pytest.mark.slow] * (k >= quick)) for k, case in enumerate(as_values)]


def _marked(names: Iterable[str], quick: Container[str]) -> list[Any]:
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in names]
