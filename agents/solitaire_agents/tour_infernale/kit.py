"""What there is for La tour infernale."""

from solitaire_agents.base import Agent
from solitaire_agents.kit import Kit, Labels, Solver, rule_agents
from solitaire_agents.tour_infernale.choices import tour_infernale_choices
from solitaire_agents.tour_infernale.component_values import SHIPPED_NETWORKS
from solitaire_agents.tour_infernale.heuristics import RULES
from solitaire_agents.tour_infernale.look_ahead import TourInfernaleLookAhead
from solitaire_agents.tour_infernale.oracle import TourInfernaleOracle
from solitaire_agents.tour_infernale.planner import TourInfernalePlanner
from solitaire_agents.trained import read_network
from solitaire_envs import tour_infernale


def _planner(options: tour_infernale.TourInfernaleOptions) -> Agent:
    """Samples the hidden order of the stock: looks a draw ahead by values, or plays games on by a rule."""
    if options.passes != 1:
        return TourInfernalePlanner(options)
    folder = SHIPPED_NETWORKS[options.piles]
    planner = TourInfernaleLookAhead(options, read_network(folder, KIT.game, tour_infernale_choices(options)))
    planner.folder = folder
    return planner


def _solver() -> Solver:
    from solitaire_agents.tour_infernale.solving import TourInfernaleSolver  # noqa: PLC0415  # what only solves needs nothing else

    return TourInfernaleSolver()


def _labels() -> Labels:
    from solitaire_agents.tour_infernale.solving import TourInfernaleLabels  # noqa: PLC0415  # as above

    return TourInfernaleLabels()


KIT: Kit = Kit(
    game=tour_infernale.GAME,
    agents={
        **rule_agents(RULES),
        "planner": _planner,
        "oracle": TourInfernaleOracle,
    },
    choices=tour_infernale_choices,
    trained=("tour-infernale-one-pass", "tour-infernale-five-piles"),
    solver=_solver,
    labels=_labels,
    advisers=lambda options: ("best", "thrifty" if options.passes == 1 else "swift"),
)
