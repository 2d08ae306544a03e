"""The kit of La tour infernale."""

from pathlib import Path

from solitaire_agents.base import Agent
from solitaire_agents.kit import Kit, rule_agents
from solitaire_agents.tour_infernale.choices import tour_infernale_choices
from solitaire_agents.tour_infernale.component_values import SHIPPED_NETWORKS, shipped
from solitaire_agents.tour_infernale.heuristics import RULES
from solitaire_agents.tour_infernale.look_ahead import TourInfernaleLookAhead
from solitaire_agents.tour_infernale.planner import TourInfernalePlanner
from solitaire_agents.tour_infernale.solving import TourInfernaleLabels, TourInfernaleSolver
from solitaire_agents.tour_infernale.uses import USES
from solitaire_envs import tour_infernale


def _planner(options: tour_infernale.TourInfernaleOptions) -> Agent:
    """Samples the hidden order of the stock: looks a draw ahead by values, or plays games on by a rule."""
    if options.passes != 1:
        return TourInfernalePlanner(options)
    network, calibration, folder = shipped(options.piles)
    return TourInfernaleLookAhead(options, network, calibration=calibration, folder=folder)


KIT: Kit = Kit(
    game=tour_infernale.GAME,
    agents={**rule_agents(RULES), "planner": _planner},
    uses=USES,
    choices=tour_infernale_choices,
    trained=(*SHIPPED_NETWORKS.values(), "tour-infernale"),
    solver=TourInfernaleSolver,
    labels=TourInfernaleLabels,
    advisers=lambda options: ("best", "thrifty") if options.passes == 1 else ("swift",),
    safe_up=True,
    languages=(Path(__file__).parent / "languages",),
)
