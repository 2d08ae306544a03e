"""The kits of the declared games: each is made from its record. Making them compiles nothing."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_agents.choices import Choices
from solitaire_agents.kit import Finish, Kit, Status
from solitaire_agents.piles.choices import pile_choices
from solitaire_agents.piles.greedy import Greedy
from solitaire_agents.piles.search import dominances_of
from solitaire_agents.piles.solver import PileLabels, PileSolver
from solitaire_agents.piles.uses import pile_uses
from solitaire_agents.uses import allows
from solitaire_envs.game import Options
from solitaire_envs.piles.declaration import PileGame
from solitaire_envs.piles.games import PILE_GAMES
from solitaire_envs.piles.shape import PileShape

FINISH_NODES: Final = 20_000
"""Most positions that the solver looks at for a planner, once at most one card is hidden."""


def make_kit(declared: PileGame) -> Kit:
    """Makes the kit of a declared game."""
    game, shape = PILE_GAMES[declared.env_id], PileShape(declared)
    uses = pile_uses(game, shape)

    def choices(options: Options) -> Choices:
        return pile_choices(game, shape, options)

    def greedy(options: Options) -> Agent:
        return Greedy(choices(options), shape)

    def finish(options: Options) -> Finish | None:
        solver = PileSolver(game, shape, uses["solver"])
        if not shape.hides or not allows(solver.uses, options):
            return None  # where no card is hidden, the network would have nothing to do

        def line(state: Any, observation: NDArray[np.int16]) -> Sequence[int] | None:
            found = solver.solve(state, options, max_nodes=FINISH_NODES, memory=solver.memory)
            return found.actions if found.status is Status.SOLVED else None

        return line

    greedy.__doc__ = Greedy.__doc__
    return Kit(
        game=game,
        agents={"greedy": greedy},
        uses=uses,
        choices=choices,
        solver=partial(PileSolver, game, shape, uses["solver"]),
        finish=finish,
        labels=partial(PileLabels, game, shape, uses, game.options()),
        safe_up=dominances_of(shape).safe,
        languages=(Path(__file__).parent / "languages",),
    )
