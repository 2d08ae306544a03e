"""The kits of the declared games: each is made from its record."""

from functools import partial
from typing import Final

from solitaire_agents.kit import Kit
from solitaire_agents.piles.solver import PileSolver
from solitaire_agents.uses import INPUT, NO_INFLUENCE, Uses, only
from solitaire_envs.game import Game
from solitaire_envs.piles.declaration import PileGame
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from solitaire_envs.piles.shape import PileShape

MOVES_ENOUGH: Final = 1_000
"""The limit of moves of the environments. The solver does not count moves."""


def make_kit(game: Game, declared: PileGame) -> Kit:
    """Makes the kit of a declared game."""
    rule: Uses = {
        **dict.fromkeys(game.options.__dataclass_fields__, INPUT),
        **dict.fromkeys(("information", "max_moves", "objective"), NO_INFLUENCE),
    }
    solver: Uses = {**rule, "max_moves": only(MOVES_ENOUGH, None)}
    return Kit(
        game=game,
        uses={"uniform": rule, "solver": solver},
        solver=partial(PileSolver, game, PileShape(declared), solver),
    )


PILE_KITS: Final = [make_kit(PILE_GAMES[declared.env_id], declared) for declared in DECLARED]
