"""The patience Golf, for `solitaire_envs` and `solitaire_agents`. To import this package is to register it."""

from typing import TYPE_CHECKING

from golf.agents import GolfOracle, longest_run
from golf.game import GAME
from golf.solver import GolfSolver
from solitaire_agents import Kit, register_kit, rule_agents
from solitaire_envs import register_game

if TYPE_CHECKING:
    from golf.view import GolfView


def _view() -> "type[GolfView]":
    from golf.view import GolfView  # noqa: PLC0415  # only a network needs torch

    return GolfView


register_game(GAME, {"golf/Golf-v0": {}, "golf/GolfWrap-v0": {"wrap": True}})
register_kit(
    Kit(
        game=GAME,
        agents={**rule_agents({"longest-run": longest_run}), "oracle": GolfOracle},
        view=_view,
        solver=GolfSolver,
    )
)
