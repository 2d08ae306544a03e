"""How the agents and the solver of declared games treat their options."""

from collections.abc import Mapping
from typing import Final

from solitaire_agents.uses import INPUT, MOVES_ENOUGH, NO_INFLUENCE, Use, Uses, at_least, only
from solitaire_envs.game import Game
from solitaire_envs.piles.shape import PileShape

MOST_PASSES: Final = 255
"""The most passes, if they are limited, that the key of a position in the solver has room for."""
FEW_PASSES: Final = Use(f"input; at most {MOST_PASSES} or no limit", True, most=MOST_PASSES)


def pile_uses(game: Game, shape: PileShape) -> Mapping[str, Uses]:
    """Returns `Kit.uses` of a declared game. Its rules are an input; so is what is seen, where cards are hidden."""
    rule: Uses = {
        **dict.fromkeys(game.options.__dataclass_fields__, INPUT),
        **dict.fromkeys(("information", "max_moves", "objective"), NO_INFLUENCE),
    }
    exact = {**rule, "passes": FEW_PASSES} if "passes" in rule else rule
    usual = {name: only(getattr(game.options(), name)) for name, use in rule.items() if use is INPUT}
    return {
        "uniform": rule,
        "greedy": {**rule, "information": INPUT} if shape.hides else rule,
        "oracle": {**exact, "max_moves": at_least(MOVES_ENOUGH)},
        "solver": {**exact, "max_moves": only(MOVES_ENOUGH, None)},
        "labels": {**rule, **usual, "max_moves": at_least(MOVES_ENOUGH)},
    }
