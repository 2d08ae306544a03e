"""The patience Golf, for `solitaire_envs` and `solitaire_agents`. To import this package is to register it."""

from golf.agents import longest_run
from golf.game import GAME
from golf.learning import golf_choices
from golf.solver import GolfSolver
from golf.uses import USES
from solitaire_agents import Kit, register_kit, rule_agents
from solitaire_envs import register_game

register_game(GAME, {"golf/Golf-v0": {}, "golf/GolfWrap-v0": {"wrap": True}})
register_kit(
    Kit(
        game=GAME,
        agents=rule_agents({"longest-run": longest_run}),
        uses=USES,
        choices=golf_choices,
        solver=GolfSolver,
    )
)
