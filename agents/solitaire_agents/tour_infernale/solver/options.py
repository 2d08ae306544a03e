"""The options that the solver, the rollouts and the choices know."""

from typing import Final

from solitaire_agents.kit import check_known
from solitaire_envs.tour_infernale import TourInfernaleOptions

KNOWN_OPTIONS: Final = frozenset(
    {
        # The solver plays by these:
        "piles",
        "passes",
        # These do not change what can be won from a position:
        "objective",  # rewards
        "information",  # what the observation shows
        "max_moves",  # not counted; see `api`
        "resign",  # ends lost games only
        "budget",  # of a sprint, which is a series of deals
    }
)
"""Names of the options that the solver, the rollouts and the choices know."""


def check_options(options: TourInfernaleOptions) -> None:
    """Checks that the solver knows the rules that the options choose.

    Raises:
        ValueError: An option that the solver does not know has another value than its default.
    """
    check_known(options, KNOWN_OPTIONS)
