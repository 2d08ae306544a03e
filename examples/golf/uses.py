"""How the agents of Golf treat its options."""

from collections.abc import Mapping
from typing import Final

from golf.game import COLUMNS, ROWS, STOCK_SIZE
from solitaire_agents.uses import INPUT, NO_INFLUENCE, Uses, at_least, only

LONGEST_GAME: Final = COLUMNS * ROWS + STOCK_SIZE
"""Most moves of a game: every card is played or drawn once."""
RULE: Final[Uses] = {
    "information": NO_INFLUENCE,  # it looks at nothing that lies face down
    "max_moves": NO_INFLUENCE,
    "wrap": INPUT,
    "objective": NO_INFLUENCE,
}
EXACT: Final[Uses] = {**RULE, "max_moves": at_least(LONGEST_GAME)}
USES: Final[Mapping[str, Uses]] = {
    **dict.fromkeys(("uniform", "longest-run"), RULE),
    "oracle": EXACT,
    "trained": {"max_moves": at_least(LONGEST_GAME)},
    "solver": {**EXACT, "max_moves": only(None)},
}
