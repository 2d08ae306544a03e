"""The kit of La tour infernale."""

from functools import partial
from pathlib import Path
from typing import Final

from solitaire_agents.kit import Kit, WinLabels, rule_agents
from solitaire_agents.tour_infernale.choices import tour_infernale_choices
from solitaire_agents.tour_infernale.component_values import SHIPPED_NETWORKS
from solitaire_agents.tour_infernale.heuristics import RULES
from solitaire_agents.tour_infernale.solving import TourInfernaleSolver
from solitaire_agents.tour_infernale.uses import USES
from solitaire_envs import tour_infernale

LABELS: Final = "tour-infernale-one-pass-test.csv"
LABEL_NODES: Final = 75_000_000
"""Most configurations to look at for the label of a deal: about 20 seconds."""
KIT: Kit = Kit(
    game=tour_infernale.GAME,
    agents=rule_agents(RULES),
    uses=USES,
    choices=tour_infernale_choices,
    trained=(*SHIPPED_NETWORKS.values(), "tour-infernale", "tour-infernale-other-rules"),
    simulations=50,
    solver=TourInfernaleSolver,
    labels=partial(WinLabels, tour_infernale.GAME, TourInfernaleSolver, USES["labels"], LABELS, LABEL_NODES),
    advisers=lambda options: ("best", "thrifty") if options.passes is not None else ("swift",),
    safe_up=True,
    languages=(Path(__file__).parent / "languages",),
)
