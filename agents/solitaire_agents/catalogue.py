"""The one table of agents: game -> name -> how to build one."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import solitaire_agents.pyramid.heuristics as pyramid_rules
import solitaire_agents.tour_infernale.heuristics as tour_infernale_rules
from solitaire_agents.base import Agent, RuleAgent
from solitaire_agents.pyramid.hindsight import HindsightAgent
from solitaire_agents.pyramid.oracle import PyramidOracle
from solitaire_agents.pyramid.planner import PatientAgent, PlannerAgent
from solitaire_agents.tour_infernale.oracle import TourInfernaleOracle
from solitaire_agents.tour_infernale.planner import TourInfernalePlanner
from solitaire_agents.uniform import UniformAgent
from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.game import Game, Options

MakeAgent = Callable[[Any], Agent]
"""options of the game -> the agent"""


def _by_rules(rules: Mapping[str, Callable[[Any, Any], int]]) -> dict[str, MakeAgent]:
    return {name: partial(_rule_agent, name, choose) for name, choose in rules.items()}


def _rule_agent(name: str, choose: Callable[[Any, Any], int], options: Options) -> Agent:
    return RuleAgent(name, choose)


def _best(game: Game, choose: Callable[[Any], str]) -> MakeAgent:
    """Returns how to load the policy that comes with the package for what is played."""

    def load(options: Options) -> Agent:
        from solitaire_agents.policy import load_shipped  # noqa: PLC0415  # only a policy needs torch

        return load_shipped(choose(options), game, game.num_actions(options))

    return load


AGENTS: dict[str, Mapping[str, MakeAgent]] = {
    "pyramid": {
        "uniform": lambda options: UniformAgent(),
        **_by_rules(pyramid_rules.RULES),
        "best": _best(pyramid.GAME, lambda options: f"pyramid-{options.objective}"),
        "patient": PatientAgent,
        "planner": PlannerAgent,
        "hindsight": HindsightAgent,
        "oracle": PyramidOracle,
    },
    "tour_infernale": {
        "uniform": lambda options: UniformAgent(),
        **_by_rules(tour_infernale_rules.RULES),
        "best": _best(
            tour_infernale.GAME,
            lambda options: "tour-infernale-one-pass" if options.passes == 1 else "tour-infernale-sprint",
        ),
        "planner": TourInfernalePlanner,
        "oracle": TourInfernaleOracle,
    },
}


def agents_of(game: Game) -> Mapping[str, MakeAgent]:
    """Returns the agents of a game by name; those of a series are the agents of its game."""
    return next((agents for name, agents in AGENTS.items() if game.name.startswith(name)), {})


def find_agent(name: str, game: Game, options: Options) -> Agent:
    """Returns the agent of a name, or the trained policy in a folder of that name.

    Raises:
        ValueError: There is no such agent for the game and no such folder, or the folder holds no policy for the game.
    """
    agents = agents_of(game)
    if name in agents:
        return agents[name](options)
    if not Path(name).is_dir():
        known = ", ".join(agents)
        raise ValueError(f"expected an agent of {game.name} among {known}, or the folder of a policy; got {name!r}")
    from solitaire_agents.policy import load_policy  # noqa: PLC0415  # only a policy needs torch

    return load_policy(Path(name), game, game.num_actions(options))
