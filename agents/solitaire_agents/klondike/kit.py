"""What there is for Klondike."""

from solitaire_agents.kit import Kit, rule_agents
from solitaire_agents.klondike.heuristics import RULES
from solitaire_envs import klondike

KIT: Kit = Kit(
    game=klondike.GAME,
    agents=rule_agents(RULES),
    advisers=lambda options: ("careful",),
)
