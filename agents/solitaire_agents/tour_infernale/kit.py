"""The kit of La tour infernale."""

from pathlib import Path

from solitaire_agents.kit import Kit, rule_agents
from solitaire_agents.tour_infernale.choices import tour_infernale_choices
from solitaire_agents.tour_infernale.component_values import SHIPPED_NETWORKS
from solitaire_agents.tour_infernale.heuristics import RULES
from solitaire_agents.tour_infernale.solving import TourInfernaleLabels, TourInfernaleSolver
from solitaire_agents.tour_infernale.uses import USES
from solitaire_envs import tour_infernale

KIT: Kit = Kit(
    game=tour_infernale.GAME,
    agents=rule_agents(RULES),
    uses=USES,
    choices=tour_infernale_choices,
    trained=(*SHIPPED_NETWORKS.values(), "tour-infernale", "tour-infernale-other-rules"),
    simulations=50,
    solver=TourInfernaleSolver,
    labels=TourInfernaleLabels,
    advisers=lambda options: ("best", "thrifty") if options.passes == 1 else ("swift",),
    safe_up=True,
    languages=(Path(__file__).parent / "languages",),
)
