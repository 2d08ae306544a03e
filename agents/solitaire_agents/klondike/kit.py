"""The kit of Klondike."""

from functools import partial
from pathlib import Path
from typing import Final

from solitaire_agents.kit import Kit, WinLabels, rule_agents
from solitaire_agents.klondike.choices import klondike_choices
from solitaire_agents.klondike.heuristics import RULES
from solitaire_agents.klondike.solving import KlondikeSolver
from solitaire_agents.klondike.uses import USES
from solitaire_agents.trained_agent import Calibration
from solitaire_envs import klondike

LABELS: Final = "klondike-draw-{draw}-test.csv"
LABEL_NODES: Final = 5_000_000
"""Most components to look at for the label of a deal: about 20 seconds."""
KIT: Kit = Kit(
    game=klondike.GAME,
    agents=rule_agents(RULES),
    uses=USES,
    choices=klondike_choices,
    trained=("klondike", "klondike-draw-one", "klondike-other-rules"),
    calibrations={
        "klondike": Calibration(1.0, 0.4),
        "klondike-draw-one": Calibration(1.15, -0.4),
        "klondike-other-rules": Calibration(1.25, 0.4),
    },
    solver=KlondikeSolver,
    labels=partial(WinLabels, klondike.GAME, KlondikeSolver, USES["labels"], LABELS, LABEL_NODES),
    advisers=lambda options: ("best", "careful"),
    safe_up=True,
    languages=(Path(__file__).parent / "languages",),
)
