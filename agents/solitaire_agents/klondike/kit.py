"""The kit of Klondike."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from solitaire_agents.base import Agent
from solitaire_agents.kit import Kit, rule_agents
from solitaire_agents.klondike.choices import klondike_choices
from solitaire_agents.klondike.heuristics import RULES
from solitaire_agents.klondike.solving import KlondikeLabels, KlondikeSolver
from solitaire_agents.klondike.uses import USES
from solitaire_agents.trained import read_network, shipped_for
from solitaire_agents.trained_agent import Calibration
from solitaire_agents.tree_planner import TreePlanner
from solitaire_envs import klondike

TRAINED: Final = {
    "klondike": Calibration(1.0, 0.4),
    "klondike-draw-one": Calibration(1.15, -0.4),
    "klondike-other-rules": Calibration(1.25, 0.4),
}
"""Names of the trained agents that come with the package -> the calibration of the planner that searches with their
networks, fitted to its games of training deals (`experiments/calibration.py --agents planner --fit`, with `AS_LEARNED`
in their place)."""


def _planner(options: klondike.KlondikeOptions) -> Agent:
    """Searches over sampled orders of the hidden cards, guided by `best`; plays exactly once all is known."""
    choices = klondike_choices(replace(options, objective="win"))  # it plays to win, whatever the objective
    folder, card = next(iter(shipped_for(klondike.GAME, tuple(TRAINED), choices, "planner").items()))
    network = read_network(folder, klondike.GAME, choices, card)
    return TreePlanner(choices, network, solver=KlondikeSolver(), calibration=TRAINED[folder.name], folder=folder)


KIT: Kit = Kit(
    game=klondike.GAME,
    agents={**rule_agents(RULES), "planner": _planner},
    uses=USES,
    choices=klondike_choices,
    trained=tuple(TRAINED),
    solver=KlondikeSolver,
    labels=KlondikeLabels,
    advisers=lambda options: ("best", "careful"),
    safe_up=True,
    languages=(Path(__file__).parent / "languages",),
)
