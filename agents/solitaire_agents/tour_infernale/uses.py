"""How the agents of La tour infernale treat its options, and those of a sprint."""

from collections.abc import Mapping
from typing import Any, Final

from solitaire_agents.tour_infernale.heuristics import RULES
from solitaire_agents.uses import INPUT, MOVES_ENOUGH, NO_INFLUENCE, Use, Uses, at_least, only


def _moves_needed(options: Any) -> int:
    return 0 if options.passes is None else MOVES_ENOUGH


UNHURRIED: Final = Use(f"no influence; {MOVES_ENOUGH:,} or more where passes are limited", False, least=_moves_needed)
"""Without a limit of passes, solvers and agents that have learned play for few moves anyway."""
RULE: Final[Uses] = {
    "information": INPUT,
    "max_moves": NO_INFLUENCE,
    "piles": INPUT,
    "passes": INPUT,
    "objective": NO_INFLUENCE,
    "budget": NO_INFLUENCE,
}
ORACLE: Final[Uses] = {**RULE, "information": NO_INFLUENCE, "max_moves": UNHURRIED}
TRAINED: Final[Uses] = {"max_moves": UNHURRIED, "budget": NO_INFLUENCE}
LABELS: Final[Uses] = {
    **dict.fromkeys(("information", "objective"), NO_INFLUENCE),
    "max_moves": at_least(MOVES_ENOUGH),
    "piles": only(6),
    "passes": only(1),
}
USES: Final[Mapping[str, Uses]] = {
    "uniform": {**RULE, "information": NO_INFLUENCE},
    **dict.fromkeys(RULES, RULE),
    "oracle": ORACLE,
    "best": {**TRAINED, "objective": NO_INFLUENCE},
    "trained": TRAINED,
    "solver": {**ORACLE, "max_moves": only(MOVES_ENOUGH, None)},
    "labels": LABELS,
}
