"""The kit of La tour infernale."""

from functools import partial
from pathlib import Path

from solitaire_agents.kit import Kit, WinLabels, rule_agents
from solitaire_agents.tour_infernale.choices import tour_infernale_choices
from solitaire_agents.tour_infernale.component_values import SHIPPED_NETWORKS
from solitaire_agents.tour_infernale.heuristics import RULES
from solitaire_agents.tour_infernale.solving import TourInfernaleSolver
from solitaire_agents.tour_infernale.uses import USES
from solitaire_envs import tour_infernale


def _label_file(options: tour_infernale.TourInfernaleOptions) -> str:
    return "tour-infernale-one-pass-test.csv"


KIT: Kit = Kit(
    game=tour_infernale.GAME,
    agents=rule_agents(RULES),
    uses=USES,
    choices=tour_infernale_choices,
    trained=(*SHIPPED_NETWORKS.values(), "tour-infernale", "tour-infernale-other-rules"),
    simulations=50,
    solver=TourInfernaleSolver,
    labels=partial(
        WinLabels, tour_infernale.GAME, TourInfernaleSolver, USES["labels"], _label_file, 75_000_000
    ),  # 20 s
    advisers=lambda options: ("best", "thrifty") if options.passes == 1 else ("swift",),
    safe_up=True,
    languages=(Path(__file__).parent / "languages",),
)
