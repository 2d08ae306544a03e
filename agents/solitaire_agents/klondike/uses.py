"""How the agents of Klondike treat its options."""

from collections.abc import Mapping
from typing import Final

from solitaire_agents.klondike.heuristics import RULES
from solitaire_agents.uses import INPUT, MOVES_ENOUGH, NO_INFLUENCE, Uses, at_least, only

RULE: Final[Uses] = {
    "information": INPUT,
    "max_moves": NO_INFLUENCE,
    "draw": INPUT,
    "returns": INPUT,
    "passes": INPUT,
    "objective": NO_INFLUENCE,
}
ORACLE: Final[Uses] = {**RULE, "information": NO_INFLUENCE, "max_moves": at_least(MOVES_ENOUGH)}
TRAINED: Final[Uses] = {"max_moves": at_least(MOVES_ENOUGH)}
USES: Final[Mapping[str, Uses]] = {
    "uniform": {**RULE, "information": NO_INFLUENCE},
    **dict.fromkeys(RULES, RULE),
    "oracle": ORACLE,
    "best": {**TRAINED, "objective": NO_INFLUENCE},
    "trained": TRAINED,
    "solver": {**ORACLE, "max_moves": only(MOVES_ENOUGH, None)},
    "labels": {**ORACLE, "returns": only(True), "passes": only(None)},
}
