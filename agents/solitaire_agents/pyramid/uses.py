"""How the agents of Pyramid treat its options, and those of a par series."""

from collections.abc import Mapping
from typing import Any, Final

from solitaire_agents.pyramid.heuristics import RULES
from solitaire_agents.uses import INPUT, MEMORY_NEEDED, NO_INFLUENCE, Use, Uses, at_least, only
from solitaire_envs.pyramid_table import STOCK_SIZE

DISCARDS: Final = 28
"""Most discards of a game: 24 pairs and four kings."""


def longest_game(options: Any) -> int:
    """Returns the most moves of an episode: all draws, redeals and discards, in each game of a series."""
    return int(getattr(options, "games", 1) * (options.passes * (STOCK_SIZE + 1) - 1 + DISCARDS))


NO_SHORTER: Final = Use("no influence; not below the longest possible game", False, least=longest_game)
RULE: Final[Uses] = {
    "information": INPUT,
    "max_moves": NO_INFLUENCE,
    "passes": INPUT,
    "stock_waste_pairs": INPUT,
    "goal": NO_INFLUENCE,
    "objective": NO_INFLUENCE,
    "games": NO_INFLUENCE,
}
EXACT: Final[Uses] = {**RULE, "max_moves": NO_SHORTER, "goal": INPUT, "objective": INPUT}
"""Of agents that play what a solver or its bounds have searched."""
PLANNER: Final[Uses] = {**EXACT, "information": MEMORY_NEEDED, "games": INPUT}  # draws by a hash of all that it sees
TRAINED: Final[Uses] = {
    "max_moves": NO_SHORTER,
    "objective": INPUT,  # of the bounds, which leave out moves
    "games": NO_INFLUENCE,
}
BOUND: Final[Uses] = {
    "information": only("memory", "table"),
    "max_moves": only(None),
    "passes": INPUT,
    "stock_waste_pairs": INPUT,
    "goal": INPUT,
    "objective": only("win"),
}
"""Of the bound on all fair players. One who sees only the table knows less than one with perfect memory."""
LABELS: Final[Uses] = {
    **dict.fromkeys(("information", "objective"), NO_INFLUENCE),
    "max_moves": only(None),
    "passes": only(3),
    "stock_waste_pairs": only(True),
    "goal": only("all"),
}
USES: Final[Mapping[str, Uses]] = {
    "uniform": {**RULE, "information": NO_INFLUENCE},
    **dict.fromkeys(RULES, RULE),
    "pyramid-first": {**RULE, "games": INPUT},  # picks among equals by such a hash
    "patient": {**PLANNER, "passes": at_least(3, influence=True)},  # with fewer, a simple rule is often better
    "planner": PLANNER,
    "oracle": {**EXACT, "information": NO_INFLUENCE},
    "best": TRAINED,
    "trained": TRAINED,
    "solver": {**EXACT, "information": NO_INFLUENCE, "max_moves": only(None), "objective": NO_INFLUENCE},
    "labels": LABELS,
}
