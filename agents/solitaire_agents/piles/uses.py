"""How the agents and the solver of declared games treat their options."""

from collections.abc import Mapping
from typing import Final

from solitaire_agents.uses import INPUT, NO_INFLUENCE, Uses, at_least, only
from solitaire_envs.game import Game
from solitaire_envs.piles.shape import PileShape

MOVES_ENOUGH: Final = 1_000
"""The limit of moves of the environments. The solver does not count moves."""


def pile_uses(game: Game, shape: PileShape) -> Mapping[str, Uses]:
    """Returns `Kit.uses` of a declared game. Its rules are an input; so is what is seen, where cards are hidden."""
    rule: Uses = {
        **dict.fromkeys(game.options.__dataclass_fields__, INPUT),
        **dict.fromkeys(("information", "max_moves", "objective"), NO_INFLUENCE),
    }
    solver: Uses = {**rule, "max_moves": only(MOVES_ENOUGH, None)}
    usual = {name: only(getattr(game.options(), name)) for name, use in rule.items() if use is INPUT}
    return {
        "uniform": rule,
        "greedy": {**rule, "information": INPUT} if shape.hides else rule,
        "oracle": {**rule, "max_moves": at_least(MOVES_ENOUGH)},
        "solver": solver,
        "labels": {**rule, **usual, "max_moves": at_least(MOVES_ENOUGH)},
    }
