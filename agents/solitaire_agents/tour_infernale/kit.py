"""What there is for La tour infernale."""

from typing import TYPE_CHECKING

from solitaire_agents.base import Agent
from solitaire_agents.kit import Kit, Labels, Solver, rule_agents
from solitaire_agents.tour_infernale.heuristics import RULES
from solitaire_agents.tour_infernale.oracle import TourInfernaleOracle
from solitaire_agents.tour_infernale.planner import TourInfernalePlanner
from solitaire_envs import tour_infernale

if TYPE_CHECKING:
    from solitaire_agents.networks import View


def _best(options: tour_infernale.TourInfernaleOptions) -> Agent:
    """Plays by the trained network that comes with the package, for one pass or for few moves; without search."""
    from solitaire_agents.policy import load_shipped  # noqa: PLC0415  # only a policy needs torch

    name = "tour-infernale-one-pass" if options.passes == 1 else "tour-infernale-sprint"
    return load_shipped(name, KIT, tour_infernale.num_actions(options))


def _view() -> "type[View]":
    from solitaire_agents.tour_infernale.view import TourInfernaleView  # noqa: PLC0415  # only a network needs torch

    return TourInfernaleView


def _solver() -> Solver:
    from solitaire_agents.tour_infernale.solving import TourInfernaleSolver  # noqa: PLC0415  # what only solves needs nothing else

    return TourInfernaleSolver()


def _labels() -> Labels:
    from solitaire_agents.tour_infernale.solving import TourInfernaleLabels  # noqa: PLC0415  # as above

    return TourInfernaleLabels()


KIT: Kit = Kit(
    game=tour_infernale.GAME,
    agents={
        **rule_agents(RULES, saturates={"pass": 0}),
        "best": _best,
        "planner": TourInfernalePlanner,
        "oracle": TourInfernaleOracle,
    },
    view=_view,
    solver=_solver,
    labels=_labels,
    advisers=lambda options: ("best", "thrifty" if options.passes == 1 else "swift"),
)
