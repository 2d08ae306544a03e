"""The kits of the declared games: each is made from its record. Making them compiles nothing."""

from functools import partial
from pathlib import Path

from solitaire_agents.base import Agent
from solitaire_agents.choices import Choices
from solitaire_agents.kit import Kit, WinLabels
from solitaire_agents.piles.choices import pile_choices
from solitaire_agents.piles.dominances import dominances_of
from solitaire_agents.piles.greedy import Greedy
from solitaire_agents.piles.solver import PileSolver, most_nodes
from solitaire_agents.piles.uses import pile_uses
from solitaire_envs.game import Options
from solitaire_envs.piles.declaration import PileGame
from solitaire_envs.piles.games import PILE_GAMES
from solitaire_envs.piles.shape import PileShape


def make_kit(declared: PileGame) -> Kit:
    """Makes the kit of a declared game."""
    game, shape = PILE_GAMES[declared.env_id], PileShape(declared)
    uses = pile_uses(game, shape)

    def choices(options: Options) -> Choices:
        return pile_choices(game, shape, options)

    def greedy(options: Options) -> Agent:
        return Greedy(choices(options), shape)

    greedy.__doc__ = Greedy.__doc__

    solver, labels = partial(PileSolver, game, shape, uses["solver"]), f"piles/{game.name}-test.csv"
    return Kit(
        game=game,
        agents={"greedy": greedy},
        uses=uses,
        choices=choices,
        solver=solver,
        labels=partial(WinLabels, game, solver, uses["labels"], labels, most_nodes(shape)),
        safe_up=dominances_of(shape).safe,
        languages=(Path(__file__).parent / "languages",),
    )
