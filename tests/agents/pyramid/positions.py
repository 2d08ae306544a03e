"""Positions of Pyramid as states of the game, and the solver's answers for them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.kit import Solved
from solitaire_agents.pyramid.solver import api
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import AT, GAME, PyramidOptions
from tests.reference import pyramid_search as reference

MEMORY = api.new_memory(16)


class Aim(NamedTuple):
    """What is asked of the solver: its goal, and what wins."""

    goal: api.Goal
    wins: Literal["all", "pyramid"]


AIMS: Final = {
    "all": Aim("win", "all"),
    "pyramid": Aim("win", "pyramid"),
    "score": Aim("score", "all"),
}
GOALS = list(AIMS)


def options_of(goal: str, passes: int = 3, pairs: bool = True) -> PyramidOptions:
    return PyramidOptions(passes=passes, stock_waste_pairs=pairs, goal=AIMS[goal].wins)


def state_of(deck: Sequence[int], position: reference.State) -> Any:
    """Returns a state with some cards of a deck left."""
    row = np.zeros(GAME.observation_size, np.int16)
    for place in position.pyramid:
        row[place] = deck[place] % 13 + 1
    for first, pile in ((AT.stock, position.stock), (AT.waste, position.waste[::-1])):
        row[first : first + len(pile)] = [deck[place] % 13 + 1 for place in pile]
    row[AT.pass_] = position.pass_number
    engine = _engine()
    engine.imagine(row[None], np.zeros((1, 0), np.int64))
    state = engine.states[0].copy()
    if not position.pyramid:
        state.cleared_in_pass = (*reference.BONUS, position.bonus).index(position.bonus) + 1
    return state


@cache
def _engine() -> Engine:
    return Engine(GAME, PyramidOptions(information="open"), 1)


def solve(
    deck: Sequence[int],
    goal: str = "all",
    passes: int = 3,
    pairs: bool = True,
    position: reference.State = reference.START,
    **more: Any,
) -> Solved:
    """Settles a position of a deck."""
    asked = {"goal": AIMS[goal].goal, "memory": MEMORY, **more}
    return api.solve(state_of(deck, position), options_of(goal, passes, pairs), **asked)


def solve_many(
    decks: NDArray[np.integer[Any]], goal: str = "all", passes: int = 3, pairs: bool = True
) -> NDArray[np.int64]:
    """Settles deals."""
    engine = Engine(GAME, replace(options_of(goal, passes, pairs), information="open"), len(decks))
    engine.deal_decks(decks.astype(np.uint8))
    return api.solve_many(engine.states, engine.options, goal=AIMS[goal].goal, memory=MEMORY)
