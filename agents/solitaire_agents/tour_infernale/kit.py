"""What there is for La tour infernale."""

from typing import TYPE_CHECKING

from solitaire_agents.base import Agent
from solitaire_agents.kit import DealTable, Kit, Labels, SelfPlay, Solver, rule_agents
from solitaire_agents.tour_infernale.by_value import TourInfernaleLookAhead
from solitaire_agents.tour_infernale.heuristics import RULES
from solitaire_agents.tour_infernale.oracle import TourInfernaleOracle
from solitaire_agents.tour_infernale.planner import TourInfernalePlanner
from solitaire_agents.tour_infernale.values import SHIPPED_VALUES
from solitaire_agents.value_network import load_network, load_values
from solitaire_envs import tour_infernale

if TYPE_CHECKING:
    from solitaire_agents.networks import View


def _best(options: tour_infernale.TourInfernaleOptions) -> Agent:
    """Plays by what comes with the package: learned values in one pass, a policy for few moves; without search."""
    if options.passes == 1:
        return _named("best", load_values(SHIPPED_VALUES[options.piles], KIT, options))
    return _named("best", _policy(options))


def _policy(options: tour_infernale.TourInfernaleOptions) -> Agent:
    """Plays by the network that was trained with PPO and comes with the package, for one pass or for few moves."""
    from solitaire_agents.policy import load_shipped  # noqa: PLC0415  # only a policy needs torch

    name = "tour-infernale-one-pass" if options.passes == 1 else "tour-infernale-sprint"
    return _named("policy", load_shipped(name, KIT, tour_infernale.num_actions(options)))


def _planner(options: tour_infernale.TourInfernaleOptions) -> Agent:
    """Samples the hidden order of the stock: looks a draw ahead by values, or plays games on by a rule."""
    if options.passes != 1:
        return TourInfernalePlanner(options)
    folder = SHIPPED_VALUES[options.piles]
    planner = TourInfernaleLookAhead(options, load_network(folder, KIT, options))
    planner.folder = folder
    return planner


def _named(name: str, agent: Agent) -> Agent:
    agent.name = name
    return agent


def _self_play() -> SelfPlay:
    from solitaire_agents.tour_infernale.self_play import TourInfernaleSelfPlay  # noqa: PLC0415  # only training needs it

    return TourInfernaleSelfPlay()


def _view() -> "type[View]":
    from solitaire_agents.tour_infernale.view import TourInfernaleView  # noqa: PLC0415  # only a network needs torch

    return TourInfernaleView


def _solver() -> Solver:
    from solitaire_agents.tour_infernale.solving import TourInfernaleSolver  # noqa: PLC0415  # what only solves needs nothing else

    return TourInfernaleSolver()


def _labels() -> Labels:
    from solitaire_agents.tour_infernale.solving import TourInfernaleLabels  # noqa: PLC0415  # as above

    return TourInfernaleLabels()


def _odds() -> DealTable:
    from solitaire_agents.tour_infernale.odds import TourInfernaleOdds  # noqa: PLC0415  # as above

    return TourInfernaleOdds()


KIT: Kit = Kit(
    game=tour_infernale.GAME,
    agents={
        **rule_agents(RULES, saturates={"pass": 0}),
        "best": _best,
        "policy": _policy,
        "planner": _planner,
        "oracle": TourInfernaleOracle,
    },
    view=_view,
    self_play=_self_play,
    solver=_solver,
    labels=_labels,
    tables={"odds": _odds},
    advisers=lambda options: ("best", "thrifty" if options.passes == 1 else "swift"),
)
