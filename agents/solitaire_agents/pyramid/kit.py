"""The kit of Pyramid."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.kit import Kit, rule_agents
from solitaire_agents.pyramid.choices import pyramid_choices
from solitaire_agents.pyramid.heuristics import RULES
from solitaire_agents.pyramid.planner import PatientAgent, PlannerAgent
from solitaire_agents.pyramid.solving import PyramidLabels, PyramidSolver
from solitaire_agents.pyramid.uses import USES
from solitaire_envs import pyramid, pyramid_table
from solitaire_envs.cards import NUM_RANKS


def count_blockers(decks: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Counts the blockers of each deck: pairs of cards that add up to 13 where one lies on the other.

    One card lies on another if it has to go first, directly or not. The two can never be discarded together.

    Args:
        decks: uint8 [n, 52].

    Returns:
        int64 [n].
    """
    ranks = decks[:, : pyramid_table.PYRAMID_SIZE] % NUM_RANKS + 1
    count = np.zeros(len(decks), dtype=np.int64)
    for position in range(pyramid_table.PYRAMID_SIZE):
        for cover in pyramid_table.all_covers(position):
            count += ranks[:, position] + ranks[:, cover] == pyramid_table.KING
    return count


KIT: Kit = Kit(
    game=pyramid.GAME,
    agents={
        **rule_agents(RULES),
        "patient": PatientAgent,
        "planner": PlannerAgent,
    },
    uses=USES,
    choices=pyramid_choices,
    trained=("pyramid-win", "pyramid-score", "pyramid-win-other-rules", "pyramid-score-other-rules"),
    solver=PyramidSolver,
    labels=PyramidLabels,
    advisers=lambda options: ("best", "careful"),
    difficulty={"blockers": count_blockers},
    languages=(Path(__file__).parent / "languages",),
)
