"""What there is for Klondike."""

from solitaire_agents.kit import Kit, rule_agents
from solitaire_agents.klondike.choices import klondike_choices
from solitaire_agents.klondike.heuristics import RULES
from solitaire_agents.klondike.oracle import KlondikeOracle
from solitaire_agents.klondike.solving import KlondikeLabels, KlondikeSolver
from solitaire_envs import klondike

KIT: Kit = Kit(
    game=klondike.GAME,
    agents={**rule_agents(RULES), "oracle": KlondikeOracle},
    choices=klondike_choices,
    trained=("klondike", "klondike-draw-one", "klondike-other-rules"),
    solver=KlondikeSolver,
    labels=KlondikeLabels,
    advisers=lambda options: ("best", "careful"),
)
